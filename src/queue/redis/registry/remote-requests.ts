// Requests may repeat: one in flight is not started twice, and recent answers are cached.
import { BosunError } from '../../../base/index.js';
import type { QueueEvents } from '../../port.js';
import { type HomeMessage, maxCallChars, maxProblemChars, type WorkerMessage } from '../protocol/messages.js';
import { replyOf } from '../protocol/remote-line.js';

export type RemoteRequest = Extract<WorkerMessage, { type: 'fetch' | 'call' }>;

export interface RemoteRequestsOptions {
  readonly events: () => QueueEvents | null;
  readonly isRunBy: (id: string, session: string) => boolean;
  readonly say: (session: string, down: HomeMessage) => Promise<void>;
  readonly onRedisError: (error: unknown) => void;
}

const mostUnderWay = 1_000;
const mostKept = 200;

export class RemoteRequests {
  readonly #options: RemoteRequestsOptions;
  readonly #underWay = new Set<string>();
  readonly #answers = new Map<string, HomeMessage>();

  constructor(options: RemoteRequestsOptions) {
    this.#options = options;
  }

  async hear(errand: RemoteRequest, session: string): Promise<void> {
    const events = this.#options.events();
    if (events === null || !this.#options.isRunBy(errand.id, session)) return;
    const name = JSON.stringify([session, errand.id, errand.type === 'call' ? errand.call : null]);
    if (this.#underWay.has(name) || (!this.#answers.has(name) && this.#underWay.size >= mostUnderWay)) return;
    const answer = this.#answers.get(name) ?? (await this.#answer(name, errand, events));
    await this.#options.say(session, answer).catch(this.#options.onRedisError);
  }

  async #answer(name: string, errand: RemoteRequest, events: QueueEvents): Promise<HomeMessage> {
    this.#underWay.add(name);
    try {
      const answer = errand.type === 'fetch' ? await bundleFor(errand.id, events) : await replyTo(errand, events);
      this.#keep(name, answer);
      return answer;
    } finally {
      this.#underWay.delete(name);
    }
  }

  #keep(name: string, answer: HomeMessage): void {
    this.#answers.set(name, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > mostKept && oldest !== undefined) this.#answers.delete(oldest);
  }
}

async function bundleFor(id: string, events: QueueEvents): Promise<HomeMessage> {
  try {
    if (events.fetch === undefined) throw new Error('This Bosun sends no checkouts to other machines.');
    return { type: 'freight', id, freight: await events.fetch(id), problem: null };
  } catch (error) {
    return { type: 'freight', id, freight: null, problem: wordsOf(error).slice(0, maxProblemChars) };
  }
}

async function replyTo(
  { id, call, path, body }: Extract<RemoteRequest, { type: 'call' }>,
  events: QueueEvents,
): Promise<HomeMessage> {
  const reply = (await events.call?.(id, { path, body }).catch(() => null)) ?? failed;
  const { status, body: said } = reply.body.length > maxCallChars ? failed : reply;
  return { type: 'reply', id, call, status, body: said };
}

/** Security: the error may hold what an agent must not read. */
const failed = replyOf(500, 'Bosun could not answer this request');

function wordsOf(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  return error instanceof BosunError && error.hint !== null ? `${said}. ${error.hint}` : said;
}
