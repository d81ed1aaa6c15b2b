import type { Ask } from '../../../engine/index.js';
import type { Fault } from '../../processes/run-process.js';
import type { AdapterContext, AgentEvent, AgentOutcome, AgentReader, AgentSeat } from '../port.js';
import { actionWords } from '../shared/action-words.js';
import { permissionAskOf } from '../shared/denials.js';
import { cutShort, isSessionGone, startFault } from '../shared/faults.js';
import { type Json, objectAt, objectIn, textAt } from '../shared/foreign-json.js';
import { openQuestion } from '../shared/open-question.js';
import { OpencodeTurn, printedBy, thinks, toolFailed } from './turn.js';

const maxAsks = 20;

export function opencodeReader(seat: AgentSeat, around: AdapterContext): AgentReader {
  return new OpencodeReader(seat, around);
}

class OpencodeReader implements AgentReader {
  readonly #workdir: string;
  readonly #turn: OpencodeTurn;
  readonly #asks: Ask[] = [];
  readonly #warnings: string[] = [];
  #understood = 0;
  #wasRefused = false;

  constructor(seat: AgentSeat, around: AdapterContext) {
    this.#workdir = seat.workdir;
    this.#turn = new OpencodeTurn(seat, around);
  }

  read(line: string): readonly AgentEvent[] | null {
    const said = objectIn(line);
    const events = said === null ? null : this.#take(said);
    if (said === null || events === null) return null;
    this.#understood += 1;
    return [...this.#turn.start(textAt(said, 'sessionID')), ...events];
  }

  hear(line: string): readonly AgentEvent[] {
    if (!line.includes('message="stream error"') || line.includes('small=true')) return [];
    return this.#turn.retry(/error\.error="(.*?)"?$/.exec(line)?.[1] ?? 'stream error');
  }

  end(exit: number | null, errors: string): AgentOutcome {
    const { finalText, session, program, usage, isCompleted } = this.#turn;
    const fault = this.#faultOf(exit, errors);
    const open = fault === null && isCompleted ? openQuestion(finalText) : null;
    const question: readonly Ask[] = open === null ? [] : [{ kind: 'question', ...open, permission: null }];
    const asks = [...this.#asks, ...question];
    return { session, program, usage, fault, asks, warnings: this.#warnings };
  }

  #faultOf(exit: number | null, errors: string): Fault | null {
    const { fault, isCompleted } = this.#turn;
    if (fault !== null) return fault;
    if (isCompleted) return null;
    // After a rejected permission it stops mid-work with exit 0; a person must decide.
    if (exit === 0 && this.#wasRefused) return null;
    if (exit === 0) return cutShort('opencode', this.#understood);
    if (isSessionGone(errors)) return startFault('opencode', 'session not found');
    return startFault('opencode', errors) ?? this.#turn.causeIn(errors);
  }

  #take(said: Json): readonly AgentEvent[] | null {
    const part = objectAt(said, 'part');
    switch (textAt(said, 'type')) {
      case 'step_start':
        this.#turn.beginStep();
        return [];
      case 'text': {
        const text = textAt(part, 'text');
        return text === null ? null : this.#turn.text(text);
      }
      case 'reasoning':
        return [thinks(part)];
      case 'tool_use':
        return part === null ? null : this.#tool(part);
      case 'step_finish':
        return part === null ? null : this.#turn.finishStep(part, false);
      case 'error':
        return this.#turn.error(objectAt(said, 'error'));
      default:
        return null;
    }
  }

  #tool(part: Json): readonly AgentEvent[] | null {
    const tool = textAt(part, 'tool');
    const state = objectAt(part, 'state');
    if (tool === null) return null;
    const input = objectAt(state, 'input');
    const action = this.#turn.action(tool, input);
    if (textAt(state, 'status') !== 'error') return [action, ...printedBy(tool, state)];
    const error = textAt(state, 'error') ?? '';
    this.#noteRefusal(tool, input ?? {}, error);
    return [action, toolFailed(error)];
  }

  /** It continues after "deny", but ends after a rejected "ask". */
  #noteRefusal(tool: string, input: Json, error: string): void {
    if (/rejected permission/i.test(error)) {
      this.#wasRefused = true;
      if (this.#asks.length < maxAsks) this.#asks.push(permissionAskOf(tool, input));
    } else if (/rule which prevents/i.test(error) && this.#warnings.length < maxAsks) {
      this.#warnings.push(`this step may not use ${actionWords(tool, input, this.#workdir)}`);
    }
  }
}
