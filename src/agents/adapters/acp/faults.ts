import type { Fault } from '../../processes/run-process.js';
import type { AgentSeat } from '../port.js';
import { causeOf, cutShort, failed, startFault } from '../shared/faults.js';
import { runOf } from './handshake.js';
import { identity } from './identity.js';

const authenticationRequired = -32_000;

export class AcpFaults {
  readonly #name: string;
  readonly #clock: () => number;
  #fault: Fault | null = null;
  authMethods: readonly string[] = [];

  constructor({ executor }: AgentSeat, clock: () => number) {
    this.#name = runOf(executor).slice(0, 2).join(' ');
    this.#clock = clock;
  }

  /** A protocol error, or an unsuitable setting. */
  own(code: string, message: string): Fault {
    this.#fault = { code, message: `${this.#name}: ${message}`, remedy: 'ask' };
    return this.#fault;
  }

  refused(to: string, { code, message }: { readonly code: number; readonly message: string }): void {
    if (code === authenticationRequired) this.#fault = this.#noLogin(message);
    else if (to === 'session/load' || to === 'session/resume') {
      this.#fault = { code: 'session_gone', message: `${this.#name}: ${message}` };
    } else this.#fault = this.#causeOf(message) ?? failed(this.#name, `${to}: ${message}`);
  }

  /** A stop reason other than `end_turn`. */
  stopped(reason: string | null): void {
    const said = (code: string, text: string): Fault => ({ code, message: `${this.#name}: ${text}`, remedy: 'ask' });
    switch (reason) {
      case 'max_tokens':
        this.#fault = said('context_too_long', 'it reached its limit of tokens (make the step smaller)');
        return;
      case 'max_turn_requests':
        this.#fault = said(
          'max_turns',
          'it reached its limit of turns (raise it in its settings, or make the step smaller)',
        );
        return;
      case 'refusal':
        this.#fault = failed(this.#name, 'the model refused to go on');
        return;
      default:
        this.#fault = failed(this.#name, `its turn ended with ${JSON.stringify(reason)}`);
    }
  }

  atEnd(end: { readonly exit: number | null; readonly errors: string; readonly understood: number }): Fault | null {
    if (this.#fault !== null) return this.#fault;
    if (end.exit === 0) return cutShort(this.#name, end.understood);
    return startFault(this.#name, end.errors) ?? this.#causeOf(end.errors);
  }

  #causeOf(text: string): Fault | null {
    return causeOf({ kind: this.#name, login: this.#login() }, { text, status: null }, this.#clock());
  }

  #noLogin(message: string): Fault {
    return { code: 'not_logged_in', message: `${this.#name}: ${message} (${this.#login()})`, remedy: 'ask' };
  }

  #login(): string {
    const ways = this.authMethods.slice(0, 5).join(', ').slice(0, 200);
    return ways === '' ? identity.login : `${identity.login}; it offers: ${ways}`;
  }
}
