// Requests stay on disk. A topic created just before a crash is found again by its id.

import { backoffMs } from '../../../../base/index.js';
import { loadConfig, type ProjectConfig } from '../../../../config/index.js';
import { emptyPlan } from '../../../../dispatch/index.js';
import type { NewMessage, OpenChannelRequest } from '../../../../store/index.js';
import type { PostResult } from '../../../delivery/index.js';
import type { BotServices } from '../../../services.js';
import { view } from '../../../views/view.js';
import { whyOf } from '../client.js';
import { bindTopic, keptTopics } from './bound-topic.js';
import { isTopicGone, type TopicCalls, whyNoTopic } from './topic-calls.js';

export interface TopicsParts {
  readonly services: BotServices;
  readonly calls: TopicCalls;
  readonly log: (message: string) => void;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

const maxLost = 20;
const maxWaits = 50;
const firstBackOffMs = 1_000;
const maxPauseMs = 300_000;

type Step =
  | { readonly kind: 'done'; readonly says: readonly { readonly thread: string; readonly text: string }[] }
  | { readonly kind: 'later'; readonly ms: number }
  | { readonly kind: 'lost'; readonly mayHaveArrived: boolean; readonly why: string };

interface Tries {
  lost: number;
  waits: number;
  /** A lost call may have created one. */
  isDoubtful: boolean;
}

export class Topics {
  readonly #parts: TopicsParts;
  readonly #end = new AbortController();
  readonly #turns = new Map<string, Promise<void>>();

  constructor(parts: TopicsParts) {
    this.#parts = parts;
  }

  /** One at a time per group: a repeated request finds the first's topic. */
  make(want: OpenChannelRequest): void {
    const before = this.#turns.get(want.chat) ?? Promise.resolve();
    const turn = before
      .then(() => this.#make(want))
      .catch((error: unknown) => this.#parts.log(`telegram: no topic for ${want.project}: ${whyOf(error)}`))
      .finally(() => {
        if (this.#turns.get(want.chat) === turn) this.#turns.delete(want.chat);
      });
    this.#turns.set(want.chat, turn);
  }

  async close(): Promise<void> {
    this.#end.abort();
    await Promise.all(this.#turns.values());
  }

  async #make(want: OpenChannelRequest): Promise<void> {
    const tries: Tries = { lost: 0, waits: 0, isDoubtful: false };
    for (;;) {
      if (this.#end.signal.aborted) return;
      const step = await this.#step(want, tries);
      if (step.kind === 'done') return this.#finish(want, step.says);
      const waitMs = this.#waitFor(step, tries);
      if (this.#end.signal.aborted) return;
      if (waitMs === null) {
        const why = step.kind === 'lost' ? step.why : 'Telegram keeps telling Bosun to wait';
        return this.#finish(want, [
          { thread: want.thread, text: `I couldn't create the topic: ${why}. Try again later.` },
        ]);
      }
      await this.#parts.pause(waitMs, this.#end.signal);
    }
  }

  /** Null: give up. */
  #waitFor(step: Exclude<Step, { kind: 'done' }>, tries: Tries): number | null {
    if (step.kind === 'later') {
      tries.waits += 1;
      return tries.waits > maxWaits ? null : Math.min(maxPauseMs, step.ms);
    }
    tries.lost += 1;
    tries.isDoubtful ||= step.mayHaveArrived;
    return tries.lost > maxLost ? null : backoffMs(tries.lost, { firstMs: firstBackOffMs, mostMs: maxPauseMs });
  }

  async #step(want: OpenChannelRequest, tries: Tries): Promise<Step> {
    const { chat, project: name, thread } = want;
    const { services, calls } = this.#parts;
    const says = (text: string): Step => ({ kind: 'done', says: [{ thread, text }] });
    // `services` may lack the previous request's change.
    const project = loadConfig(services.home, process.env).projects.find((one) => one.name === name);
    if (project === undefined) return says(`The project ${name} no longer exists, so I created no topic.`);
    const bound = placeIn(project, chat);
    if (bound === 'whole') return says(`${name} already has its topic in this group.`);
    const kept = keptTopics(services.home);
    for (const topic of [bound, kept.of(chat, name)]) {
      if (topic === null) continue;
      const looked = await calls.look(chat, topic);
      if (looked.kind === 'unchanged' && topic === bound) return says(`${name} already has its topic in this group.`);
      if (looked.kind === 'unchanged') return this.#bound(want, topic, bound, tries);
      if (!isTopicGone(looked)) return unmade(looked, says);
      kept.forget(chat, name);
    }
    const made = await calls.create(chat, name);
    const topic = made.kind === 'posted' ? Number(made.ids[0]) : Number.NaN;
    if (!Number.isSafeInteger(topic)) return unmade(made, says);
    kept.keep(chat, name, topic);
    return this.#bound(want, topic, bound, tries);
  }

  #bound({ chat, project, thread }: OpenChannelRequest, topic: number, before: number | null, tries: Tries): Step {
    const { services } = this.#parts;
    bindTopic(services.home, project, { chat, topic, before });
    keptTopics(services.home).forget(chat, project);
    const doubt = tries.isDoubtful
      ? '\nOne of Telegram’s answers was lost. If there is a second, empty topic of that name, delete it.'
      : '';
    const hello = `This topic is about ${project} from now on.`;
    const told = `${project} has its own topic now.${doubt}`;
    return {
      kind: 'done',
      says: [
        { thread: `tg:${chat}:${topic}`, text: hello },
        { thread, text: told },
      ],
    };
  }

  async #finish({ n, project }: OpenChannelRequest, says: readonly { thread: string; text: string }[]): Promise<void> {
    const { services, log } = this.#parts;
    log(`telegram: topic for ${project}: ${says.map(({ text }) => text.split('\n')[0]).join(' ')}`);
    await services.runtime.submit((now) => ({
      ...emptyPlan,
      effects: [{ type: 'want_done', row: n }],
      messages: says.map(
        ({ thread, text }): NewMessage => ({
          ...{ thread, run: null, interaction: null, card: null, at: now.at },
          view: view('answer', text),
        }),
      ),
    }));
  }
}

/** `whole`: the group itself; null: not in this group. */
function placeIn({ chats }: ProjectConfig, chat: string): number | 'whole' | null {
  const here = chats.flatMap((one) => (one.channel === 'telegram' && String(one.chat) === chat ? [one.topic] : []));
  return here.includes(null) ? 'whole' : (here.at(-1) ?? null);
}

function unmade(posted: PostResult, says: (text: string) => Step): Step {
  if (posted.kind === 'wait') return { kind: 'later', ms: posted.ms };
  if (posted.kind === 'lost') return posted;
  return says(whyNoTopic(posted));
}
