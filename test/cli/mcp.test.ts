// `bosun mcp` as the child process of a real client, before a server that speaks as Bosun does.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { askingBosun, whyDenied } from '../../src/jobs/asks/index.js';
import { findReferences, parse } from '../foundations/references.js';
import { built } from './given.js';

const root = join(import.meta.dirname, '../..');
const main = join(root, 'dist/main.js');

beforeAll(() => built(), 120_000);

type Answer =
  | { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body: unknown }
  | 'hang up'
  | 'never';

interface Call {
  readonly path: string;
  readonly token: string;
  readonly body: Record<string, unknown>;
}

interface Fake {
  readonly url: string;
  readonly port: number;
  readonly calls: Call[];
  close(): Promise<void>;
}

/** Gives one answer after the other; the last one stays. */
async function fakeBosun(answers: readonly Answer[], port = 0): Promise<Fake> {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const answer = answers[Math.min(calls.length, answers.length - 1)] ?? 'hang up';
    const token = request.headers.authorization ?? '';
    calls.push({ path: request.url ?? '', token, body: JSON.parse(text) });
    if (answer === 'never') return;
    if (answer === 'hang up') request.socket.destroy();
    else response.writeHead(answer.status ?? 200, answer.headers).end(JSON.stringify(answer.body));
  });
  const at = await listening(server, port);
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  return { url: `http://127.0.0.1:${at}`, port: at, calls, close };
}

function listening(server: Server, port: number): Promise<number> {
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

interface Told {
  readonly text: string;
  readonly isError: boolean;
}

const resultSchema = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  isError: z.boolean().default(false),
});

async function client(env: Readonly<Record<string, string>>, ...more: readonly string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [main, 'mcp', ...more],
    env: { ...env },
  });
  const noise: unknown[] = [];
  const it = new Client({ name: 'test', version: '1' });
  it.onerror = (error) => noise.push(error);
  await it.connect(transport);
  onTestFinished(() => it.close());
  const call = async (name: string, args: Record<string, unknown>, options = {}): Promise<Told> => {
    const said = resultSchema.parse(await it.callTool({ name, arguments: args }, undefined, options));
    return { text: said.content[0].text, isError: said.isError };
  };
  return { it, call, noise };
}

const around = (bosun: Fake) => ({ BOSUN_URL: bosun.url, BOSUN_TOKEN: 'the token' });
const answered = { body: { state: 'answered', text: 'JWT', by: 'ada' } };
const waiting = { body: { state: 'waiting' } };
const refused = { status: 403, body: { detail: 'That token belongs to no attempt' } };
const use = { tool_name: 'Bash', input: { command: 'npm publish' }, tool_use_id: 'toolu_1' };

