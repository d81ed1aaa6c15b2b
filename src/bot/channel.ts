// A chat platform that a running Bosun is connected to.
export interface Channel {
  readonly name: string;
  /** Resolves once it is connected, or its first try has failed. */
  readonly tried: Promise<void>;
  /** In a word for operators; null: all is well. */
  readonly problem: string | null;
  close(): Promise<void>;
}
