import type { Fault } from '../../processes/run-process.js';
import type { AdapterContext, AgentEvent, AgentSeat, Usage } from '../port.js';
import { actionWords, fewWords } from '../shared/action-words.js';
import { commandOutput } from '../shared/command-output.js';
import { causeOf, failed } from '../shared/faults.js';
import { type Json, numberAt, objectAt, textAt } from '../shared/foreign-json.js';
import { printSession } from '../shared/seat.js';
import { noTokens, plus, usageOf } from '../shared/usage.js';
import { identity } from './identity.js';

const maxFinalChars = 64 * 1024;
/** OpenCode retries forever, with growing delays. */
const maxTries = 4;

export class OpencodeTurn {
  readonly #seat: AgentSeat;
  readonly #around: AdapterContext;
  #session: string | null = null;
  #finalText = '';
  #tokens = noTokens;
  #costUsd = 0;
  #usage: Usage | null = null;
  #isCompleted = false;
  #tries = 0;
  #complaint: { readonly text: string; readonly status: number | null } | null = null;

  constructor(seat: AgentSeat, around: AdapterContext) {
    this.#seat = seat;
    this.#around = around;
  }

  get finalText(): string {
    return this.#finalText;
  }

  get usage(): Usage | null {
    return this.#usage;
  }

  get isCompleted(): boolean {
    return this.#isCompleted;
  }

  get session(): string | null {
    return this.#session === null ? null : printSession(identity.kind, this.#session);
  }

  get program(): string {
    const { model } = this.#seat.executor;
    return fewWords(model === null ? 'opencode' : `opencode ${model}`);
  }

  /** Null: it recovered, or had none. */
  get fault(): Fault | null {
    return this.#complaint === null ? null : this.#cause(this.#complaint.text, this.#complaint.status);
  }

  start(id: string | null): readonly AgentEvent[] {
    if (this.#session !== null || id === null || !/^[\w-]{1,100}$/.test(id)) return [];
    this.#session = id;
    return [{ type: 'started', session: printSession(identity.kind, id), program: this.program }];
  }

  beginStep(): void {
    this.#isCompleted = false;
    this.#tries = 0;
  }

  text(text: string): readonly AgentEvent[] {
    this.#finalText = text.slice(-maxFinalChars);
    return [{ type: 'text', text }];
  }

  action(tool: string, input: Json | null): AgentEvent {
    return { type: 'action', text: actionWords(tool, input, this.#seat.workdir) };
  }

  /** `isHelpers`: for an agent that the agent started. */
  finishStep(part: Json, isHelpers: boolean): readonly AgentEvent[] {
    const tokens = objectAt(part, 'tokens');
    const cache = objectAt(tokens, 'cache');
    const count = (from: Json | null, key: string): number => numberAt(from, key) ?? 0;
    this.#tokens = plus(this.#tokens, {
      fresh: count(tokens, 'input') + count(cache, 'write'),
      cached: count(cache, 'read'),
      output: count(tokens, 'output') + count(tokens, 'reasoning'),
    });
    this.#costUsd += numberAt(part, 'cost') ?? 0;
    // OpenCode reports 0 for a model whose price it does not know.
    const told = this.#costUsd > 0 ? this.#costUsd : null;
    this.#usage = usageOf(this.#tokens, told, this.#seat.executor.prices);
    const usage: AgentEvent = { type: 'usage', ...this.#usage };
    if (isHelpers) return [usage];
    this.#isCompleted = textAt(part, 'reason') === 'stop';
    if (this.#isCompleted) this.#complaint = null;
    return this.#isCompleted ? [{ type: 'completed' }, usage] : [usage];
  }

  error(error: Json | null): readonly AgentEvent[] {
    const data = objectAt(error, 'data');
    const text = `${textAt(error, 'name') ?? 'error'}: ${textAt(data, 'message') ?? ''}`;
    this.#complaint = { text, status: numberAt(data, 'statusCode') };
    return [{ type: 'note', text: `[error] ${fewWords(text, 300)}` }];
  }

  retry(text: string): readonly AgentEvent[] {
    this.#tries += 1;
    const wait: AgentEvent = { type: 'action', text: fewWords(`waits to try again: ${text}`) };
    return this.#tries < maxTries ? [wait] : [{ type: 'stuck', fault: this.#cause(text, null) }];
  }

  /** Null: unknown. */
  causeIn(errors: string): Fault | null {
    return causeOf(identity, { text: errors, status: null }, this.#around.clock());
  }

  #cause(text: string, status: number | null): Fault {
    return causeOf(identity, { text, status }, this.#around.clock()) ?? failed('opencode', text);
  }
}

export function thinks(part: Json | null): AgentEvent {
  return { type: 'note', text: `[thinks] ${fewWords(textAt(part, 'text') ?? '', 300)}` };
}

export function toolFailed(error: string): AgentEvent {
  return { type: 'note', text: `[tool] failed: ${fewWords(error, 200)}` };
}

export function printedBy(tool: string, state: Json | null): readonly AgentEvent[] {
  if (tool !== 'bash' || textAt(state, 'status') !== 'completed') return [];
  return commandOutput(textAt(state, 'output') ?? '', numberAt(objectAt(state, 'metadata'), 'exit'));
}
