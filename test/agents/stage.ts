// A Bosun that really runs, as `bosun up` starts it, with a small project and one of the real programs for an agent
// whose model is a script. People talk to it by the command line.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { z } from 'zod';
import { acceptProjectRules } from '../accept-rules.js';
import { bosun, type Ended, newFolder, type Started, start } from '../cli/given.js';
import { type Status, statusSchema } from '../e2e/status-schema.js';
import { openHome } from '../open-home.js';
import { executorOf } from './executors.js';
import { type Model, startModel } from './model/server.js';
import { type Script, scripted, stepOf } from './model/talk.js';
import type { AgentKind } from './programs.js';

export interface StageOptions {
  readonly workflow?: string;
  readonly files?: Readonly<Record<string, string>>;
  /** What is different for the executor. */
  readonly executor?: Readonly<Record<string, unknown>>;
  /** What is different for the project. */
  readonly project?: Readonly<Record<string, unknown>>;
}

type Asked = Status['interactions'][number];

const eventShape = z.looseObject({ type: z.string(), at: z.number() });
const patienceMs = 100_000;
const lookEveryMs = 60;
/** Also without a write that the clock of the files shows. */
const lookAgainMs = 1_000;

export async function givenStage(kind: AgentKind, script: Script, options: StageOptions = {}): Promise<Stage> {
  const folder = realpathSync(newFolder());
  const model = await startModel(scripted(script));
  onTestFinished(() => model.close());
  const root = join(folder, 'shop');
  makeProject(root, options.files);
  const { configPath, dir } = openHome(join(folder, 'home'));
  acceptProjectRules(dir, root);
  const agent = { ...executorOf(kind, join(folder, 'user'), model.url), ...options.executor };
  const tests = { run: 'node --test test/cart.spec.ts', format: 'auto' };
  const shop = { root, workflow: options.workflow ?? 'quick', tests, ...options.project };
  writeFileSync(configPath, JSON.stringify({ executors: { agent }, projects: { shop } }), { mode: 0o600 });
  const up = await start(['up', '--port', '0'], { home: dir });
  await up.line(/^ready /);
  const stage = new Stage(dir, root, model, up);
  onTestFinished(() => stage.close());
  return stage;
}

const projectFiles = {
  'package.json': '{ "name": "shop", "private": true, "type": "commonjs" }\n',
  'src/cart.ts': 'exports.total = () => 0;\n',
  'test/cart.spec.ts': `const { test } = require('node:test');
const assert = require('node:assert');
const { total } = require('../src/cart.ts');
test('an empty cart costs nothing', () => assert.equal(total([]), 0));
`,
};

function makeProject(root: string, files: StageOptions['files'] = {}): void {
  for (const [path, text] of Object.entries({ ...projectFiles, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
}

export class Stage {
  readonly home: string;
  readonly root: string;
  readonly model: Model;
  #up: Started;

  constructor(home: string, root: string, model: Model, up: Started) {
    this.home = home;
    this.root = root;
    this.model = model;
    this.#up = up;
  }

  async close(): Promise<void> {
    this.#up.child.kill('SIGTERM');
    await this.#up.ended;
  }

  /** As a crash or the kernel ends it. */
  async kill(): Promise<void> {
    this.#up.child.kill('SIGKILL');
    await this.#up.ended;
  }

  /** Begins again on the same home. */
  async restart(): Promise<void> {
    this.#up = await start(['up', '--port', '0'], { home: this.home });
    await this.#up.line(/^ready /);
  }

  async cli(...args: readonly string[]): Promise<Ended> {
    return bosun(args, { home: this.home });
  }

  /** Starts a run and does not wait for it. */
  async run(task: string): Promise<void> {
    const started = await this.cli('run', 'shop', task);
    expect(started).toMatchObject({ code: 0, err: '' });
  }

  async press({ options }: Asked, label: string, text: string | null = null): Promise<void> {
    const press = options.find((one) => one.label === label)?.press;
    if (press === undefined) throw new Error(`nobody offers ${label}, but ${options.map((one) => one.label)}`);
    const pressed = await this.cli('press', press, ...(text === null ? [] : ['--text', text]));
    expect(pressed).toMatchObject({ code: 0, err: '' });
  }

  /** Answers a question in words of one's own. */
  async answer(question: Asked, text: string): Promise<void> {
    const own = question.options.find(({ label }) => /^(Answer|Another answer)$/.test(label));
    await this.press(question, own?.label ?? 'Answer', text);
  }

  async status(): Promise<Status> {
    const { out } = await this.cli('status', 'shop', '--json');
    return statusSchema.parse(JSON.parse(out));
  }

  /** Looks at the project until it is as wanted, again when its Bosun has written: each look opens the home anew. */
  async until(what: string, holds: (status: Status) => boolean): Promise<Status> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const written = this.#written();
      const status = await this.status();
      if (holds(status)) return status;
      if (performance.now() > deadline) throw new Error(`never: ${what}\n${await this.story()}`);
      await this.#nextWrite(written);
    }
  }

  async #nextWrite(before: string): Promise<void> {
    const end = performance.now() + lookAgainMs;
    do await sleep(lookEveryMs);
    while (this.#written() === before && performance.now() < end);
  }

  /** Differs after each write to the database, as far as the clock of the files tells. */
  #written(): string {
    const files = ['bosun.db', 'bosun.db-wal'].map((name) =>
      statSync(join(this.home, name), { throwIfNoEntry: false }),
    );
    return files.map((file) => `${file?.mtimeMs} ${file?.size}`).join();
  }

  /** The open interaction of this kind, as soon as there is one; another one instead is a failure at once. */
  async asked(kind: Asked['kind']): Promise<Asked> {
    const { interactions } = await this.until(`it asks: ${kind}`, (status) => status.interactions.length > 0);
    const found = interactions.find((one) => one.kind === kind);
    if (!found) throw new Error(`it asks something else than a ${kind}\n${await this.story()}`);
    return found;
  }

  async ended(): Promise<Status> {
    const isOver = ({ run }: Status) => /^(completed|failed|cancelled)$/.test(run?.status ?? '');
    const status = await this.until('the run is over', (now) => isOver(now) || now.interactions.length > 0);
    if (!isOver(status)) throw new Error(`it asks instead of coming to its end\n${await this.story()}`);
    return status;
  }

  async events(): Promise<readonly { readonly type: string; readonly at: number }[]> {
    const { out } = await this.cli('export', 'r1', '--as', 'events');
    return out
      .trim()
      .split('\n')
      .map((line) => eventShape.parse(JSON.parse(line)));
  }

  async attempts(): Promise<number> {
    return (await this.events()).filter(({ type }) => type === 'attempt_started').length;
  }

  read(path: string): string {
    return readFileSync(join(this.root, path), 'utf8');
  }

  git(...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: this.root, encoding: 'utf8', stdio: 'pipe' }).trimEnd();
  }

  /** Everything that may tell why something did not happen. */
  async story(): Promise<string> {
    const asked = this.model.asked.map(
      ({ talk, move }) =>
        `${stepOf(talk.prompt)} | ${talk.results.at(-1)?.slice(0, 300)} → ${JSON.stringify(move).slice(0, 200)}`,
    );
    const status = JSON.stringify(await this.status(), null, 1);
    const { out } = await this.cli('history', 'r1');
    const log = join(this.home, 'logs', 'bosun.log');
    return [status, out, ...asked, existsSync(log) ? readFileSync(log, 'utf8').slice(-3000) : ''].join('\n');
  }
}
