// A whole Bosun in this process, as the command line opens it: a home, projects under git, and a planned agent. What is
// said goes in as a chat message, what is looked at came out as messages, as status, or as files.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test as sequential } from 'vitest';
import { perform, type Request } from '../../src/bot/index.js';
import { type MessageJson, messageJson } from '../../src/bot/requests/message-json.js';
import { type App, openApp } from '../../src/cli/app.js';
import { projectStatus } from '../../src/dispatch/index.js';
import { acceptProjectRules } from '../accept-rules.js';
import { cleanUpAfterEachFile } from '../clean-up.js';
import { commitFirst } from '../first-commit.js';
import { openHome } from '../open-home.js';
import { type AgentPlan, agentSource } from './agent-source.js';
import { type Status, statusSchema } from './status-schema.js';

interface ProjectOptions {
  readonly aliases?: readonly string[];
  readonly workflow?: string;
  readonly level?: 'manual' | 'semi' | 'auto';
  readonly afterStory?: 'propose' | 'start';
  readonly afterRun?: 'propose' | 'start';
  readonly check?: string;
  /** Without: whatever the agent makes of them. `none` sets no test line. */
  readonly tests?: 'none';
  readonly members?: Readonly<Record<string, string>>;
  readonly budget?: Readonly<Record<string, number>>;
  readonly files?: Readonly<Record<string, string>>;
}

export interface Options {
  readonly projects?: Readonly<Record<string, ProjectOptions>>;
  readonly plan?: AgentPlan;
  /** More of config.yaml. */
  readonly config?: (folder: string) => object;
}

interface Speaker {
  readonly as?: string;
  readonly thread?: string;
  readonly cwd?: string;
  /** Does not wait until the project is at rest. */
  readonly hasty?: boolean;
}

interface Said {
  readonly exit: number;
  /** What Bosun posted in the thread from then on until it was at rest. */
  readonly messages: readonly MessageJson[];
  readonly text: string;
}