describe('bosun mcp', () => {
  it('leaves permission_prompt out for agents that do not call it themselves', async () => {
    const { it: mcp } = await client({}, '--no-permission-prompt');
    const { tools } = await mcp.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['ask_human', 'report_progress']);
  });

  it('writes the files of the attempt that started it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'bosun-mcp-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const at = (name: string) => join(folder, name);
    const env = { BOSUN_HANDOFF_FILE: at('.ai/HANDOFF.md'), BOSUN_SCRATCH_FILE: at('all.md') };
    const more = { BOSUN_ITEM_SCRATCH_FILE: at('own.md'), BOSUN_PROGRESS_FILE: at('progress.txt'), BOSUN_STEP: 'impl' };
    const { it: mcp, call } = await client({ ...env, ...more, BOSUN_ATTEMPT: '1' });
    const { tools } = await mcp.listTools();
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['report', 'note', 'progress_log']));
    expect(await call('report', { status: 'pass', summary: 'All: done' })).toEqual({ text: 'Noted.', isError: false });
    expect(await call('note', { text: 'a fact' })).toMatchObject({ isError: false });
    expect(await call('progress_log', { text: '## US-001' })).toMatchObject({ isError: false });
    expect(await call('report', { status: 'pass' })).toMatchObject({ isError: true });
    expect(readFileSync(at('.ai/HANDOFF.md'), 'utf8')).toContain('status: "pass"\nsummary: "All: done"');
    expect([readFileSync(at('own.md'), 'utf8'), readFileSync(at('progress.txt'), 'utf8')]).toEqual([
      'a fact\n',
      '## US-001\n',
    ]);
  });

  it('offers three tools, and writes only the protocol to standard output', async () => {
    const { it: mcp, noise } = await client({});
    const { tools } = await mcp.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['ask_human', 'permission_prompt', 'report_progress']);
    expect(mcp.getServerVersion()?.name).toBe('bosun');
    expect(noise).toEqual([]);
  });

  it('polls with one key until the answer arrives', async () => {
    const bosun = await fakeBosun([waiting, waiting, answered]);
    const { call } = await client(around(bosun));
    const told = await call('ask_human', { question: 'Which?', options: ['JWT', 'a cookie'] });
    expect(told).toEqual({ text: 'ada answered:\nJWT', isError: false });
    expect(bosun.calls).toHaveLength(3);
    expect(new Set(bosun.calls.map(({ body }) => body['key'])).size).toBe(1);
    expect(bosun.calls[0]).toMatchObject({
      path: '/agent/ask',
      token: 'Bearer the token',
      body: { question: 'Which?', options: ['JWT', 'a cookie'] },
    });
  });

  it('sends progress notifications while it waits', async () => {
    const bosun = await fakeBosun([waiting, waiting, answered]);
    const { call } = await client(around(bosun));
    const heard: unknown[] = [];
    await call('ask_human', { question: 'Which?' }, { onprogress: (progress: unknown) => heard.push(progress) });
    expect(heard).toEqual([1, 2].map((progress) => ({ progress, message: 'waiting for a person' })));
  });

  it('reuses the key of a question that is still open, and draws a new one after its answer', async () => {
    const bosun = await fakeBosun(['never', answered, answered]);
    const { call } = await client(around(bosun));
    await expect(call('ask_human', { question: 'Which?' }, { timeout: 300 })).rejects.toThrow('timed out');
    await call('ask_human', { question: 'Which?' });
    await call('ask_human', { question: 'Which?' });
    await call('ask_human', { question: 'What else?' });
    const [first, again, later, other] = bosun.calls.map(({ body }) => body['key']);
    expect(again).toBe(first);
    expect(new Set([again, later, other]).size).toBe(3);
  });

  it('derives the key of a permission from tool_use_id if it is given', async () => {
    const bosun = await fakeBosun([{ body: { state: 'allowed' } }]);
    const { call } = await client(around(bosun));
    await call('permission_prompt', use);
    await call('permission_prompt', use);
    await call('permission_prompt', { ...use, tool_use_id: 'toolu_2' });
    await call('permission_prompt', { ...use, tool_use_id: undefined });
    await call('permission_prompt', { ...use, tool_use_id: undefined });
    const [first, again, ...others] = bosun.calls.map(({ body }) => body['key']);
    expect(again).toBe(first);
    expect(new Set([first, ...others]).size).toBe(4);
  });

  it.each([
    ['allowed', { body: { state: 'allowed', by: 'ada' } }, { behavior: 'allow', updatedInput: use.input }],
    ['denied', { body: { state: 'denied', by: 'ada', why: 'not today' } }, 'Refused by ada: not today'],
    ['denied without a word', { body: { state: 'denied', by: 'ada', why: null } }, 'Refused by ada'],
    ['expired', { body: { state: 'expired' } }, 'no one answered in time'],
    ['answered with something else', { body: { state: 'sure' } }, 'HTTP 200'],
    ['not let in', refused, 'belongs to no attempt'],
  ])('returns a permission that is %s in Claude Code’s format', async (_, answer, ruling) => {
    const bosun = await fakeBosun([answer]);
    const { call } = await client(around(bosun));
    const { text, isError } = await call('permission_prompt', use);
    const denied = { behavior: 'deny', message: expect.stringContaining(String(ruling)) };
    expect(JSON.parse(text)).toEqual(typeof ruling === 'string' ? denied : ruling);
    expect(isError).toBe(false);
    expect(bosun.calls).toEqual([
      expect.objectContaining({
        path: '/agent/permission',
        body: { key: expect.any(String), tool: 'Bash', input: use.input },
      }),
    ]);
  });

  it('tells an agent whose question expired to end with needs_human', async () => {
    const bosun = await fakeBosun([{ body: { state: 'expired' } }]);
    const { call } = await client(around(bosun));
    expect((await call('ask_human', { question: 'Which?' })).text).toMatch(/No one answered in time.*needs_human/);
  });

  it('forwards progress reports, and does not block on a failure', async () => {
    const bosun = await fakeBosun([{ body: { state: 'noted' } }, 'hang up']);
    const { call } = await client(around(bosun));
    expect(await call('report_progress', { text: 'reading' })).toEqual({ text: 'Noted.', isError: false });
    expect(bosun.calls[0]).toMatchObject({ path: '/agent/progress', body: { text: 'reading' } });
    expect((await call('report_progress', { text: 'writing' })).text).toContain('Continue with your work');
    expect(bosun.calls).toHaveLength(2);
  });

  it('retries with the same key while Bosun is briefly away', async () => {
    const before = await fakeBosun(['hang up']);
    const { call } = await client(around(before));
    const told = call('permission_prompt', use);
    await until(() => before.calls.length > 0);
    await before.close();
    const after = await fakeBosun(
      [{ status: 409, body: {} }, { status: 503, body: {} }, { body: { state: 'allowed' } }],
      before.port,
    );
    expect(JSON.parse((await told).text)).toMatchObject({ behavior: 'allow' });
    const keys = [...before.calls, ...after.calls].map(({ body }) => body['key']);
    expect(new Set(keys).size).toBe(1);
  });

  it('reports missing environment variables, and denies permissions', async () => {
    const { call } = await client({ BOSUN_URL: 'http://127.0.0.1:1' });
    expect(await call('ask_human', { question: 'Which?' })).toEqual({
      text: expect.stringContaining('BOSUN_TOKEN is not set'),
      isError: true,
    });
    expect((await call('report_progress', { text: 'x' })).isError).toBe(true);
    const ruled = JSON.parse((await call('permission_prompt', use)).text);
    expect(ruled).toEqual({ behavior: 'deny', message: expect.stringContaining('BOSUN_TOKEN is not set') });
    const { call: other } = await client({});
    expect((await other('ask_human', { question: 'Which?' })).text).toContain('BOSUN_URL and BOSUN_TOKEN are not set');
  });

  it('exits when its parent closes standard input, even during a question', async () => {
    const bosun = await fakeBosun(['never']);
    const child = spawn(process.execPath, [main, 'mcp'], { env: { ...process.env, ...around(bosun) } });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = new Promise((resolve) => child.once('close', resolve));
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    const say = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    say({ id: 1, method: 'initialize', params });
    say({ method: 'notifications/initialized' });
    say({ id: 2, method: 'tools/call', params: { name: 'ask_human', arguments: { question: 'Which?' } } });
    await until(() => bosun.calls.length > 0);
    child.stdin.end();
    expect(await ended).toBe(0);
  });

  it('imports nothing but its own folder, so that it starts fast', () => {
    const seen = new Set<string>();
    const visit = (path: string): void => {
      if (seen.has(path)) return;
      seen.add(path);
      for (const { module } of findReferences(parse({ path, text: readFileSync(join(root, path), 'utf8') }))) {
        if (module?.startsWith('.')) visit(normalize(join(dirname(path), module)).replace(/\.js$/, '.ts'));
      }
    };
    visit('src/cli/mcp/index.ts');
    expect([...seen].filter((path) => !path.startsWith('src/cli/mcp/'))).toEqual([
      'src/jobs/asks/index.ts',
      'src/jobs/asks/ask-bosun.ts',
      'src/jobs/asks/own-files.ts',
      'src/cli/version.ts',
    ]);
    const start = parse({ path: 'src/main.ts', text: readFileSync(join(root, 'src/main.ts'), 'utf8') });
    expect(start.statements.filter((one) => one.getText().startsWith('import '))).toEqual([]);
  });
});

