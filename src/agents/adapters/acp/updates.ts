import type { AgentConfig } from '../../../jobs/index.js';
import type { AgentEvent, Usage } from '../port.js';
import { fewWords } from '../shared/action-words.js';
import { type Json, numberAt, objectAt, objectOf, objectsAt, textAt, valueAt } from '../shared/foreign-json.js';
import { type Tokens, usageOf } from '../shared/usage.js';
import { type ToolCalls, textOf } from './tool-calls.js';

const maxTextChars = 256 * 1024;
const maxFinalChars = 64 * 1024;

export class Updates {
  readonly #calls: ToolCalls;
  readonly #prices: AgentConfig['prices'];
  #message = '';
  #messageId: string | null = null;
  #costUsd: number | null = null;
  /** The session's cost before this attempt. */
  #costBefore = 0;
  #tokens: Tokens | null = null;
  finalText = '';

  constructor(calls: ToolCalls, prices: AgentConfig['prices']) {
    this.#calls = calls;
    this.#prices = prices;
  }

  get usage(): Usage | null {
    if (this.#costUsd === null && this.#tokens === null) return null;
    return usageOf(this.#tokens ?? { fresh: 0, cached: 0, output: 0 }, this.#costUsd, this.#prices);
  }

  /** A loaded session replays its past. */
  replay(update: Json | null): void {
    this.#costBefore = costIn(update) ?? this.#costBefore;
  }

  take(update: Json | null): readonly AgentEvent[] {
    if (update === null) return [];
    const kind = textAt(update, 'sessionUpdate');
    if (kind === 'agent_message_chunk') return this.#say(update);
    const said = kind === 'usage_update' ? [] : this.flush();
    switch (kind) {
      case 'tool_call':
      case 'tool_call_update':
        return [...said, ...this.#calls.events(update)];
      case 'plan':
        return [...said, { type: 'note', text: `[plan] ${planOf(update)}` }];
      case 'notice':
        return [...said, { type: 'note', text: `[notice] ${fewWords(textAt(update, 'message') ?? '', 300)}` }];
      case 'usage_update':
        return this.#count(update);
      default:
        return said;
    }
  }

  /** No mark ends a message. */
  flush(): readonly AgentEvent[] {
    const text = this.#message.trim();
    this.#message = '';
    if (text === '') return [];
    this.finalText = text.slice(-maxFinalChars);
    return [{ type: 'text', text }];
  }

  /** `usage` is not stable in the protocol. */
  turnOver(result: unknown): readonly AgentEvent[] {
    const told = objectAt(objectOf(result), 'usage');
    const [input, output] = [numberAt(told, 'inputTokens'), numberAt(told, 'outputTokens')];
    if (input === null || output === null) return this.flush();
    const cached = numberAt(told, 'cachedReadTokens') ?? 0;
    const before = this.#tokens ?? { fresh: 0, cached: 0, output: 0 };
    this.#tokens = {
      fresh: before.fresh + input + (numberAt(told, 'cachedWriteTokens') ?? 0),
      cached: before.cached + cached,
      output: before.output + output + (numberAt(told, 'thoughtTokens') ?? 0),
    };
    return [...this.flush(), ...this.#told()];
  }

  #say(update: Json): readonly AgentEvent[] {
    const id = textAt(update, 'messageId');
    const before = id !== null && this.#messageId !== null && id !== this.#messageId ? this.flush() : [];
    this.#messageId = id;
    const text = textOf(valueAt(update, 'content'));
    if (this.#message.length < maxTextChars) this.#message += text.slice(0, maxTextChars);
    return before;
  }

  #count(update: Json): readonly AgentEvent[] {
    const sum = costIn(update);
    if (sum === null) return [];
    // A loaded session may count from zero again.
    this.#costUsd = sum >= this.#costBefore ? sum - this.#costBefore : sum;
    return this.#told();
  }

  #told(): readonly AgentEvent[] {
    return this.usage === null ? [] : [{ type: 'usage', ...this.usage }];
  }
}

/** Cumulative for the session. */
function costIn(update: Json | null): number | null {
  const cost = objectAt(update, 'cost');
  return textAt(cost, 'currency')?.toUpperCase() === 'USD' ? numberAt(cost, 'amount') : null;
}

function planOf(update: Json): string {
  const entries = objectsAt(update, 'entries').map(
    (one) => `${textAt(one, 'status') === 'completed' ? '✓' : '·'} ${textAt(one, 'content') ?? ''}`,
  );
  return fewWords(entries.join(' '), 600);
}