interface Call {
  readonly project: string;
  readonly run: string;
  readonly item: string;
  readonly step: string;
  /** Of a team's member. */
  readonly role?: string;
  readonly attempt: number;
  readonly pid: number;
  readonly at: number;
  readonly prompt: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Below the time limit of a test, so that a failure names what did not come. */
const patienceMs = 140_000;

/** Each test has a Bosun of its own, and most of what it does is waiting for children. */
export const test = sequential.concurrent;

const opened: Bosun[] = [];

cleanUpAfterEachFile(async () => {
  const all = opened.splice(0);
  await Promise.all(all.map((bosun) => bosun.close()));
  for (const { folder } of all) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Looks until something holds that nobody tells of: a file, or the end of a process. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export async function givenBosun(options: Options = {}): Promise<Bosun> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun e2e é ')));
  const { projects = { shop: {} }, plan = {}, config = () => ({}) } = options;
  const agent = join(folder, 'agent');
  mkdirSync(join(agent, 'gates'), { recursive: true });
  writeFileSync(join(agent, 'agent.cjs'), agentSource);
  writeFileSync(join(agent, 'plan.json'), JSON.stringify(plan));
  for (const [name, project] of Object.entries(projects)) makeRepository(join(folder, name), project);
  const home = openHome(join(folder, 'home'));
  for (const name of Object.keys(projects)) acceptProjectRules(home.dir, join(folder, name));
  writeFileSync(home.configPath, JSON.stringify({ ...configOf(folder, projects), ...config(folder) }), { mode: 0o600 });
  const bosun = new Bosun(folder);
  opened.push(bosun);
  await bosun.open();
  return bosun;
}

function configOf(folder: string, projects: NonNullable<Options['projects']>) {
  const rows = Object.entries(projects).map(([name, one]) => [name, projectOf(folder, name, one)] as const);
  return {
    executors: { agent: { kind: 'command', run: [process.execPath, join(folder, 'agent', 'agent.cjs')] } },
    projects: Object.fromEntries(rows),
  };
}

function projectOf(folder: string, name: string, one: ProjectOptions) {
  const tap = join(folder, 'agent', 'tests', `${name}.tap`);
  const run = `test ! -e '${tap}' || { cat '${tap}'; ! grep -q '^not ok' '${tap}'; }`;
  return {
    root: join(folder, name),
    aliases: one.aliases ?? [],
    workflow: one.workflow ?? 'micro-waterfall',
    level: one.level ?? 'auto',
    ...(one.afterStory ? { after_story: one.afterStory } : {}),
    ...(one.afterRun ? { after_run: one.afterRun } : {}),
    ...(one.check ? { check: one.check } : {}),
    ...(one.tests === 'none' ? {} : { tests: { run, format: 'tap' } }),
    members: one.members ?? {},
    budget: one.budget ?? {},
  };
}

/** The shortest way of a story, for scenarios that are not about its steps. */
const storiesFlow = `
workflow: stories
version: 1
chain:
  - id: story
    kind: loop
    over: items
    body:
      - { id: build, kind: task, prompt: Build it. }
      - { id: review, kind: human }
`;

function makeRepository(root: string, { files = {} }: ProjectOptions): void {
  mkdirSync(root);
  const given = { 'README.md': 'A project.\n', '.ai/workflows/stories.yaml': storiesFlow, ...files };
  for (const [path, text] of Object.entries(given)) put(root, path, text);
  commitFirst(root);
}

function put(root: string, path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

export class Bosun {
  readonly folder: string;
  readonly logged: string[] = [];
  #app: App | null = null;
  #heard: MessageJson[] = [];

  constructor(folder: string) {
    this.folder = folder;
  }

  get app(): App {
    if (!this.#app) throw new Error('Bosun is closed');
    return this.#app;
  }

  async open(): Promise<void> {
    const home = openHome(join(this.folder, 'home'));
    this.#app = await openApp({ home, work: true, log: (line) => this.logged.push(line) });
    this.app.runtime.onMessages((messages) => this.#heard.push(...messages.map(messageJson)));
  }

  async close(): Promise<void> {
    const app = this.#app;
    this.#app = null;
    await app?.close();
  }

  say(text: string, by: Speaker & { readonly replyTo?: string } = {}): Promise<Said> {
    return this.#perform({ do: 'say', text, replyTo: by.replyTo ?? null, ...speaker(by, this.folder) }, by);
  }

  press(press: string, by: Speaker & { readonly text?: string } = {}): Promise<Said> {
    return this.#perform({ do: 'press', press, text: by.text ?? null, ...speaker(by, this.folder) }, by);
  }

  /** Presses the button of this label on the newest message that has one. */
  pressButton(label: string, by: Speaker & { readonly text?: string } = {}): Promise<Said> {
    const offers = this.thread(by.thread).flatMap((message) => message.buttons.filter((one) => one.label === label));
    const press = offers.at(-1)?.press;
    if (press === undefined) throw new Error(`nobody offers "${label}":\n${this.transcript(by.thread)}`);
    return this.press(press, by);
  }

  /** A reply to the newest message of this kind. */
  reply(kind: string, text: string, by: Speaker = {}): Promise<Said> {
    const message = this.thread(by.thread).findLast((one) => one.kind === kind && one.buttons.length > 0);
    if (!message) throw new Error(`there is no ${kind} to reply to:\n${this.transcript(by.thread)}`);
    return this.say(text, { ...by, replyTo: message.message });
  }

  run(project: string, task: string, more: Partial<Extract<Request, { do: 'run' }>> & Speaker = {}): Promise<Said> {
    const { hasty, as, ...rest } = more;
    const who = speaker(as === null || as === undefined ? {} : { as }, this.folder);
    return this.#perform(
      { do: 'run', project, task, workflow: null, set: {}, oneShot: false, ...who, ...rest },
      hasty ? { hasty } : {},
    );
  }

  import(project: string, stories: unknown, by: Speaker & { readonly workflow?: string } = {}): Promise<Said> {
    const request = { do: 'import' as const, project, stories, file: 'prd.json', workflow: by.workflow ?? null };
    return this.#perform({ ...request, ...speaker(by, this.folder) }, by);
  }

  hook(
    project: string,
    given: { token?: string; run?: string; status?: string; reason?: string; summary?: string } = {},
  ): Promise<Said> {
    const { token = null, status = null, reason = null, summary = null, run } = given;
    const named = run === undefined ? {} : { run };
    const said = { ...named, token, status, reason, summary };
    return this.#perform({ do: 'hook', project, ...said, ...speaker({}, this.folder) }, {});
  }

  async #perform(request: Request, { hasty = false }: Speaker): Promise<Said> {
    const from = this.#heard.length;
    const answered = await perform(this.app, request);
    if (!hasty) await this.rest(answered.project);
    const messages = this.#heard.slice(from).filter((message) => message.thread === request.thread);
    return { exit: answered.exit, messages, text: messages.map((one) => one.text).join('\n') };
  }

  async rest(project: string | null = null): Promise<void> {
    if (!(await this.app.runtime.whenAtRest(project, patienceMs))) throw new Error(`no rest:\n${this.transcript()}`);
  }

  /** What a thread shows now: each card as its last edit left it. */
  thread(id = 'local'): readonly MessageJson[] {
    const shown = new Map<string, MessageJson>();
    for (const message of this.#heard) {
      if (message.thread === id) shown.set(message.edits ?? message.message, message);
    }
    return [...shown.values()];
  }

  /** Everything that was ever posted in a thread, edits included. */
  posts(id = 'local'): readonly string[] {
    return this.#heard.filter((message) => message.thread === id).map((message) => message.text);
  }

  transcript(id = 'local'): string {
    const line = ({ message, edits, kind, text, buttons }: MessageJson) =>
      `[${message}${edits ? ` edits ${edits}` : ''} ${kind}] ${text}  ${buttons.map((one) => `<${one.label}>`).join('')}`;
    return [...this.#heard.filter((message) => message.thread === id).map(line), ...this.logged].join('\n');
  }

  /** Every status that a scenario looks at is held against the shape that scripts rely on. */
  status(project = 'shop'): Status {
    const config = this.app.config().projects.find((one) => one.name === project);
    if (!config) throw new Error(`no project ${project}`);
    return statusSchema.parse(projectStatus(this.app.runtime.store, config, Date.now()));
  }

  node(template: string, project = 'shop', item?: string) {
    const found = this.status(project).nodes.filter((one) => one.template === template && (!item || one.item === item));
    const node = found.at(-1);
    if (!node) throw new Error(`no node ${template}:\n${JSON.stringify(this.status(project), null, 1)}`);
    return node;
  }

  /** The one thing that is asked now. */
  asked(project = 'shop') {
    const { interactions } = this.status(project);
    const [one] = interactions;
    if (!one || interactions.length > 1) throw new Error(`${interactions.length} are asked:\n${this.transcript()}`);
    return one;
  }

  calls(step?: string, project?: string): readonly Call[] {
    const file = join(this.folder, 'agent', 'calls.jsonl');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    const all = lines.map((line): Call => JSON.parse(line));
    return all.filter((call) => (!step || call.step === step) && (!project || call.project === project));
  }

  /** Waits until the agent was called for the n-th time for a step. */
  async called(step: string, times = 1, project?: string): Promise<Call> {
    await until(`${step} is called`, () => this.calls(step, project).length >= times);
    const call = this.calls(step, project)[times - 1];
    if (!call) throw new Error(`${step} was not called ${times} times`);
    return call;
  }

  plan(plan: AgentPlan): void {
    writeFileSync(join(this.folder, 'agent', 'plan.json'), JSON.stringify(plan));
  }

  openGate(name: string): void {
    writeFileSync(join(this.folder, 'agent', 'gates', name), '');
  }

  root(project = 'shop'): string {
    return join(this.folder, project);
  }

  /** Rules of the project are accepted as they are written. */
  write(path: string, text: string, project = 'shop'): void {
    put(this.root(project), path, text);
    const isRule = path === '.ai/step-rules.yaml' || path.startsWith('.ai/workflows/');
    if (isRule) acceptProjectRules(join(this.folder, 'home'), this.root(project));
  }

  read(path: string, project = 'shop'): string {
    return readFileSync(join(this.root(project), path), 'utf8');
  }

  has(path: string, project = 'shop'): boolean {
    return existsSync(join(this.root(project), path));
  }

  git(project: string, ...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: this.root(project), encoding: 'utf8', stdio: 'pipe' }).trimEnd();
  }

  commits(project = 'shop'): readonly string[] {
    return this.git(project, 'log', '--format=%s', '--reverse').split('\n').slice(1);
  }
}

function speaker({ as, thread, cwd }: Speaker, folder: string) {
  return { as: as ?? null, thread: thread ?? 'local', cwd: cwd ?? folder };
}
