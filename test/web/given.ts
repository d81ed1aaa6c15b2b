// A Bosun that listens on a port of its own, with a project under git and an agent that is a shell script.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import type { Log } from '../../src/base/logging/index.js';
import { type App, openApp } from '../../src/cli/app.js';
import { startWeb, type Web, type WebOptions } from '../../src/web/index.js';
import { type Home, openHome } from '../open-home.js';
import { wrongWith } from './contract.js';

export const hookSecret = 'a secret that only the CI knows';

export interface Given {
  readonly home: Home;
  readonly app: App;
  readonly web: Web;
  /** What the agent waits for, where it waits. */
  readonly goPath: string;
  readonly logged: readonly string[];
  call(path: string, options?: Call): Promise<Reply>;
  /** The first attempt that is under way. */
  attempt(): Promise<string>;
  /** With the token. */
  get(path: string): Promise<Reply>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  json(): Record<string, unknown>;
}

export interface Wanted extends Partial<WebOptions> {
  readonly agent?: string;
  readonly work?: boolean;
  /** More keys of the project. */
  readonly project?: Readonly<Record<string, unknown>>;
  /** A second project, with these keys; left out: there is none. */
  readonly bank?: Readonly<Record<string, unknown>>;
  readonly people?: Readonly<Record<string, unknown>>;
  readonly onLog?: Log;
}

const plainAgent = 'cat > /dev/null\necho hello > hello.txt\necho "STATUS: pass"\n';
/** It ends when the file that it is told is there. */
export const waitingAgent = 'cat > /dev/null\nwhile [ ! -e "$GO" ]; do sleep 0.05; done\necho "STATUS: pass"\n';

export async function given({
  agent = plainAgent,
  work = false,
  project = {},
  bank,
  people = {},
  onLog = () => undefined,
  ...options
}: Wanted = {}): Promise<Given> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-web-')));
  const goPath = join(folder, 'go');
  const home = openHome(join(folder, 'home'));
  const root = makeProject(folder, 'shop');
  const second = bank && { bank: { root: makeProject(folder, 'bank'), workflow: 'quick', executor: 'agent', ...bank } };
  writeFileSync(join(folder, 'agent.sh'), agent);
  writeFileSync(
    home.configPath,
    configFor({ root, script: join(folder, 'agent.sh'), goPath, more: project, others: second ?? {}, people }),
  );
  const logged: string[] = [];
  const log: Log = (message, more) => {
    logged.push(message);
    onLog(message, more);
  };
  const app = await openApp({ home, work, log });
  const web = await startWeb(app, { host: '127.0.0.1', port: 0, version: '1.2.3', log, ...options });
  onTestFinished(async () => {
    writeFileSync(goPath, '');
    await web.close();
    await app.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const call = async (path: string, how: Call = {}) => {
    const reply = await send(web.port, path, how);
    const type = reply.headers['content-type'] ?? '';
    expect(wrongWith(how.method ?? 'GET', path, { status: reply.status, type, text: reply.text })).toBe(null);
    return reply;
  };
  const authorization = `Bearer ${home.apiToken}`;
  return {
    ...{ home, app, web, goPath, logged, call },
    attempt: () => vi.waitFor(() => idOfFirst(app), { interval: 10, timeout: 10_000 }),
    get: (path) => call(path, { headers: { authorization } }),
    post: (path, body, headers = {}) =>
      call(path, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

export interface Browser {
  readonly cookie: string;
  readonly pageKey: string;
  /** As a page of Bosun sends them when it acts. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Logs in by a link: the owner's unless another one is given. */
export async function logIn({ call, web }: Pick<Given, 'call' | 'web'>, link = web.loginLink()): Promise<Browser> {
  const { host, origin, pathname, search } = new URL(link);
  return browserOf(await call(`${pathname}${search}`, { headers: { host } }), origin);
}

export function browserOf(login: Reply, origin: string): Browser {
  const cookie = login.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const pageKey = /data-key="([^"]+)"/.exec(login.text)?.[1] ?? '';
  return { cookie, pageKey, headers: { cookie, origin, host: new URL(origin).host, 'x-bosun-key': pageKey } };
}

function idOfFirst(app: App): string {
  const [row] = app.runtime.store.openAttempts();
  if (!row) throw new Error('no attempt is under way yet');
  return row.attempt.id;
}

function makeProject(folder: string, name: string): string {
  const root = join(folder, name);
  mkdirSync(root);
  writeFileSync(join(root, 'README.md'), 'A shop.\n');
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-q', '-m', 'start');
  return root;
}

interface Configured {
  readonly root: string;
  readonly script: string;
  readonly goPath: string;
  readonly more: Readonly<Record<string, unknown>>;
  readonly others: Readonly<Record<string, unknown>>;
  readonly people: Readonly<Record<string, unknown>>;
}

function configFor({ root, script, goPath, more, others, people }: Configured): string {
  const project = { workflow: 'quick', executor: 'agent', ...more };
  return JSON.stringify({
    executors: { agent: { kind: 'command', run: ['sh', script], env: { GO: goPath } } },
    people,
    projects: { shop: { root, aliases: ['A'], hook_secret: hookSecret, ...project }, ...others },
  });
}

/** Not fetch, which lets nobody choose Host and Origin. */
function send(port: number, path: string, { method = 'GET', headers = {}, body }: Call): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => {
        text += chunk;
      });
      answer.on('error', reject);
      answer.on('end', () => {
        const { statusCode: status = 0, headers: received } = answer;
        resolve({ status, headers: received, text, json: () => JSON.parse(text) });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export interface Lines {
  readonly status: number;
  /** The next line that is not empty, or null at the end. */
  next(): Promise<string | null>;
  /** Reads on until a line has this in it. */
  until(part: string): Promise<string>;
  rest(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** An answer that is read line by line while it comes. */
export async function openLines(url: string, options: RequestInit): Promise<Lines> {
  const stop = new AbortController();
  const answer = await fetch(url, { ...options, signal: stop.signal });
  const lines = linesOf(answer);
  const next = async () => (await lines.next()).value ?? null;
  return {
    status: answer.status,
    next,
    until: async (part) => {
      for (let line = await next(); line !== null; line = await next()) if (line.includes(part)) return line;
      throw new Error(`no line with ${part}`);
    },
    rest: async () => {
      const all: string[] = [];
      for (let line = await next(); line !== null; line = await next()) all.push(line);
      return all;
    },
    close: async () => {
      stop.abort();
      // The reading that was cut off fails, as it should.
      await lines.return(undefined).catch(() => undefined);
    },
  };
}

async function* linesOf(answer: Response): AsyncGenerator<string, undefined> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of answer.body ?? []) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield line;
  }
}
