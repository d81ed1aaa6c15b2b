// The demo's conversation, held with a Bosun that is killed in the middle, as a patient person holds it: whoever gets no
// answer starts Bosun again, looks whether the words were heard, and says them once more only when they were not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Moment, Plan } from './plan.js';
import { type Service, startService } from './service.js';
import type { Stage } from './stage.js';
import { strayProcesses } from './stray.js';
import { ask, get, Listener } from './wire.js';

interface Turn {
  readonly text: string;
  /** The kind of card that it replies to. */
  readonly replyTo: 'review' | 'question' | null;
  /** Whether Bosun has heard it, as far as a person can see. */
  readonly isHeard: (seen: Seen) => boolean;
}

interface Seen {
  readonly status: z.infer<typeof statusSchema>;
  readonly texts: readonly string[];
}

const statusSchema = z.object({
  run: z.object({ status: z.string() }).nullable(),
  interactions: z.array(z.object({ kind: z.string() })),
});

const asks = (kind: string) => (seen: Seen) => !seen.status.interactions.some((one) => one.kind === kind);

const turns: readonly Turn[] = [
  { text: 'continue demo', replyTo: null, isHeard: ({ status }) => status.run?.status !== 'draft' },
  { text: '30 seconds, others OK', replyTo: 'review', isHeard: asks('review') },
  { text: 'yes, newest first', replyTo: 'question', isHeard: asks('question') },
  { text: 'status', replyTo: null, isHeard: () => false },
  {
    text: 'stop for today',
    replyTo: null,
    isHeard: ({ texts }) => texts.some((text) => text.startsWith('Done: US-001.')),
  },
];

const patienceMs = 60_000;
const maxTries = 12;

export interface Held {
  readonly kills: number;
  readonly restarts: number;
  readonly heard: Listener;
  readonly problems: readonly string[];
}

export interface Told {
  /** After each kill, while nobody is there. */
  readonly whenDead: () => Promise<readonly string[]>;
}

export async function hold(main: string, stage: Stage, plan: Plan, told: Told): Promise<Held> {
  const conversation = new Conversation(main, stage, told);
  const kills = plan.kills.map((moments) => [...moments]);
  try {
    await conversation.start(kills[0] ?? []);
    for (const [at, turn] of turns.entries()) await conversation.take(turn, kills[at + 1] ?? []);
    return await conversation.end();
  } finally {
    await conversation.service?.kill();
  }
}

class Conversation {
  service: Service | null = null;
  readonly #main: string;
  readonly #stage: Stage;
  readonly #told: Told;
  readonly #heard = new Listener();
  readonly #problems: string[] = [];
  #port = 0;
  #kills = 0;
  #starts = 0;

  constructor(main: string, stage: Stage, told: Told) {
    this.#main = main;
    this.#stage = stage;
    this.#told = told;
  }

