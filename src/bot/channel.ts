// A chat platform that a running Bosun is connected to.
export interface Channel {
  readonly name: string;
  /** Resolves once it is connected, or its first try has failed. */
  readonly tried: Promise<void>;
  /** In a word for operators; null: all is well. */
  readonly problem: string | null;
  /** Where it posts what is new; null: it is asked. */
  readonly entrance: Entrance | null;
  close(): Promise<void>;
}

/** What the HTTP side needs to let a platform in that posts what is new. */
export interface Entrance {
  /** As others reach it. */
  readonly url: string;
  readonly secret: string;
  /** `taken` once it is written down, `busy` where it is to come again; throws where it cannot be written down. */
  receive(update: unknown): 'taken' | 'busy';
}

/** The HTTP side is up before and after each of them. */
export type Entrances = (channel: 'telegram') => Entrance | null;
