// A scene's conversation, held with a Bosun that is killed in the middle, as a patient person holds it: whoever gets no
// answer starts Bosun again, looks whether the words were heard, and says them once more only when they were not.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Moment, Plan } from './plan.js';
import { fits, requestOf, type Turn } from './scene.js';
import { type Service, startService } from './service.js';
import type { LogLine, Stage } from './stage.js';
import { strayProcesses } from './stray.js';
import { ask, get, Listener } from './wire.js';

const statusSchema = z.object({
  run: z.object({ status: z.string() }).nullable(),
  items: z.array(z.object({ key: z.string(), status: z.string() })),
  nodes: z.array(z.object({ id: z.string(), template: z.string(), state: z.string() })),
  interactions: z.array(z.object({ kind: z.string() })),
});

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
  /** The attempts that run, as the database has it. */
  readonly running: () => readonly Running[];
}

export interface Running {
  readonly attempt: string;
  readonly node: string;
}

export async function hold(main: string, stage: Stage, plan: Plan, told: Told): Promise<Held> {
  const conversation = new Conversation(main, stage, told);
  const kills = plan.kills.map((moments) => [...moments]);
  try {
    await conversation.start(kills[0] ?? []);
    for (const [at, turn] of stage.scene.turns.entries()) await conversation.take(turn, kills[at + 1] ?? []);
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
  /** What was interrupted so far. */
  #interrupted: readonly Running[] = [];

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
      const service = startService(this.#main, this.#stage.home, this.#stage.env);
      this.service = service;
      if (kills[0]?.at === 'starting') {
        const { ms } = kills[0];
        kills.shift();
        await Promise.race([new Promise((resolve) => setTimeout(resolve, ms)), service.ended]);
        await this.#kill(service);
        continue;
      }
      if (kills[0]?.at === 'recovering') {
        kills.shift();
        await Promise.race([this.#recovering(), service.ended]);
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
    throw new Error(`${JSON.stringify(turn.says)} did not get through`);
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
    const isNth = () => {
      count += 1;
      return !('nth' in moment) || count === moment.nth;
    };
    const onSent = () => {
      if (moment.at === 'sent') fire();
      if (moment.at === 'delay') later(moment.ms);
    };
    const onHeard = () => {
      if (moment.at === 'heard') fire();
    };
    const isMeant = ({ what, of, step }: LogLine) =>
      what === moment.at && (!('of' in moment) || of === moment.of) && (!('step' in moment) || step === moment.step);
    const onLine = (line: LogLine) => {
      if (!isMeant(line) || !isNth()) return;
      if ('ms' in moment && moment.ms > 0) later(moment.ms);
      else fire();
    };
    const listen = () => {
      const onMessage = () => {
        if (isNth()) fire();
      };
      ends.push(moment.at === 'message' ? this.#heard.onMessage(onMessage) : this.#stage.onLog(onLine));
    };
    const waiting = { isOver: false };
    const disarm = () => {
      waiting.isOver = true;
      for (const end of ends) end();
    };
    if (this.#interrupted.length === 0 || !this.#stage.scene.watchesGit) {
      listen();
      return { onSent, onHeard, disarm };
    }
    void this.#gone(waiting).then(() => {
      if (waiting.isOver) return;
      listen();
      onSent();
      onHeard();
    });
    return { onSent: () => undefined, onHeard: () => undefined, disarm };
  }

  /** Waits until the steps that were interrupted are done: their workflow allows no second time. */
  async #gone(waiting: { readonly isOver: boolean }): Promise<void> {
    const nodes = this.#interrupted.map((one) => one.node);
    while (!waiting.isOver) {
      const status = await this.#status().catch(() => null);
      const isBusy = (node: { id: string; state: string }) =>
        nodes.includes(node.id) && ['ready', 'queued', 'running'].includes(node.state);
      if (status && !status.nodes.some(isBusy)) return;
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  /** Waits until the process that comes up has settled what was interrupted. */
  async #recovering(): Promise<void> {
    const before = this.#interrupted.map((one) => one.attempt);
    while (this.#told.running().some((one) => before.includes(one.attempt))) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  async #kill(service: Service): Promise<void> {
    await service.kill();
    this.#kills += 1;
    this.#interrupted = [...this.#interrupted, ...this.#told.running()];
    this.#problems.push(...(await this.#told.whenDead()));
  }

  async #isHeard(turn: Turn): Promise<boolean> {
    const status = await this.#status();
    return turn.isHeard({ status, texts: this.#heard.messages.map((message) => message.text) });
  }

  async #status() {
    return statusSchema.parse(await get(this.#address(), '/api/projects/demo'));
  }

  async #requestOf({ says }: Turn): Promise<object> {
    const isCard = fits(says);
    if (isCard === null) return requestOf(says, null);
    const card = await this.#heard.newest(isCard, patienceMs).catch((error: unknown) => {
      throw new Error(`nothing for ${JSON.stringify(says)}: ${String(error)}\n${this.#transcript()}`);
    });
    return requestOf(says, card);
  }

  #address() {
    return { port: this.#port, token: readFileSync(join(this.#stage.home, 'token'), 'utf8').trim() };
  }

  #transcript(): string {
    return this.#heard.messages.map(({ id, kind, text }) => `[${id} ${kind}] ${text}`).join('\n');
  }
}

const unarmed = { onSent: () => undefined, onHeard: () => undefined };
