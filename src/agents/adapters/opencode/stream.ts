// Parses OpenCode's JSON lines into events and an outcome.

import type { Ask } from '../../../engine/index.js';
import type { Fault } from '../../processes/run-process.js';
import type { AdapterContext, AgentEvent, AgentOutcome, AgentReader, AgentSeat, Usage } from '../port.js';
import { actionWords, fewWords } from '../shared/action-words.js';
import { permissionAskOf } from '../shared/denials.js';
import { causeOf, cutShort, failed, isSessionGone, startFault } from '../shared/faults.js';
import { type Json, numberAt, objectAt, objectIn, textAt } from '../shared/foreign-json.js';
import { openQuestion } from '../shared/open-question.js';
import { printSession } from '../shared/seat.js';
import { noTokens, plus, usageOf } from '../shared/usage.js';
import { identity } from './identity.js';

const maxFinalChars = 64 * 1024;
const maxAsks = 20;
/** OpenCode retries forever, with growing delays. */
const maxTries = 4;

export function opencodeReader(seat: AgentSeat, around: AdapterContext): AgentReader {
  return new OpencodeReader(seat, around);
}

class OpencodeReader implements AgentReader {
  readonly #seat: AgentSeat;
  readonly #around: AdapterContext;
  readonly #asks: Ask[] = [];
  readonly #warnings: string[] = [];
  #understood = 0;
  #session: string | null = null;
  #finalText = '';
  #tokens = noTokens;
  #costUsd = 0;
  #usage: Usage | null = null;
  #isCompleted = false;
  #wasRefused = false;
  #tries = 0;
  #complaint: { readonly text: string; readonly status: number | null } | null = null;

  constructor(seat: AgentSeat, around: AdapterContext) {
    this.#seat = seat;
    this.#around = around;
  }

