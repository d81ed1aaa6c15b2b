import type { Ask } from '../../../engine/index.js';
import type { AdapterContext, AgentEvent, AgentOutcome, AgentReader, AgentSeat, Usage } from '../port.js';
import { actionWords, fewWords } from '../shared/action-words.js';
import { commandOutput } from '../shared/command-output.js';
import { denialsIn } from '../shared/denials.js';
import { failed, untilSeconds } from '../shared/faults.js';
import { type Json, numberAt, objectAt, objectIn, objectsAt, textAt, valueAt } from '../shared/foreign-json.js';
import { openQuestion } from '../shared/open-question.js';
import { freshSessionId, printSession, resumedSession } from '../shared/seat.js';
import { noTokens, plus, type Tokens, usageOf } from '../shared/usage.js';
import { claudeFault } from './faults.js';
import { identity } from './identity.js';

const maxFinalChars = 64 * 1024;
const maxMessages = 1000;
/** Claude would wait longer; the queue waits more cheaply. */
const maxRetryWaitMs = 180_000;

/** `asked`: refusals that Bosun knows already. */
export function claudeReader(
  seat: AgentSeat,
  context: AdapterContext,
  asked: ReadonlySet<string> = new Set(),
): AgentReader {
  return new ClaudeReader(seat, context, asked);
}

class ClaudeReader implements AgentReader {
  readonly #seat: AgentSeat;
  readonly #context: AdapterContext;
  readonly #asked: ReadonlySet<string>;
  readonly #messages = new Map<string, Tokens>();
  /** Shell calls whose output is still to come. */
  readonly #commands = new Set<string>();
  #tokens = noTokens;
  #understood = 0;
  #session: string | null = null;
  #program: string | null = null;
  #finalText = '';
  /** Its last message calls no tool. */
  #isAnswered = false;
  #usage: Usage | null = null;
  #result: Json | null = null;
  #complaint: { readonly word: string | null; readonly waitMs: number | null } = { word: null, waitMs: null };

  constructor(seat: AgentSeat, context: AdapterContext, asked: ReadonlySet<string>) {
    this.#seat = seat;
    this.#context = context;
    this.#asked = asked;
  }

  read(line: string): readonly AgentEvent[] | null {
    const said = objectIn(line);
    const events = said === null ? null : this.#take(said);
    if (events !== null) this.#understood += 1;
    return events;
  }

  hear(): readonly AgentEvent[] {
    return [];
  }