  /** Starts Bosun, which may be killed while it starts. */
  async start(kills: Moment[]): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const before = this.#stage.log();
      this.#starts += 1;
      const service = startService(this.#main, this.#stage.home);
      this.service = service;
      if (kills[0]?.at === 'starting') {
        const { ms } = kills.shift() as Extract<Moment, { at: 'starting' }>;
        await Promise.race([new Promise((resolve) => setTimeout(resolve, ms)), service.ended]);
        await this.#kill(service);
        continue;
      }
      const port = await service.ready;
      if (port === null) throw new Error(`bosun up ended: ${service.said()}`);
      this.#port = port;
      const tokens = before.flatMap((line) => (line.what === 'agent_started' && line.token ? [line.token] : []));
      const stray = strayProcesses((environment) => tokens.some((token) => environment.includes(token)));
      // Those of before have ended when it takes work.
      if (stray.length > 0) this.#problems.push(`${stray.length} agents of an earlier process ran on: ${stray.join()}`);
      this.#heard.attach(this.#address());
      return;
    }
    throw new Error('Bosun did not start');
  }

  async take(turn: Turn, kills: Moment[]): Promise<void> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      if (this.service === null || this.service.isDead) await this.start(kills);
      const service = this.service;
      if (!service) break;
      const isAgain = tries > 0 && (await this.#isHeard(turn));
      const body = isAgain ? { do: 'say', text: 'status demo' } : await this.#requestOf(turn);
      const isHeardOut = await this.#say(service, body, kills.shift() ?? null);
      if (isHeardOut && kills.length === 0) return;
    }
    throw new Error(`"${turn.text}" did not get through`);
  }

  async end(): Promise<Held> {
    const exit = await this.service?.stop();
    if (exit !== 0) this.#problems.push(`SIGTERM ended it with ${exit}: ${this.service?.said()}`);
    const stray = strayProcesses((environment) => environment.includes(this.#stage.folder));
    if (stray.length > 0) this.#problems.push(`processes were left: ${stray.join()}`);
    return { kills: this.#kills, restarts: this.#starts - 1, heard: this.#heard, problems: this.#problems };
  }

  /** True when it was answered and all is at rest, with Bosun still alive. */
  async #say(service: Service, body: object, moment: Moment | null): Promise<boolean> {
    const armed = moment === null ? null : this.#arm(service, moment);
    const answer = await ask(this.#address(), { ...body, wait: true, timeoutMs: patienceMs }, armed ?? unarmed);
    armed?.disarm();
    if (moment !== null) {
      await this.#kill(service);
      return false;
    }
    if (answer.kind === 'exit' && answer.exit === 0) return true;
    throw new Error(`${JSON.stringify(body)}: ${JSON.stringify(answer)}\n${service.said()}\n${this.#transcript()}`);
  }

  #arm(service: Service, moment: Moment) {
    let count = 0;
    const ends: (() => void)[] = [];
    const fire = () => void service.kill();
    const later = (ms: number) => {
      const timer = setTimeout(fire, ms);
      ends.push(() => clearTimeout(timer));
    };
    const onSent = () => {
      if (moment.at === 'sent') fire();
      if (moment.at === 'delay') later(moment.ms);
    };
    const onHeard = () => {
      if (moment.at === 'heard') fire();
    };
    if (moment.at === 'message') {
      const onMessage = () => {
        count += 1;
        if (count === moment.nth) fire();
      };
      ends.push(this.#heard.onMessage(onMessage));
    } else {
      const onLine = (what: string) => {
        if (what !== moment.at) return;
        count += 1;
        if ('nth' in moment && count !== moment.nth) return;
        if ('ms' in moment) later(moment.ms);
        else fire();
      };
      ends.push(this.#stage.onLog((line) => onLine(line.what)));
    }
    const disarm = () => {
      for (const end of ends) end();
    };
    return { onSent, onHeard, disarm };
  }

  async #kill(service: Service): Promise<void> {
    await service.kill();
    this.#kills += 1;
    this.#problems.push(...(await this.#told.whenDead()));
  }

  async #isHeard(turn: Turn): Promise<boolean> {
    const status = statusSchema.parse(await get(this.#address(), '/api/projects/demo'));
    return turn.isHeard({ status, texts: this.#heard.messages.map((message) => message.text) });
  }

  async #requestOf({ text, replyTo }: Turn): Promise<object> {
    if (replyTo === null) return { do: 'say', text };
    const fits = (one: { kind: string; buttons: readonly unknown[] }) => one.kind === replyTo && one.buttons.length > 0;
    const card = await this.#heard.newest(fits, patienceMs).catch((error: unknown) => {
      throw new Error(`no ${replyTo}: ${String(error)}\n${this.#transcript()}`);
    });
    return { do: 'say', text, replyTo: card.id };
  }

  #address() {
    return { port: this.#port, token: readFileSync(join(this.#stage.home, 'token'), 'utf8').trim() };
  }

  #transcript(): string {
    return this.#heard.messages.map(({ id, kind, text }) => `[${id} ${kind}] ${text}`).join('\n');
  }
}

const unarmed = { onSent: () => undefined, onHeard: () => undefined };
