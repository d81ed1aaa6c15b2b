import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { prepareDemo } from '../../src/cli/demo/demo-project.js';
import { setMember } from '../../src/config/file/additions.js';
import { loadConfig } from '../../src/config/file/read-config.js';
import { openHome } from '../open-home.js';
import { bosun, errorLine, newFolder } from './given.js';

const home = join(newFolder(), 'home');
const files = newFolder();
const env = { DEMO_DELAY_MS: '0' };
const run = (...args: readonly string[]) => bosun(args, { home, cwd: files });

const buttons = z.array(z.strictObject({ label: z.string(), press: z.string().regex(/^(i\d+-\d+|m\d+)\.\w/) }));
const line = z.strictObject({
  message: z.string().regex(/^m\d+$/),
  thread: z.string(),
  edits: z.string().nullable(),
  kind: z.string(),
  text: z.string(),
  buttons,
  menu: buttons.optional(),
  file: z.strictObject({ name: z.string(), text: z.string() }).optional(),
});

function messages(out: string) {
  return out
    .trim()
    .split('\n')
    .map((one) => line.parse(JSON.parse(one)));
}

beforeAll(async () => {
  Object.assign(process.env, env);
  const opened = openHome(home);
  await prepareDemo(opened);
  setMember(opened, process.env, 'demo', { person: 'vera', role: 'viewer' });
  const stories = [
    { id: 'US-001', title: 'Order history', acceptanceCriteria: ['orders are listed'], dependencies: [] },
  ];
  writeFileSync(join(files, 'prd.json'), JSON.stringify({ userStories: stories }));
  expect(loadConfig(opened, process.env).projects).toHaveLength(1);
});

describe('bosun say without a worker', () => {
  it('answers a status request, notes that no worker runs, and exits 0', async () => {
    const { code, out, err } = await run('say', 'status', 'demo');
    expect(code).toBe(0);
    expect(out).toContain('demo: idle');
    expect(err).toMatch(/Bosun is not running/);
  });

  it('does nothing with an unclear sentence, offers candidates, and exits 2', async () => {
    const { code, out } = await run('say', 'stauts', '--json');
    expect(code).toBe(2);
    const [only] = messages(out);
    expect(only?.buttons.map(({ label }) => label)).toContain('status');
    expect(only?.buttons[0]?.press).toBe(`${only?.message}.0`);
  });

  it('presses a button of an earlier message', async () => {
    const [asked] = messages((await run('say', 'stauts', '--json')).out);
    const button = asked?.buttons.find(({ label }) => label === 'status');
    const { code, out } = await run('press', button?.press ?? '');
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining('demo: idle') });
  });

  it.each([
    ['a button that no message has', ['press', 'm9999.3'], 3],
    ['a sentence about a project that is not there', ['say', 'continue shop'], 2],
    ['what the person may not do', ['say', 'continue demo', '--as', 'vera'], 3],
    ['an unknown person', ['say', 'status', '--as', 'eve'], 3],
    ['a run by one who may only read', ['run', 'demo', 'add a page', '--as', 'vera'], 3],
    ['a run in a project that is not there', ['run', 'shop', 'add a page'], 1],
    ['a workflow that is not there', ['run', 'demo', 'add a page', '--workflow', './none.yaml'], 1],
    ['a file that is not there', ['import', 'demo', 'none.json'], 1],
  ])('rejects %s', async (_what, args, exit) => {
    expect((await run(...args)).code).toBe(exit);
  });

  it('prints only the messages of its thread', async () => {
    const { out } = await run('say', 'projects', '--thread', 't7', '--json');
    expect(messages(out).map(({ thread }) => thread)).toEqual(['t7']);
  });
});

describe('bosun import', () => {
  it.each([
    ['{"a": 1,\n nonsense}', /bad_input: .*bad\.json:2:2 is not valid JSON/],
    ['[{"id": "US-1"}]', /bad_input: Cannot read the stories: 0.title/],
    [' '.repeat(5 * 1024 * 1024 + 1), /limit: .*bad\.json has 5242881 bytes; the limit is 5242880/],
    ['f49d3f9e1122', /bad_input: .*bad\.json:\d+:\d+ is not valid JSON(?!.*f49d)/],
  ])('reports the error in a file, and exits 1', async (text, says) => {
    writeFileSync(join(files, 'bad.json'), text);
    const ended = await run('import', 'demo', 'bad.json');
    expect(ended.code).toBe(1);
    expect(errorLine(ended)).toMatch(says);
  });

  it('rejects a path given on behalf of another person', async () => {
    const ended = await run('import', 'demo', 'bad.json', '--as', 'ada');
    expect([ended.code, errorLine(ended)]).toEqual([3, expect.stringContaining('import PROJECT - --as ada < FILE')]);
  });
});