  read(line: string): readonly AgentEvent[] | null {
    const said = objectIn(line);
    const events = said === null ? null : this.#take(said);
    if (said === null || events === null) return null;
    this.#understood += 1;
    return [...this.#start(textAt(said, 'sessionID')), ...events];
  }

  hear(line: string): readonly AgentEvent[] {
    if (!line.includes('message="stream error"') || line.includes('small=true')) return [];
    const text = /error\.error="(.*?)"?$/.exec(line)?.[1] ?? 'stream error';
    this.#tries += 1;
    const wait: AgentEvent = { type: 'action', text: fewWords(`waits to try again: ${text}`) };
    if (this.#tries < maxTries) return [wait];
    return [{ type: 'stuck', fault: this.#cause(text, null) }];
  }

  end(exit: number | null, errors: string): AgentOutcome {
    const fault = this.#faultOf(exit, errors);
    const open = fault === null && this.#isCompleted ? openQuestion(this.#finalText) : null;
    const question: readonly Ask[] = open === null ? [] : [{ kind: 'question', ...open, permission: null }];
    return {
      finalText: this.#finalText,
      session: this.#session === null ? null : printSession(identity.kind, this.#session),
      program: this.#program(),
      usage: this.#usage,
      fault,
      asks: [...this.#asks, ...question],
      warnings: this.#warnings,
    };
  }

  #faultOf(exit: number | null, errors: string): Fault | null {
    if (this.#complaint !== null) return this.#cause(this.#complaint.text, this.#complaint.status);
    if (this.#isCompleted) return null;
    // After a rejected permission it stops mid-work with exit 0; a person must decide.
    if (exit === 0 && this.#wasRefused) return null;
    if (exit === 0) return cutShort('opencode', this.#understood);
    if (isSessionGone(errors)) return startFault('opencode', 'session not found');
    return startFault('opencode', errors) ?? causeOf(identity, { text: errors, status: null }, this.#around.clock());
  }

  #cause(text: string, status: number | null): Fault {
    return causeOf(identity, { text, status }, this.#around.clock()) ?? failed('opencode', text);
  }

  #program(): string {
    const { model } = this.#seat.executor;
    return fewWords(model === null ? 'opencode' : `opencode ${model}`);
  }

  #start(id: string | null): readonly AgentEvent[] {
    if (this.#session !== null || id === null || !/^[\w-]{1,100}$/.test(id)) return [];
    this.#session = id;
    return [{ type: 'started', session: printSession(identity.kind, id), program: this.#program() }];
  }

  #take(said: Json): readonly AgentEvent[] | null {
    const part = objectAt(said, 'part');
    switch (textAt(said, 'type')) {
      case 'step_start':
        this.#isCompleted = false;
        this.#tries = 0;
        return [];
      case 'text':
        return this.#text(textAt(part, 'text'));
      case 'reasoning':
        return [{ type: 'note', text: `[thinks] ${fewWords(textAt(part, 'text') ?? '', 300)}` }];
      case 'tool_use':
        return part === null ? null : this.#tool(part);
      case 'step_finish':
        return part === null ? null : this.#finish(part);
      case 'error':
        return this.#error(objectAt(said, 'error'));
      default:
        return null;
    }
  }

  #text(text: string | null): readonly AgentEvent[] | null {
    if (text === null) return null;
    this.#finalText = text.slice(-maxFinalChars);
    return [{ type: 'text', text }];
  }

  #tool(part: Json): readonly AgentEvent[] | null {
    const tool = textAt(part, 'tool');
    const state = objectAt(part, 'state');
    if (tool === null) return null;
    const input = objectAt(state, 'input');
    const action: AgentEvent = { type: 'action', text: actionWords(tool, input, this.#seat.workdir) };
    if (textAt(state, 'status') !== 'error') return [action];
    const error = textAt(state, 'error') ?? '';
    this.#noteRefusal(tool, input ?? {}, error);
    return [action, { type: 'note', text: `[tool] failed: ${fewWords(error, 200)}` }];
  }

  /** OpenCode continues after a "deny" rule, but ends after a rejected "ask". */
  #noteRefusal(tool: string, input: Json, error: string): void {
    if (/rejected permission/i.test(error)) {
      this.#wasRefused = true;
      if (this.#asks.length < maxAsks) this.#asks.push(permissionAskOf(tool, input));
    } else if (/rule which prevents/i.test(error) && this.#warnings.length < maxAsks) {
      this.#warnings.push(`this step may not use ${actionWords(tool, input, this.#seat.workdir)}`);
    }
  }

  #finish(part: Json): readonly AgentEvent[] {
    const tokens = objectAt(part, 'tokens');
    const cache = objectAt(tokens, 'cache');
    const count = (from: Json | null, key: string): number => numberAt(from, key) ?? 0;
    this.#tokens = plus(this.#tokens, {
      fresh: count(tokens, 'input') + count(cache, 'write'),
      cached: count(cache, 'read'),
      output: count(tokens, 'output') + count(tokens, 'reasoning'),
    });
    this.#costUsd += numberAt(part, 'cost') ?? 0;
    // OpenCode reports a cost of 0 for a model whose price it does not know.
    const told = this.#costUsd > 0 ? this.#costUsd : null;
    this.#usage = usageOf(this.#tokens, told, this.#seat.executor.prices);
    const usage: AgentEvent = { type: 'usage', ...this.#usage };
    this.#isCompleted = textAt(part, 'reason') === 'stop';
    // It recovered from the earlier error.
    if (this.#isCompleted) this.#complaint = null;
    return this.#isCompleted ? [{ type: 'completed' }, usage] : [usage];
  }

  #error(error: Json | null): readonly AgentEvent[] {
    const data = objectAt(error, 'data');
    const message = textAt(data, 'message') ?? '';
    const text = `${textAt(error, 'name') ?? 'error'}: ${message}`;
    this.#complaint = { text, status: numberAt(data, 'statusCode') };
    return [{ type: 'note', text: `[error] ${fewWords(text, 300)}` }];
  }
}