  end(exit: number | null, errors: string): AgentOutcome {
    const result = this.#result;
    const now = this.#context.clock();
    const isAnswered = this.#isAnswered;
    const about = { exit, errors, understood: this.#understood, result, now, isAnswered, ...this.#complaint };
    const fault = claudeFault(about);
    const refused = objectsAt(result, 'permission_denials');
    const unknown = refused.filter((one) => !this.#asked.has(textAt(one, 'tool_use_id') ?? ''));
    const { asks, warnings } = denialsIn(unknown, this.#seat.access);
    const open = fault === null && result !== null ? openQuestion(this.#finalText) : null;
    const question: readonly Ask[] = open === null ? [] : [{ kind: 'question', ...open, permission: null }];
    return {
      session: this.#sessionAfter(fault?.code ?? null),
      program: this.#program,
      usage: this.#usage,
      fault,
      asks: [...asks, ...question],
      warnings,
      ...(fault === null && textAt(result, 'subtype') === 'error_max_budget_usd' && { exit: 0 }),
    };
  }

  /** A killed process may not print its session id. Bosun chose that of a fresh session. */
  #sessionAfter(code: string | null): string | null {
    if (code === 'session_gone' || code === 'session_in_use' || this.#understood === 0) return null;
    const id = this.#session ?? resumedSession(this.#seat) ?? freshSessionId(this.#seat);
    return printSession(identity.kind, id);
  }

  #take(said: Json): readonly AgentEvent[] | null {
    switch (textAt(said, 'type')) {
      case 'system':
        return this.#system(said);
      case 'assistant':
        return this.#assistant(said);
      case 'user':
        return this.#toolResults(said);
      case 'result':
        return this.#takeResult(said);
      case 'rate_limit_event':
        return this.#rateLimit(objectAt(said, 'rate_limit_info'));
      case 'stream_event':
      case 'tool_progress':
      case 'keep_alive':
        return [];
      default:
        return null;
    }
  }

  #system(said: Json): readonly AgentEvent[] {
    if (textAt(said, 'subtype') === 'api_retry') return this.#retry(said);
    if (textAt(said, 'subtype') !== 'init') return [];
    const id = textAt(said, 'session_id');
    if (id !== null && /^[\w-]{1,100}$/.test(id)) this.#session = id;
    const words = ['claude', textAt(said, 'claude_code_version'), textAt(said, 'model')];
    this.#program = fewWords(words.filter((word) => word !== null).join(' '));
    return [
      { type: 'started', session: this.#session && printSession(identity.kind, this.#session), program: this.#program },
    ];
  }

  #retry(said: Json): readonly AgentEvent[] {
    const waitMs = numberAt(said, 'retry_delay_ms');
    const word = textAt(said, 'error');
    this.#complaint = { word, waitMs: waitMs === null ? null : Math.ceil(waitMs) };
    const status = numberAt(said, 'error_status');
    const about = `${word ?? 'an error'}${status === null ? '' : ` (${status})`}`;
    const action: AgentEvent = { type: 'action', text: fewWords(`waits to try again: ${about}`) };
    if (waitMs === null || waitMs <= maxRetryWaitMs) return [action];
    return [action, { type: 'stuck', fault: this.#rateFault(waitMs, about) }];
  }

  #rateFault(waitMs: number, about: string) {
    return { ...failed('claude', about), code: 'rate_limited', remedy: 'wait', waitMs: Math.ceil(waitMs) } as const;
  }

  #rateLimit(info: Json | null): readonly AgentEvent[] {
    const at = numberAt(info, 'resetsAt');
    if (textAt(info, 'status') !== 'rejected' || at === null) return [];
    this.#complaint = { word: 'rate_limit', waitMs: untilSeconds(at, this.#context.clock()) };
    return [{ type: 'note', text: 'its account is at its usage limit' }];
  }

  #assistant(said: Json): readonly AgentEvent[] | null {
    const message = objectAt(said, 'message');
    if (message === null) return null;
    const error = textAt(said, 'error');
    if (error !== null) this.#complaint = { ...this.#complaint, word: error };
    // Synthetic text or a subagent's is not the agent's answer.
    const isOwn = error === null && textAt(message, 'model') !== '<synthetic>';
    const isHelper = typeof valueAt(said, 'parent_tool_use_id') === 'string';
    const blocks = objectsAt(message, 'content');
    if (isOwn && !isHelper) this.#isAnswered = blocks.every((block) => textAt(block, 'type') !== 'tool_use');
    const events = blocks.flatMap((block) => this.#block(block, isOwn && !isHelper));
    return isOwn ? [...events, ...this.#count(message)] : events;
  }

  #block(block: Json, isSaid: boolean): readonly AgentEvent[] {
    const text = textAt(block, 'text');
    if (textAt(block, 'type') === 'text' && text !== null) {
      if (!isSaid) return [{ type: 'note', text }];
      this.#finalText = text.slice(-maxFinalChars);
      return [{ type: 'text', text }];
    }
    const tool = textAt(block, 'name');
    if (textAt(block, 'type') !== 'tool_use' || tool === null) return [];
    const input = objectAt(block, 'input');
    const id = textAt(block, 'id');
    if (id !== null && tool === 'Bash' && this.#commands.size < maxMessages) this.#commands.add(id);
    return [{ type: 'action', text: actionWords(tool, input, this.#seat.workdir) }, ...questionsIn(tool, input)];
  }

  #toolResults(said: Json): readonly AgentEvent[] {
    return objectsAt(objectAt(said, 'message'), 'content').flatMap((one): readonly AgentEvent[] => {
      const text = resultText(one);
      const printed = this.#commands.delete(textAt(one, 'tool_use_id') ?? '') ? commandOutput(text, null) : [];
      if (valueAt(one, 'is_error') !== true) return printed;
      return [...printed, { type: 'note', text: `[tool] failed: ${fewWords(text, 200)}` }];
    });
  }

  /** Each content block repeats the whole message's usage: replace, do not add. */
  #count(message: Json): readonly AgentEvent[] {
    const id = textAt(message, 'id');
    const usage = objectAt(message, 'usage');
    if (id === null || usage === null) return [];
    const before = this.#messages.get(id) ?? noTokens;
    const now = tokensIn(usage);
    const first = this.#messages.keys().next().value;
    if (this.#messages.size >= maxMessages && first !== undefined) this.#messages.delete(first);
    this.#messages.set(id, now);
    const less = { fresh: -before.fresh, cached: -before.cached, output: -before.output };
    this.#tokens = plus(plus(this.#tokens, now), less);
    return this.#spend(usageOf(this.#tokens, null, this.#seat.executor.prices));
  }

  #takeResult(said: Json): readonly AgentEvent[] {
    this.#result = said;
    const text = textAt(said, 'result');
    const isSaid = text !== null && text !== '' && this.#finalText === '' && valueAt(said, 'is_error') === false;
    if (isSaid) this.#finalText = text.slice(-maxFinalChars);
    const spoken: readonly AgentEvent[] = isSaid ? [{ type: 'text', text }] : [];
    return [...spoken, { type: 'completed' }, ...this.#spend(this.#sumIn(said))];
  }

  /** Sums per model include subagents and usage before a stop. */
  #sumIn(said: Json): Usage {
    const models = Object.values(objectAt(said, 'modelUsage') ?? {}).flatMap((one) =>
      typeof one === 'object' && one !== null && !Array.isArray(one) ? [{ ...one }] : [],
    );
    const sum = models.map(modelTokens).reduce(plus, noTokens);
    const own = tokensIn(objectAt(said, 'usage'));
    const tokens = [sum, own].find(isAny) ?? this.#tokens;
    return usageOf(tokens, numberAt(said, 'total_cost_usd'), this.#seat.executor.prices);
  }

  #spend(usage: Usage): readonly AgentEvent[] {
    this.#usage = usage;
    return [{ type: 'usage', ...usage }];
  }
}

function isAny({ fresh, cached, output }: Tokens): boolean {
  return fresh + cached + output > 0;
}

function tokensIn(usage: Json | null): Tokens {
  return {
    fresh: (numberAt(usage, 'input_tokens') ?? 0) + (numberAt(usage, 'cache_creation_input_tokens') ?? 0),
    cached: numberAt(usage, 'cache_read_input_tokens') ?? 0,
    output: numberAt(usage, 'output_tokens') ?? 0,
  };
}

function modelTokens(usage: Json): Tokens {
  return {
    fresh: (numberAt(usage, 'inputTokens') ?? 0) + (numberAt(usage, 'cacheCreationInputTokens') ?? 0),
    cached: numberAt(usage, 'cacheReadInputTokens') ?? 0,
    output: numberAt(usage, 'outputTokens') ?? 0,
  };
}

function resultText(result: Json): string {
  const blocks = objectsAt(result, 'content').flatMap((block) => textAt(block, 'text') ?? []);
  return textAt(result, 'content') ?? blocks.join('\n');
}

function questionsIn(tool: string, input: Json | null): readonly AgentEvent[] {
  if (tool !== 'AskUserQuestion') return [];
  return objectsAt(input, 'questions').map((one) => ({
    type: 'question',
    text: textAt(one, 'question') ?? '',
    options: objectsAt(one, 'options').flatMap((option) => textAt(option, 'label') ?? []),
  }));
}
