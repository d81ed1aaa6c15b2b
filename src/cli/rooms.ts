// What the command line needs of rooms that it may not import; whoever knows them all hands them in.
import type { Entrances } from '../bot/index.js';
import type { App } from './app.js';

export interface Web {
  readonly port: number;
  readonly url: string;
  /** A link that logs a browser in, once. */
  loginLink(): string;
  close(): Promise<void>;
}

export interface WebOptions {
  readonly host: string;
  readonly port: number;
  readonly version: string;
  readonly log: (message: string) => void;
  /** Where platforms post what is new. */
  readonly entrances: Entrances;
}

export interface Rooms {
  startWeb(app: App, options: WebOptions): Promise<Web>;
}
