// A whole Bosun in this process, as `bosun up` puts it together: a home, a project under git, an agent that plays
// prepared answers, an embedded worker, and the chat platforms that its configuration names. It can be closed and
// opened again.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Channels, channelKinds } from '../../../src/bot/index.js';
import { type App, openApp } from '../../../src/cli/app.js';
import type { Web } from '../../../src/web/index.js';
import { acceptProjectRules } from '../../accept-rules.js';
import { commitFirst } from '../../first-commit.js';
import { type Home, openHome } from '../../open-home.js';
import { atEnd } from './ends.js';
import { limitMs, until } from './place.js';
import { agentsAnswers, workflow } from './script.js';

const maxOpen = 100;

export interface Setting {
  /** Keys of the configuration: `channels`. */
  readonly channels?: Readonly<Record<string, unknown>>;
  /** Where the project lives. */
  readonly chats?: readonly unknown[];
  /** Platforms that post need it. */
  readonly hasWeb?: boolean;
  readonly workflow?: string;
  /** The agent's; absent: those of the script. */
  readonly answers?: readonly unknown[];
}

export async function openBosun(setting: Setting = {}): Promise<Bosun> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-talk-')));
  const root = repository(folder, setting.workflow ?? workflow);
  writeFileSync(join(folder, 'answers.json'), JSON.stringify(setting.answers ?? agentsAnswers));
  const home = openHome(join(folder, 'home'));
  acceptProjectRules(home.dir, root);
  const bosun = new Bosun(home, root, setting.hasWeb ?? false);
  atEnd(async () => {
    await bosun.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  writeFileSync(home.configPath, JSON.stringify(configOf(folder, root, setting)), { mode: 0o600 });
  await bosun.open();
  return bosun;
}

function configOf(folder: string, root: string, { channels = {}, chats = [] }: Setting) {
  return {
    executors: { scripted: { kind: 'script', file: join(folder, 'answers.json') } },
    people: { ada: { telegram: 1000, slack: 'U0ADA' }, bob: { telegram: 1001, slack: 'U0BOB' } },
    projects: { shop: { root, workflow: 'talk', members: { ada: 'owner', bob: 'reviewer' }, chats } },
    channels,
  };
}

function repository(folder: string, text: string): string {
  const root = join(folder, 'shop');
  mkdirSync(join(root, '.ai', 'workflows'), { recursive: true });
  writeFileSync(join(root, '.ai', 'workflows', 'talk.yaml'), text);
  commitFirst(root);
  return root;
}

export class Bosun {
  readonly root: string;
  readonly logged: string[] = [];
  readonly #home: Home;
  readonly #hasWeb: boolean;
  #open: { readonly app: App; readonly channels: Channels; readonly web: Web | null } | null = null;

  constructor(home: Home, root: string, hasWeb: boolean) {
    this.#home = home;
    this.root = root;
    this.#hasWeb = hasWeb;
  }

  get app(): App {
    if (!this.#open) throw new Error('Bosun is closed');
    return this.#open.app;
  }

  /** Where platforms post. */
  get url(): string {
    return this.#open?.web?.url ?? '';
  }

  async open(): Promise<void> {
    const log = (line: string) => void this.logged.push(line);
    const app = await openApp({ home: this.#home, work: true, log });
    const channels = new Channels(app, channelKinds, log);
    const web = this.#hasWeb ? await listening(app, channels, log) : null;
    this.#open = { app, channels, web };
    await channels.align();
    const bad = channels.all
      .filter(({ problem }) => problem !== null)
      .map(({ name, problem }) => `${name}: ${problem}`);
    if (bad.length > 0) throw new Error(`${bad.join('; ')}\n${this.logged.join('\n')}`);
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.web?.close();
    await open?.channels.close();
    await open?.app.close();
  }

  async rest(): Promise<void> {
    if (!(await this.app.runtime.whenAtRest(null, limitMs))) throw new Error(`no rest:\n${this.logged.join('\n')}`);
  }

  /** Everything that was said has arrived where it was said, once, and nothing failed. */
  async delivered(): Promise<void> {
    await until(
      () => 'everything is delivered',
      () => this.undelivered() === 0,
    );
    const [failed] = this.app.runtime.store.deliveries.failed(1);
    if (failed) throw new Error(`${failed.problem}: ${JSON.stringify(failed.message)}`);
  }

  /** How many messages are on their way. */
  undelivered(): number {
    const { deliveries } = this.app.runtime.store;
    return ['telegram', 'slack'].flatMap((channel) => deliveries.open(channel, 0, maxOpen)).length;
  }

  async restart(): Promise<void> {
    await this.close();
    await this.open();
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: this.root, encoding: 'utf8', stdio: 'pipe' }).trimEnd();
  }
}

/** Only where it is needed. */
async function listening(app: App, { entrances }: Channels, log: (line: string) => void): Promise<Web> {
  const { startWeb } = await import('../../../src/web/index.js');
  return await startWeb(app, { host: '127.0.0.1', port: 0, version: '0', log, webhooks: entrances });
}