describe('a run from draft to its first question', () => {
  it('imports a file relative to the caller’s folder', async () => {
    const { code, out } = await run('import', 'demo', './prd.json');
    expect(code).toBe(0);
    expect(out).toContain('1 stories imported as r1');
    expect(out).toContain('Not read: "dependencies" of US-001; did you mean "depends_on"?');
  });

  it('exits 4 when the wait times out', async () => {
    const { code } = await run('say', 'continue', 'demo', '--wait', '--timeout', '0.05');
    expect(code).toBe(4);
  });

  it('works until a person is needed, prints each message, and exits 0', async () => {
    const { code, out } = await run('say', 'continue demo', '--wait', '--json');
    expect(code).toBe(0);
    const posted = messages(out);
    expect(posted.some(({ kind, edits }) => kind === 'progress' && edits !== null)).toBe(true);
    const review = posted.at(-1);
    expect(review).toMatchObject({ kind: 'review', edits: null });
    expect(review?.buttons[0]).toEqual({ label: 'Approve', press: expect.stringMatching(/^i1-\d+\.approve$/) });
  });

  it('prints the open question again as text, with a command for each button', async () => {
    const { out } = await run('say', 'continue', 'demo');
    expect(out).toMatch(/^\? review: Review · Order history$/m);
    expect(out).toMatch(/^ {2}\[Approve\] \S*bosun press i1-\d+\.approve$/m);
  });

  it('takes an answer and waits for its consequences', async () => {
    const [card] = messages((await run('say', 'continue', 'demo', '--json')).out);
    const press = card?.buttons.find(({ label }) => label === 'Request changes')?.press ?? '';
    const { code, out } = await run('press', press, '--text', 'name the file', '--wait', '--json');
    expect(code).toBe(0);
    expect(messages(out).at(-1)?.kind).toBe('review');
  });

  it('takes text as a reply to a card', async () => {
    const [card] = messages((await run('say', 'continue', 'demo', '--json')).out);
    const { code, out } = await run('say', 'maybe so', '--reply-to', card?.message ?? '', '--json');
    expect(code).toBe(0);
    expect(messages(out)[0]?.text).toMatch(/^Is “maybe so” an approval or a change request/);
  });

  it('queues another run with its own workflow file', async () => {
    const text = 'workflow: own\nversion: 1\nchain:\n  - { id: only, kind: task, prompt: "do it" }\n';
    writeFileSync(join(files, 'own.yaml'), text);
    const { code, err } = await run('run', 'demo', 'add a page', '--workflow', 'own.yaml', '--set', 'a=b');
    expect({ code, err }).toMatchObject({ code: 0 });
    expect((await run('runs', 'demo')).out).toMatch(/^r2 {2}demo {2}\[queued\] {2}own/m);
  });
});

describe('the stories of an import', () => {
  it.each([
    ['side by side', ['--agents', '2'], 1, /bad_workflow: micro-waterfall works on its stories in one checkout/],
    ['no number', ['--agents', 'two'], 2, /whole number/],
    ['more than a workflow may have', ['--agents', '17'], 2, /from 1 to 16/],
    [
      'side by side in a workflow without stories',
      ['--workflow', 'quick', '--agents', '2'],
      1,
      /quick has no loop that walks stories/,
    ],
    ['one that is not there', ['--story', 'US-009'], 1, /--story US-009: no story of that name.*There are: US-001/],
  ])('are rejected: %s', async (_what, args, exit, says) => {
    const ended = await run('import', 'demo', 'prd.json', ...args);
    expect([ended.code, ended.err]).toEqual([exit, expect.stringMatching(says)]);
  });

  it('may run in parallel with --agents, or start with one --story', async () => {
    const args = ['import', 'demo', 'prd.json', '--workflow', 'dynamic-ralph', '--agents', '2', '--story', 'us-001'];
    expect((await run(...args)).out).toContain('Say "continue demo" to start with US-001, 2 at once.');
    expect(errorLine(await run('run', 'demo', '--story', 'US-001', 'and this'))).toContain(
      'a story is named and a task',
    );
    const { code, out } = await run('run', 'demo', '--story', 'US-001');
    // The run before is at work on a story of that name; this one waits in the line.
    expect([code, out]).toEqual([0, expect.stringContaining('starts when its turn comes')]);
    expect((await run('say', 'start demo US-009')).code).toBe(3);
  });
});
