import type { AdapterContext, AgentEvent, AgentOutcome, AgentReader, AgentSeat, Usage } from '../port.js';
import { fewWords } from '../shared/action-words.js';
import { type Json, numberAt, objectAt, objectIn, textAt } from '../shared/foreign-json.js';
import { openQuestion } from '../shared/open-question.js';
import { printSession } from '../shared/seat.js';
import { noTokens, type Tokens, usageOf } from '../shared/usage.js';
import { Complaints } from './complaints.js';
import { identity } from './identity.js';
import { CodexItems } from './items.js';
import { believed, minus, readThreadTotal, type ThreadTotal, writeThreadTotal } from './thread-usage.js';

export function execReader(seat: AgentSeat, context: AdapterContext): AgentReader {
  return new ExecReader(seat, context);
}

export function programOf({ executor: { model } }: AgentSeat): string {
  return fewWords(model === null ? 'codex' : `codex ${model}`);
}

class ExecReader implements AgentReader {
  readonly #seat: AgentSeat;
  readonly #complaints: Complaints;
  readonly #items: CodexItems;
  #understood = 0;
  #thread: string | null = null;
  #before: ThreadTotal = { ...noTokens, hasTools: false };
  #total: Tokens | null = null;
  #usage: Usage | null = null;
  #isCompleted = false;

  constructor(seat: AgentSeat, { clock }: AdapterContext) {
    this.#seat = seat;
    this.#complaints = new Complaints(clock);
    this.#items = new CodexItems(seat.workdir);
  }

  read(line: string): readonly AgentEvent[] | null {
    const said = objectIn(line);
    const events = said === null ? null : this.#take(said);
    if (events !== null) this.#understood += 1;
    return events;
  }

  hear(line: string): readonly AgentEvent[] {
    return this.#complaints.hear(line);
  }

  end(exit: number | null, errors: string): AgentOutcome {
    const thread = this.#thread;
    const { hasTools } = this.#before;
    if (thread !== null) writeThreadTotal(this.#seat, thread, { ...(this.#total ?? this.#before), hasTools });
    const about = { exit, errors, isCompleted: this.#isCompleted, understood: this.#understood };
    const fault = this.#complaints.fault(about);
    const open = fault === null && this.#isCompleted ? openQuestion(this.#items.finalText) : null;
    return {
      session: thread === null || fault?.code === 'session_gone' ? null : printSession(identity.kind, thread),
      program: programOf(this.#seat),
      usage: this.#usage,
      fault,
      asks: open === null ? [] : [{ kind: 'question', ...open, permission: null }],
      warnings: [],
    };
  }

  #take(said: Json): readonly AgentEvent[] | null {
    switch (textAt(said, 'type')) {
      case 'thread.started':
        return this.#start(textAt(said, 'thread_id'));
      case 'turn.started':
        return [];
      case 'turn.completed':
        this.#isCompleted = true;
        this.#complaints.forget();
        return [{ type: 'completed' }, ...this.#count(objectAt(said, 'usage'))];
      case 'turn.failed':
        return this.#complaints.error(textAt(objectAt(said, 'error'), 'message') ?? 'the turn failed', false);
      case 'error': {
        const message = textAt(said, 'message') ?? '';
        return this.#complaints.error(message, /^Reconnecting/i.test(message));
      }
      case 'item.started':
      case 'item.updated':
      case 'item.completed':
        return this.#item(objectAt(said, 'item'), textAt(said, 'type') === 'item.completed');
      default:
        return null;
    }
  }

  #start(id: string | null): readonly AgentEvent[] | null {
    if (id === null || !/^[\w-]{1,100}$/.test(id)) return null;
    this.#thread = id;
    if (this.#seat.resume !== null) this.#before = readThreadTotal(this.#seat, id);
    return [{ type: 'started', session: printSession(identity.kind, id), program: programOf(this.#seat) }];
  }

  #item(item: Json | null, isDone: boolean): readonly AgentEvent[] | null {
    const events = this.#items.take(item, isDone);
    if (events !== null) this.#complaints.worked();
    return events;
  }

  /** Codex counts the whole thread: subtract the total before the resume. */
  #count(usage: Json | null): readonly AgentEvent[] {
    if (usage === null) return [];
    const input = numberAt(usage, 'input_tokens') ?? 0;
    const cached = Math.min(input, numberAt(usage, 'cached_input_tokens') ?? 0);
    const total = { fresh: input - cached, cached, output: numberAt(usage, 'output_tokens') ?? 0 };
    this.#total = total;
    this.#usage = usageOf(minus(total, believed(this.#before, total)), null, this.#seat.executor.prices);
    return [{ type: 'usage', ...this.#usage }];
  }
}
