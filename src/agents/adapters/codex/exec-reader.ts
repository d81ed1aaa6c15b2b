// Parses Codex's JSON lines into events and an outcome, and stores token totals per thread.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeOwnFile } from '../../../base/index.js';
import { baseOf, fileName } from '../../processes/environment.js';
import type { Fault } from '../../processes/run-process.js';
import type { AdapterContext, AgentEvent, AgentOutcome, AgentReader, AgentSeat, Usage } from '../port.js';
import { actionWords, fewWords, within } from '../shared/action-words.js';
import { causeOf, cutShort, failed, isSessionGone, startFault } from '../shared/faults.js';
import { type Json, numberAt, objectAt, objectIn, objectsAt, textAt } from '../shared/foreign-json.js';
import { openQuestion } from '../shared/open-question.js';
import { printSession } from '../shared/seat.js';
import { noTokens, plus, type Tokens, usageOf } from '../shared/usage.js';
import { identity } from './identity.js';

const maxFinalChars = 64 * 1024;
const maxItems = 5000;
/** Without a network, Codex reconnects forever. */
const maxReconnects = 4;
const maxRetryWaitMs = 180_000;
/** `… retrying sampling request (1/5 in 899.9s)... … sampling_error=…` */
const retrying = /retrying sampling request \(\d+\/\d+ in (\d+(?:\.\d+)?)s\).*?sampling_error=(.*)$/;

export function codexReader(seat: AgentSeat, around: AdapterContext): AgentReader {
  return new CodexReader(seat, around);
}

class CodexReader implements AgentReader {
  readonly #seat: AgentSeat;
  readonly #around: AdapterContext;
  readonly #begun = new Set<string>();
  #understood = 0;
  #thread: string | null = null;
  #finalText = '';
  #before = noTokens;
  #tokens = noTokens;
  #usage: Usage | null = null;
  #isCompleted = false;
  #complaint: string | null = null;
  #reconnects = 0;

  constructor(seat: AgentSeat, around: AdapterContext) {
    this.#seat = seat;
    this.#around = around;
  }

  read(line: string): readonly AgentEvent[] | null {
    const said = objectIn(line);
    const events = said === null ? null : this.#take(said);
    if (events !== null) this.#understood += 1;
    return events;
  }

