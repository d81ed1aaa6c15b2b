// OpenCode resends a part whenever it changes.
import type { AgentEvent } from '../../port.js';
import { type Json, numberAt, objectAt, textAt } from '../../shared/foreign-json.js';
import { type OpencodeTurn, printedBy, thinks, toolFailed } from '../turn.js';
import { asCalled, type ToolCall } from './permissions.js';

const maxNoted = 100_000;

export class Parts {
  readonly #turn: OpencodeTurn;
  readonly #answers = new Set<string>();
  readonly #taken = new Set<string>();
  readonly #calls = new Map<string, ToolCall>();

  constructor(turn: OpencodeTurn) {
    this.#turn = turn;
  }

  noteMessage(info: Json | null): void {
    const id = textAt(info, 'id');
    if (id !== null && textAt(info, 'role') === 'assistant') note(this.#answers, id);
  }

  /** `isHelpers`: from an agent that the agent started; its words are no answer. */
  take(part: Json | null, isHelpers: boolean): readonly AgentEvent[] {
    if (part === null || !this.#answers.has(textAt(part, 'messageID') ?? '')) return [];
    switch (textAt(part, 'type')) {
      case 'step-start':
        if (!isHelpers && this.#isNew(part, '')) this.#turn.beginStep();
        return [];
      case 'text': {
        const text = textAt(part, 'text');
        if (text === null || !isWhole(part) || !this.#isNew(part, '')) return [];
        return isHelpers ? [{ type: 'note', text }] : this.#turn.text(text);
      }
      case 'reasoning':
        return isWhole(part) && this.#isNew(part, '') ? [thinks(part)] : [];
      case 'step-finish':
        return this.#isNew(part, '') ? this.#turn.finishStep(part, isHelpers) : [];
      case 'tool':
        return this.#tool(part);
      default:
        return [];
    }
  }

  /** Null: its input is not known yet. */
  callOf(message: string, call: string): ToolCall | null {
    return this.#calls.get(`${message} ${call}`) ?? null;
  }

  #tool(part: Json): readonly AgentEvent[] {
    const state = objectAt(part, 'state');
    const [tool, status] = [textAt(part, 'tool'), textAt(state, 'status')];
    if (tool === null || status === 'pending') return [];
    const input = objectAt(state, 'input') ?? {};
    const key = `${textAt(part, 'messageID')} ${textAt(part, 'callID')}`;
    const isOver = status === 'completed' || status === 'error';
    if (isOver) this.#calls.delete(key);
    else if (this.#calls.size < maxNoted) this.#calls.set(key, { tool, input });
    const begun = this.#isNew(part, '') ? [this.#turn.action(tool, asCalled(input))] : [];
    const isFailed = status === 'error' && this.#isNew(part, ' error');
    if (isFailed) return [...begun, toolFailed(textAt(state, 'error') ?? '')];
    const isPrinted = status === 'completed' && this.#isNew(part, ' printed');
    return isPrinted ? [...begun, ...printedBy(tool, state)] : begun;
  }

  #isNew(part: Json, what: string): boolean {
    const id = textAt(part, 'id');
    return id !== null && note(this.#taken, `${id}${what}`);
  }
}

/** Texts arrive while they grow; a finished one has an end time. */
function isWhole(part: Json): boolean {
  return numberAt(objectAt(part, 'time'), 'end') !== null;
}

/** False: known, or too many. */
function note(known: Set<string>, id: string): boolean {
  if (known.has(id) || known.size >= maxNoted) return false;
  known.add(id);
  return true;
}
