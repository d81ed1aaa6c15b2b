// What the wires have in common: a body that is read with care, and answers that go out piece by piece.
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Talk, Use, Words } from './talk.js';

/** How one provider speaks. `Body` is what its requests hold. */
export interface Wire {
  readonly path: string;
  read(body: unknown): Talk;
  /** What an error looks like. */
  error(status: number, message: string): unknown;
  /** Says it with events, up to the end of the answer. */
  reply(out: Events, move: Words | Use, about: About): Promise<void>;
}

/** What each answer is said to have taken; `input` includes `cached`. */
export interface TokensOfCall {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

export interface About {
  readonly model: string;
  readonly tools: readonly string[];
  /** Another one for each answer. */
  readonly id: string;
  readonly tokens: TokensOfCall;
}

/** Server-sent events on an answer that may be given up by the other side at any time. */
export class Events {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get isOver(): boolean {
    return this.#response.destroyed || this.#response.writableEnded;
  }

  send(data: unknown, name: string | null = null): void {
    if (this.isOver) return;
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    this.#response.write(`${name === null ? '' : `event: ${name}\n`}data: ${text}\n\n`);
  }
}

/** Hands out a text in words, as a model says it. */
export async function inWords(out: Events, move: Words, give: (word: string) => void) {
  const pauseMs = move.do === 'crawl' ? move.everyMs : 0;
  for (const word of move.text.split(/(?<= )/)) {
    if (out.isOver) return;
    give(word);
    if (pauseMs > 0) await sleep(pauseMs);
  }
}

/** The name that is offered for a tool. */
export function toolNamed({ tools }: About, names: readonly string[]): string {
  const found = names.flatMap((name) => tools.find((one) => one === name || one.endsWith(`_${name}`)) ?? []);
  return found[0] ?? names[0] ?? '';
}

/** Pieces of a text, as arguments of a tool arrive. */
export function pieces(text: string, chars = 24): readonly string[] {
  return text.match(new RegExp(`[\\s\\S]{1,${chars}}`, 'g')) ?? [];
}

/** Text, or blocks of which some hold text. */
export const content = z
  .union([z.string(), z.array(z.looseObject({ type: z.string().optional(), text: z.string().optional() })), z.null()])
  .transform((said) => (typeof said === 'string' ? said : (said ?? []).map(({ text }) => text ?? '').join('\n')));

/** The newest message of a person's that tells a step, and what came after it; else the newest at all. */
export function newestPrompt<One>(all: readonly One[], textOf: (one: One) => string | null) {
  const texts = all.map(textOf);
  const isTold = (text: string | null) => text?.includes('You are executing step ') ?? false;
  const told = texts.findLastIndex(isTold);
  const at = told === -1 ? texts.findLastIndex((text) => text !== null && text !== '') : told;
  const before = texts.slice(0, Math.max(at, 0)).flatMap((text) => (text !== null && isTold(text) ? [text] : []));
  return { prompt: texts[at] ?? '', before, since: all.slice(at + 1) };
}