  /** Codex waits out a long retry delay silently, so stop it here. */
  hear(line: string): readonly AgentEvent[] {
    const [, seconds = '0', text = ''] = retrying.exec(line) ?? [];
    const waitMs = Math.ceil(Number(seconds) * 1000);
    if (waitMs <= maxRetryWaitMs) return [];
    const fault = causeOf(identity, { text, status: null, waitMs }, this.#around.clock()) ?? failed('codex', text);
    return [{ type: 'stuck', fault: { ...fault, remedy: 'wait', waitMs } }];
  }

  end(exit: number | null, errors: string): AgentOutcome {
    if (this.#thread !== null) writeThreadTotal(this.#seat, this.#thread, plus(this.#before, this.#tokens));
    const fault = this.#faultOf(exit, errors);
    const open = fault === null && this.#isCompleted ? openQuestion(this.#finalText) : null;
    return {
      finalText: this.#finalText,
      session:
        this.#thread === null || fault?.code === 'session_gone' ? null : printSession(identity.kind, this.#thread),
      program: this.#program(),
      usage: this.#usage,
      fault,
      asks: open === null ? [] : [{ kind: 'question', ...open, permission: null }],
      warnings: [],
    };
  }

  #faultOf(exit: number | null, errors: string): Fault | null {
    if (this.#isCompleted && this.#complaint === null) return null;
    const now = this.#around.clock();
    const text = this.#complaint;
    if (text !== null) {
      if (isSessionGone(text)) return startFault('codex', text);
      return causeOf(identity, { text, status: null }, now) ?? failed('codex', text);
    }
    if (exit === 0) return cutShort('codex', this.#understood);
    return startFault('codex', errors) ?? causeOf(identity, { text: errors, status: null }, now);
  }

  #program(): string {
    const { model } = this.#seat.executor;
    return fewWords(model === null ? 'codex' : `codex ${model}`);
  }

  #take(said: Json): readonly AgentEvent[] | null {
    switch (textAt(said, 'type')) {
      case 'thread.started':
        return this.#start(textAt(said, 'thread_id'));
      case 'turn.started':
        return [];
      case 'turn.completed':
        this.#isCompleted = true;
        this.#complaint = null;
        return [{ type: 'completed' }, ...this.#count(objectAt(said, 'usage'))];
      case 'turn.failed':
        this.#complaint = textAt(objectAt(said, 'error'), 'message') ?? 'the turn failed';
        return [{ type: 'note', text: `[error] ${fewWords(this.#complaint, 300)}` }];
      case 'error':
        return this.#error(textAt(said, 'message') ?? '');
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
    this.#before = this.#seat.resume === null ? noTokens : readThreadTotal(this.#seat, id);
    return [{ type: 'started', session: printSession(identity.kind, id), program: this.#program() }];
  }

  /** Codex recovers from some errors; the end of the turn decides whether one counts. */
  #error(message: string): readonly AgentEvent[] {
    const note: AgentEvent = { type: 'note', text: `[error] ${fewWords(message, 300)}` };
    if (!/^Reconnecting/i.test(message)) {
      this.#complaint = message;
      return [note];
    }
    this.#reconnects += 1;
    const wait: AgentEvent = { type: 'action', text: fewWords(`waits to try again: ${message}`) };
    if (this.#reconnects < maxReconnects || !/waiting for network/i.test(message)) return [note, wait];
    const fault = causeOf(identity, { text: message, status: null }, this.#around.clock()) ?? failed('codex', message);
    return [note, { type: 'stuck', fault }];
  }

  #item(item: Json | null, isDone: boolean): readonly AgentEvent[] | null {
    const type = textAt(item, 'type');
    if (item === null || type === null) return null;
    this.#reconnects = 0;
    const text = textAt(item, 'text') ?? textAt(item, 'message') ?? '';
    switch (type) {
      case 'agent_message':
        if (!isDone) return [];
        this.#finalText = text.slice(-maxFinalChars);
        return [{ type: 'text', text }];
      case 'reasoning':
        return isDone ? [{ type: 'note', text: `[thinks] ${fewWords(text, 300)}` }] : [];
      case 'error':
        return isDone ? [{ type: 'note', text: `[warning] ${fewWords(text, 300)}` }] : [];
      default:
        return this.#action(item, type);
    }
  }

  #action(item: Json, type: string): readonly AgentEvent[] {
    const id = textAt(item, 'id') ?? '';
    if (this.#begun.has(id)) return toolError(item);
    if (this.#begun.size < maxItems) this.#begun.add(id);
    return [...this.#wordsFor(item, type).map((text): AgentEvent => ({ type: 'action', text })), ...toolError(item)];
  }

  #wordsFor(item: Json, type: string): readonly string[] {
    const { workdir } = this.#seat;
    switch (type) {
      case 'command_execution':
        return [actionWords('Bash', { command: bareCommand(textAt(item, 'command') ?? '') }, workdir)];
      case 'file_change': {
        const paths = objectsAt(item, 'changes').flatMap((one) => textAt(one, 'path') ?? []);
        return paths.slice(0, 20).map((path) => fewWords(`Edit ${within(workdir, path)}`));
      }
      case 'mcp_tool_call': {
        const tool = `${textAt(item, 'server') ?? ''} ${textAt(item, 'tool') ?? ''}`;
        return [actionWords(tool, objectAt(item, 'arguments'), workdir)];
      }
      case 'todo_list':
        return [];
      default:
        return [actionWords(type.replaceAll('_', ' '), item, workdir)];
    }
  }

  /** Codex counts the whole thread, including usage before a resume, so subtract the earlier total. */
  #count(usage: Json | null): readonly AgentEvent[] {
    if (usage === null) return [];
    const input = numberAt(usage, 'input_tokens') ?? 0;
    const cached = Math.min(input, numberAt(usage, 'cached_input_tokens') ?? 0);
    this.#tokens = minus(
      { fresh: input - cached, cached, output: numberAt(usage, 'output_tokens') ?? 0 },
      this.#before,
    );
    this.#usage = usageOf(this.#tokens, null, this.#seat.executor.prices);
    return [{ type: 'usage', ...this.#usage }];
  }
}

function minus(one: Tokens, other: Tokens): Tokens {
  return {
    fresh: Math.max(0, one.fresh - other.fresh),
    cached: Math.max(0, one.cached - other.cached),
    output: Math.max(0, one.output - other.output),
  };
}

function toolError(item: Json): readonly AgentEvent[] {
  const message = textAt(objectAt(item, 'error'), 'message');
  return message === null ? [] : [{ type: 'note', text: `[tool] failed: ${fewWords(message, 200)}` }];
}

/** Codex reports each command wrapped in the shell call that runs it: unwrap it. */
function bareCommand(command: string): string {
  const found = /^\S*\b(?:ba|z|)sh -l?c (?:'(.*)'|"(.*)"|(.*))$/s.exec(command);
  const bare = found?.[1]?.replaceAll(`'"'"'`, "'").replaceAll(`'\\''`, "'") ?? found?.[2] ?? found?.[3];
  return bare ?? command;
}

// Reads a thread's token total at its last end. A resumed thread counts from its very beginning.
export function readThreadTotal(seat: AgentSeat, thread: string): Tokens {
  try {
    const kept = objectIn(readFileSync(pathOf(seat, thread), 'utf8'));
    const count = (key: string) => numberAt(kept, key) ?? 0;
    return { fresh: count('fresh'), cached: count('cached'), output: count('output') };
  } catch {
    // No total is stored: count everything. Too much is safer than too little.
    return noTokens;
  }
}

export function writeThreadTotal(seat: AgentSeat, thread: string, total: Tokens): void {
  const path = pathOf(seat, thread);
  try {
    writeOwnFile(baseOf(seat, path), path, JSON.stringify(total));
  } catch {
    // Best effort: without a stored total, the next resume counts the whole thread.
  }
}

function pathOf({ sharedDir }: AgentSeat, thread: string): string {
  return join(sharedDir, 'agents', `codex-${fileName(thread)}.json`);
}
