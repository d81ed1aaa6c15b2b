// What came of an attempt: its evidence, its log piece by piece, what changed, what it cost and who did what.
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { readLogWindow } from '../../../src/web/api/log-window.js';
import { acceptProjectRules } from '../../accept-rules.js';
import { tempFolder } from '../../dispatch/given.js';
import { type Given, given, waitingAgent } from '../given.js';

const talking = `cat > /dev/null
for n in 1 2 3 4 5; do echo "line $n <b>\\033[31m"; done
echo hello > hello.txt
echo "STATUS: pass"
`;

async function ran(agent = talking): Promise<Given & { readonly first: string }> {
  const bosun = await given({ work: true, agent });
  await bosun.post('/api/requests', { do: 'run', project: 'shop', task: 'x', wait: true, timeoutMs: 20_000 });
  const { items } = (await bosun.get('/api/runs/r1/attempts')).json() as { items: { id: string }[] };
  return { ...bosun, first: items[0]?.id ?? '' };
}

it('an attempt is returned with its evidence and envelope', async () => {
  const { get, first } = await ran();
  expect((await get(`/api/attempts/${first}`)).json()).toMatchObject({
    ...{ id: first, run: 'r1', item: null, number: 1, state: 'settled', outcome: 'pass' },
    files_changed: ['hello.txt'],
    envelope: { exit: 0, killed: null, output: { isEmpty: false } },
  });
});

it('the log is returned line by line from any offset', async () => {
  const { get, first } = await ran();
  const lines: string[] = [];
  let offset = '0';
  for (let pieces = 0; pieces < 50; pieces += 1) {
    const piece = (await get(`/api/attempts/${first}/log?limit=2&offset=${offset}`)).json() as unknown as {
      items: { line: string; id: string }[];
      next: string | null;
      is_over: boolean;
    };
    expect(piece.is_over).toBe(true);
    lines.push(...piece.items.map(({ line }) => line));
    if (piece.next === null) break;
    offset = piece.next;
  }
  expect(lines.filter((line) => line.startsWith('line '))).toHaveLength(5);
  expect(lines.find((line) => line.startsWith('line 3'))).toContain('<b>');
  const { size } = (await get(`/api/attempts/${first}/log`)).json() as { size: number };
  expect((await get(`/api/attempts/${first}/log?offset=${size}`)).json()).toMatchObject({ items: [], next: null });
});

it('the log of a running attempt is returned', async () => {
  const bosun = await given({ work: true, agent: `echo 'compiling the cart'\n${waitingAgent}` });
  await bosun.post('/api/requests', { do: 'run', project: 'shop', task: 'x', wait: false });
  const id = await bosun.attempt();
  await expect.poll(async () => (await bosun.get(`/api/attempts/${id}/log`)).text).toContain('compiling the cart');
  expect((await bosun.get(`/api/attempts/${id}/log`)).json()).toMatchObject({ is_over: false });
  writeFileSync(bosun.goPath, '');
});

it('the log comes from the home, even if the copy in the checkout was forged, moved or replaced', async () => {
  const { get, first, home, app } = await ran();
  const copy = app.runtime.store.attempt(first)?.attempt.logPath ?? '';
  const own = join(home.dir, 'attempt-logs', 'r1', 'logs', '_', basename(copy));
  expect(readFileSync(copy)).toEqual(readFileSync(own));
  expect([statSync(own).mode & 0o777, statSync(dirname(own)).mode & 0o777]).toEqual([0o600, 0o700]);
  const paths = [`/api/attempts/${first}/log`, `/runs/r1/attempts/${first}/log`, `/runs/r1/attempts/${first}`];
  const shown = async () => (await Promise.all(paths.map(async (path) => (await get(path)).text))).join('');
  const changes = [
    () => writeFileSync(copy, `{"t":1,"s":"out","line":"forged"}\n`),
    () => renameSync(copy, `${copy}.aside`),
    () => symlinkSync(join(home.dir, 'token'), copy),
  ];
  for (const change of changes) {
    change();
    const text = await shown();
    expect(text.match(/line 3/g)).toHaveLength(3);
    expect(text).not.toContain('forged');
    expect(text).not.toContain(home.apiToken);
  }
});