describe('an MCP call to Bosun', () => {
  it('pauses between polls when the server answers at once', async () => {
    const bosun = await fakeBosun([waiting]);
    const asking = askingBosun({ BOSUN_URL: bosun.url, BOSUN_TOKEN: 't' });
    const stop = new AbortController();
    const waits: number[] = [];
    const onWait = () => {
      if (waits.push(performance.now()) === 3) stop.abort();
    };
    const told = await asking.ask('/agent/ask', {}, { signal: stop.signal, onWait });
    expect(told).toEqual({ state: 'unreachable', why: 'the caller no longer waits for the answer' });
    expect(bosun.calls).toHaveLength(3);
    const [first = 0, , third = 0] = waits;
    expect(third - first).toBeGreaterThan(300);
  });

  it('retries HTTP 429 after its Retry-After', async () => {
    const answered = { body: { state: 'answered', text: 'blue', by: 'ana' } };
    const bosun = await fakeBosun([{ status: 429, headers: { 'retry-after': '1' }, body: {} }, answered]);
    const asking = askingBosun({ BOSUN_URL: bosun.url, BOSUN_TOKEN: 't' });
    const how = { signal: new AbortController().signal, onWait: () => undefined };
    const startedAt = performance.now();
    expect(await asking.ask('/agent/ask', {}, how)).toMatchObject({ state: 'answered', text: 'blue' });
    expect(performance.now() - startedAt).toBeGreaterThan(900);
  });

  it('gives up at once on HTTP 429 with a Retry-After beyond its patience', async () => {
    const bosun = await fakeBosun([{ status: 429, headers: { 'retry-after': '86400' }, body: {} }]);
    const asking = askingBosun({ BOSUN_URL: bosun.url, BOSUN_TOKEN: 't' });
    const how = { signal: new AbortController().signal, onWait: () => undefined };
    expect(await asking.ask('/agent/ask', {}, how)).toMatchObject({ state: 'unreachable' });
    expect(bosun.calls).toHaveLength(1);
  });

  it('refuses a permission request that is too large to judge, with the reason, and asks nobody', async () => {
    const bosun = await fakeBosun([{ status: 413, body: { detail: 'The body is too large' } }]);
    const asking = askingBosun({ BOSUN_URL: bosun.url, BOSUN_TOKEN: 't' });
    const how = { signal: new AbortController().signal, onWait: () => undefined };
    const large = { key: 'k', tool: 'Bash', input: { command: 'x'.repeat(70_000) } };
    const answer = await asking.ask('/agent/permission', large, how);
    expect(whyDenied(answer)).toMatch(
      /^Refused by Bosun: the request has 700\d\d bytes, .* at most 65536\. Do it in smaller parts$/,
    );
    expect(bosun.calls).toEqual([]);
  });

  it('gives up after its patience if Bosun is unreachable, naming the address', async () => {
    const bosun = askingBosun({ BOSUN_URL: 'http://127.0.0.1:1', BOSUN_TOKEN: 't' }, 600);
    const how = { signal: new AbortController().signal, onWait: () => undefined };
    const told = await bosun.ask('/agent/ask', { key: 'k' }, how);
    expect(told).toEqual({ state: 'unreachable', why: expect.stringContaining('http://127.0.0.1:1') });
  });

  it('ends at once when aborted', async () => {
    const bosun = askingBosun({ BOSUN_URL: 'http://127.0.0.1:1', BOSUN_TOKEN: 't' });
    const stop = new AbortController();
    const told = bosun.ask('/agent/ask', { key: 'k' }, { signal: stop.signal, onWait: () => undefined });
    stop.abort();
    expect(await told).toMatchObject({ state: 'unreachable' });
  });
});

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 10_000, interval: 5 }).toBe(true);
}