it('the diff since the start of the run is returned', async () => {
  const { get } = await ran();
  const diff = (await get('/api/runs/r1/diff')).json();
  expect(diff).toMatchObject({ stat: { files: 1, insertions: 1, deletions: 0 }, files: ['hello.txt'] });
  expect(diff['patch']).toContain('+hello');
  expect((await get('/api/runs/r1/diff?item=US-9')).json()).toMatchObject({ status: 404 });
});

it('the audit lists what people did and can be filtered by person', async () => {
  const bosun = await ran();
  const all = (await bosun.get('/api/audit')).json()['items'] as { by: string; type: string }[];
  expect(all.map(({ type }) => type)).toContain('run_created');
  for (const { by } of all) expect(by).toBe('owner');
  expect((await bosun.get('/api/audit?by=owner&limit=1')).json()['items']).toHaveLength(1);
  expect((await bosun.get('/api/audit?by=nobody')).json()).toEqual({ items: [], next: null });
});

it('costs are listed, and the workflows of a project beside the shipped ones', async () => {
  const bosun = await given();
  const [shop] = bosun.app.config().projects;
  const folder = join(shop?.root ?? '', '.ai', 'workflows');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'ours.yaml'), 'name: ours\n');
  acceptProjectRules(bosun.home.dir, shop?.root ?? '');
  const own = (await bosun.get('/api/workflows?project=A')).json();
  expect(own['items']).toEqual(expect.arrayContaining([{ id: 'ours', origin: 'project', steps: [] }]));
  const steps = expect.arrayContaining(['implement']);
  expect(own['items']).toEqual(expect.arrayContaining([{ id: 'quick', origin: 'shipped', steps }]));
  expect((await bosun.get('/api/projects/A/outlook')).json()).toMatchObject({ project: 'shop', workflow: 'quick' });
  expect((await bosun.get('/api/projects/A/outlook?workflow=ours')).json()).toMatchObject({ workflow: 'ours' });
  const origins = (own['items'] as { origin: string }[]).map(({ origin }) => origin);
  expect([origins.indexOf('project'), origins.lastIndexOf('project')]).toEqual([0, 0]);
  expect((await bosun.get('/api/workflows')).text).not.toContain('ours');
  expect((await bosun.get('/api/cost')).json()).toMatchObject({ items: [{ id: 'shop', ever: { usd: 0 } }] });
  expect((await bosun.get('/api/cost/days')).json()).toEqual({ items: [], next: null });
});

it('a log is read window by window, and a line without an end is cut', async () => {
  const path = join(tempFolder(), 'log.jsonl');
  writeFileSync(path, 'x'.repeat(5 * 1024 * 1024));
  const first = await readLogWindow({ root: dirname(path), path }, 0, 50);
  expect(first?.items).toHaveLength(1);
  expect(first?.items[0]?.line).toHaveLength(20_000);
  expect(first?.next).toBe(String(256 * 1024 + 1));
  const all: number[] = [];
  for (
    let next = first?.next ?? null;
    next !== null;
    next = (await readLogWindow({ root: dirname(path), path }, Number(next), 50))?.next ?? null
  ) {
    all.push(Number(next));
  }
  expect(all.length).toBeLessThan(25);
  expect(await readLogWindow({ root: dirname(path), path: dirname(path) }, 0, 50)).toBe(null);
  expect(await readLogWindow({ root: dirname(path), path: `${path}.none` }, 0, 50)).toBe(null);
});

it('an incomplete last line is left for the next read', async () => {
  const path = join(tempFolder(), 'log.jsonl');
  const line = JSON.stringify({ t: 1_700_000_000_000, s: 'err', line: 'whole' });
  writeFileSync(path, `${line}\n{"t":1,"s":"out","li`);
  const read = await readLogWindow({ root: dirname(path), path }, 0, 50);
  expect(read).toMatchObject({
    items: [{ id: '0', at: '2023-11-14T22:13:20.000Z', from: 'err', line: 'whole' }],
    next: String(line.length + 1),
  });
  const end = await readLogWindow({ root: dirname(path), path }, line.length + 1, 50);
  expect(end).toMatchObject({ items: [], next: null });
  expect(readFileSync(path, 'utf8')).toContain('"li');
  // Whoever follows it goes on from there, and gets the whole line.
  appendFileSync(path, 'ne":"late"}\n');
  const rest = await readLogWindow({ root: dirname(path), path }, end?.size ?? 0, 50);
  expect(rest?.items.map(({ line: said }) => said)).toEqual(['late']);
});
