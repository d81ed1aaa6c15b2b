import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ExportGuard } from '../../../src/dispatch/exports/guard/export-guard.js';
import { hashOfFile, openExportRecord } from '../../../src/dispatch/exports/guard/export-record.js';
import { type ExportSources, exportRun } from '../../../src/dispatch/exports/index.js';
import { writeText } from '../../../src/dispatch/exports/write-whole.js';
import type { ExportName, Run, State, Workflow } from '../../../src/engine/index.js';
import type { SqliteStore } from '../../../src/store/index.js';
import { when } from '../../engine/chains.js';
import { openStore } from '../../open-store.js';
import { aNode, anItem, batch } from '../../store/values.js';
import { aDef, type Given, type GivenParts, given, live, nodeOf, recordOf, settled, tempFolder } from './given.js';

let root: string;
let store: SqliteStore;
let logged: string[];

beforeEach(() => {
  root = tempFolder();
  store = openStore(join(tempFolder(), 'bosun.db'));
  onTestFinished(() => store.close());
  logged = [];
});

const sources = (): ExportSources => ({ store, log: (message) => logged.push(message), guard: null });
const path = (...names: readonly string[]) => join(root, ...names);
const read = (...names: readonly string[]) => readFileSync(path(...names), 'utf8');

function put(text: string, ...names: readonly string[]): void {
  mkdirSync(dirname(path(...names)), { recursive: true });
  writeFileSync(path(...names), text);
}

/** All files below the project's folder. */
function files(): readonly string[] {
  const all = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return all.filter((name) => !lstatSync(path(name)).isDirectory()).sort();
}

/** The state as it is on disk, and its files as they are then. */
async function exported(from: Given, changed: readonly string[] = [...from.chains.keys()]): Promise<void> {
  for (const chain of from.chains.values()) {
    const after: State = { ...from.spine, chain };
    store.commit(
      batch({ snapshots: [{ hash: 'h1', workflow: from.spine.workflow }], states: [{ before: null, after }] }),
    );
  }
  await exportRun(root, from.spine, changed, from.chainOf, sources());
}

const exporting = (...exports: readonly ExportName[]): Partial<Workflow> => ({ exports, chain: [aDef('coding')] });

function story(exports: readonly ExportName[], more: GivenParts & { readonly scratch?: string } = {}): Given {
  const nodes = [nodeOf(aDef('coding'), 1, { state: 'passed', last: settled('a1', 1, 2, { summary: 'done' }) })];
  return given({
    items: [anItem('US-1', 1, { status: 'running' })],
    workflow: exporting(...exports),
    chains: { '': [], 'US-1': { nodes, scratch: more.scratch ?? '' } },
    ...more,
  });
}

describe('export files that another program wrote', () => {
  const foreign = '{"story":"US-9"}';
  let home: string;

  const guarded = async (from: Given) => {
    const guard = new ExportGuard({ home, root, log: (message) => logged.push(message) });
    await exportRun(root, from.spine, [...from.chains.keys()], from.chainOf, { ...sources(), guard });
    return guard;
  };
  const running = (run: Partial<Run> = {}) => story(['state'], { run: { status: 'running', startedAt: 1, ...run } });

  beforeEach(() => {
    home = tempFolder();
    // The project is new to Bosun: none of the files in it are its own.
    openExportRecord(home, root, false);
  });

  it('are left alone with a log line, and the other files are written', async () => {
    put(foreign, '.ai', 'STATE.json');
    await guarded(running());
    expect(read('.ai', 'STATE.json')).toBe(foreign);
    expect(files()).toContain('.ai/states/US-1.json');
    expect(logged).toEqual([expect.stringContaining('another program wrote .ai/STATE.json')]);
  });

  it('are replaced once a person has agreed to exactly that content', async () => {
    put(foreign, '.ai', 'STATE.json');
    const settled = (text: string) => [{ path: '.ai/STATE.json', hash: hashOfFile(text) }];
    await guarded(running({ settled: settled('something else') }));
    expect(read('.ai', 'STATE.json')).toBe(foreign);
    await guarded(running({ settled: settled(foreign) }));
    expect(JSON.parse(read('.ai', 'STATE.json'))).toMatchObject({ story: 'US-1' });
  });

  it('are recognized as foreign by a later process, even after the run is over', async () => {
    await guarded(running());
    await guarded(running({ status: 'completed', endedAt: 2 }));
    const own = read('.ai', 'STATE.json');
    put(foreign, '.ai', 'STATE.json');
    await guarded(running({ status: 'completed', endedAt: 2 }));
    expect(read('.ai', 'STATE.json')).toBe(foreign);
    put(own, '.ai', 'STATE.json');
    await guarded(running({ id: 'r99' }));
    expect(logged).toHaveLength(1);
  });

  it('are replaced after a backup if the run that exported them still runs', async () => {
    await guarded(running());
    put(foreign, '.ai', 'STATE.json');
    await guarded(running());
    expect(JSON.parse(read('.ai', 'STATE.json'))).toMatchObject({ story: 'US-1' });
    const copy = /kept in (\S+)$/.exec(logged[0] ?? '')?.[1] ?? '';
    expect(readFileSync(join(copy, '.ai/STATE.json'), 'utf8')).toBe(foreign);
  });

  it('are treated as Bosun’s own in a project exported before the record of exports existed', async () => {
    rmSync(join(home, 'exported'), { recursive: true });
    put(foreign, '.ai', 'STATE.json');
    await guarded(running());
    expect(JSON.parse(read('.ai', 'STATE.json'))).toMatchObject({ story: 'US-1' });
  });

  it('are all treated as foreign if the record of exports is damaged', async () => {
    await guarded(running());
    const [name = ''] = readdirSync(join(home, 'exported'));
    writeFileSync(join(home, 'exported', name), 'not json');
    put(foreign, '.ai', 'STATE.json');
    await guarded(running());
    expect(read('.ai', 'STATE.json')).toBe(foreign);
  });
});

describe('the export files of a run', () => {
  const session = '.workflow/.ralph/ralph-20260203-090507-r12';

  it.each<[readonly ExportName[], readonly string[]]>([
    [[], ['.ai/STATE.json', '.ai/states/US-1.json']],
    [['state'], ['.ai/STATE.json', '.ai/states/US-1.json']],
    [
      ['state', 'workflow-state'],
      ['.ai/STATE.json', '.ai/prd.json', '.ai/states/US-1.json', 'workflow_state.json'],
    ],
    [['workflow-state'], ['.ai/prd.json', 'workflow_state.json']],
    [['session'], [`${session}/status.json`, `${session}/wave-1-results.csv`, `${session}/wave-1.csv`]],
    [['progress'], []],
  ])('are those that its workflow names: %j', async (exports, expected) => {
    await exported(story(exports));
    expect(files()).toEqual(expected);
  });

  it('include history and the commit at which each step began, read from the database', async () => {
    const from = story(['workflow-state']);
    const record = recordOf('US-1', 1, 'story_claimed', { details: { slot: 1 } });
    const head = 'c'.repeat(40);
    await exported(from);
    store.commit(batch({ records: [record] }));
    store.setCheckpoint('a1', JSON.stringify({ head, branch: 'main', tree: head, staged: null }));
    await exported(from);
    expect(JSON.parse(read('workflow_state.json')).stories['US-1']).toMatchObject({
      steps: [{ id: 'step-001', git_sha_at_start: head, notes: 'done' }],
      history: [{ action: 'story_claimed', agent_id: 1 }],
    });
  });

  it('are not rewritten if unchanged, and repaired if someone edited them', async () => {
    const from = story(['state', 'workflow-state']);
    await exported(from);
    const inodes = () => files().map((name) => statSync(path(name)).ino);
    const before = inodes();
    await exported(from);
    expect(inodes()).toEqual(before);
    const right = read('workflow_state.json');
    put(right.replace('in_progress', 'completed!!'), 'workflow_state.json');
    await exported(from);
    expect(read('workflow_state.json')).toBe(right);
  });

  it('replace a link, even one to a file with the same content', async () => {
    const target = path('elsewhere');
    // A link is as long as the path that it holds.
    const text = 'x'.repeat(target.length);
    put(text, 'elsewhere');
    symlinkSync(target, path('link'));
    await writeText(path(''), path('link'), text);
    expect(lstatSync(path('link')).isFile()).toBe(true);
  });

  it('are written one by one, so that a failure to write one does not stop the others', async () => {
    put('a file where a folder belongs', '.workflow');
    const from = given({
      workflow: exporting('state', 'session'),
      chains: { '': [aNode('n1')] },
      run: { scratch: 'fact\n' },
    });
    await expect(exported(from)).rejects.toThrow(/\.workflow/);
    expect(files()).toEqual([
      '.ai/STATE.json',
      '.ai/runs/r12/scratch.md',
      '.ai/runs/r12/scratch.md.known',
      '.workflow',
    ]);
    put('here too', '.ai/states');
    await expect(exported(story(['state', 'session']))).rejects.toThrow(/states.*; .*\.workflow/);
  });

  it('leave no temporary file behind when a write fails', async () => {
    mkdirSync(path('workflow_state.json'), { recursive: true });
    await expect(exported(story(['workflow-state']))).rejects.toThrow();
    expect(files()).toEqual(['.ai/prd.json']);
  });

  it('skip those that need the database if it is not available', async () => {
    const { spine, chainOf } = story(['state', 'workflow-state', 'session']);
    await exportRun(root, spine, ['US-1'], chainOf);
    expect(files()).toEqual(['.ai/STATE.json', '.ai/states/US-1.json']);
  });
});

describe('the files of a session', () => {
  const folder = '.workflow/.ralph/ralph-20260203-090507-r12';
  const inWave = (state: 'running' | 'passed', count: number, run: Partial<Run> = {}): Given => {
    const attempt = state === 'running' ? { live: live('a1', 1) } : { last: settled('a1', 1, 2) };
    const first = nodeOf(aDef('coding'), 1, { state, ...attempt });
    return given({
      run,
      workflow: exporting('session'),
      chains: { '': [first, ...Array.from({ length: count }, (_, at) => nodeOf(aDef('coding'), at + 2))] },
    });
  };

  it('keep a wave as it was sent although the chain has grown, and add its results', async () => {
    await exported(inWave('running', 1));
    expect(files()).toEqual([`${folder}/status.json`, `${folder}/wave-1.csv`]);
    const sent = read(folder, 'wave-1.csv');
    expect(sent).toContain('Ralph step 1/2: coding');
    await exported(inWave('passed', 5));
    expect(read(folder, 'wave-1.csv')).toBe(sent);
    expect(read(folder, 'wave-1-results.csv')).toContain('n1,completed,"$maestro-ralph-execute ""$coding"""');
    expect(JSON.parse(read(folder, 'status.json')).steps).toHaveLength(6);
  });

  const placed = { survey: '.workflow', positions: [{ name: 'plan', begin: 'coding', when: when('true == true') }] };

  it.each<[string, Partial<Run>, Partial<Workflow>, boolean]>([
    ['a draft', { startedAt: null, status: 'draft' }, {}, false],
    ['a run that has begun', {}, {}, true],
    ['a run whose place in the project is not told yet', {}, placed, false],
    ['a run with a known position', { position: 'plan' }, placed, true],
    ['a run that begins at its first step wherever the project stands', {}, { survey: '.workflow' }, true],
  ])('are exported once the run has begun and its position is known: %s', async (_what, run, survey, isThere) => {
    const from = inWave('running', 1, run);
    await exported({ ...from, spine: { ...from.spine, workflow: { ...from.spine.workflow, ...survey } } });
    expect(existsSync(path('.workflow'))).toBe(isThere);
  });
});

describe('scratch files', () => {
  const folder = '.ai/runs/r12/scratch';
  const own = `${folder}/US-1.md`;
  const shared = `${folder}.md`;
  const at = (chain: string, isBegun: boolean): Partial<Run> => ({
    live: [{ attempt: 'a9', chain, node: 'n1', step: 'coding', startedAt: isBegun ? 5 : null }],
  });
  const scratchFiles = () => files().filter((name) => name.endsWith('.md'));

  it('hold the notes of the run and of each changed chain', async () => {
    await exported(story(['progress'], { run: { scratch: 'all: use pnpm\n' }, scratch: 'table is carts\n' }));
    expect([read(shared), read(own)]).toEqual(['all: use pnpm\n', 'table is carts\n']);
    const chains = { '': { scratch: 'of the run’s own chain\n' }, '../x/.y': { scratch: 'z\n' } };
    await exported(given({ workflow: exporting('progress'), chains }), ['', '../x/.y']);
    expect(scratchFiles()).toEqual([shared, `${folder}/--x-.y.md`, own, `${folder}/_.md`]);
  });

  it('are not created without notes', async () => {
    await exported(story(['progress']));
    expect(files()).toEqual([]);
  });

  it.each<[string, string, string, string]>([
    ['nothing new', 'a\nb\n', 'a\nb\n', 'a\nb\n'],
    ['what was told since', 'a\n', 'a\nb\n', 'a\nb\n'],
    ['what only the file says', 'a\nmine\n', 'a\n', 'a\nmine\n'],
    ['both, neither lost', 'a\nmine\n', 'a\nb\n\nc\n', 'a\nb\n\nc\nmine\n'],
    ['what was told, where the file was empty', '', 'y\n', 'y\n'],
  ])('are merged with what agents noted in them: %s', async (_what, inFile, told, expected) => {
    put(inFile, own);
    for (const _again of [1, 2]) {
      await exported(story(['progress'], { scratch: told }));
      expect(read(own)).toBe(expected);
    }
  });

  it.each<[string, Partial<Run>, string, string]>([
    ['an agent at work in the story', at('US-1', true), 'mine\n', 'for all\ntheirs\n'],
    ['an agent at work in the run’s own chain', at('', true), 'told\nmine\n', 'theirs\n'],
    ['an agent at work in another story', at('US-2', true), 'told\nmine\n', 'for all\ntheirs\n'],
    ['an agent that has not begun', at('US-1', false), 'told\nmine\n', 'for all\ntheirs\n'],
  ])('of a story or run are written only if no agent works on them: %s', async (_what, run, inOwn, inShared) => {
    put('mine\n', own);
    put('theirs\n', shared);
    await exported(story(['progress'], { scratch: 'told\n', run: { ...run, scratch: 'for all\n' } }));
    expect([read(own), read(shared)]).toEqual([inOwn, inShared]);
  });

  it('are created if missing, even while an agent works', async () => {
    await exported(story(['progress'], { scratch: 'told\n', run: at('US-1', true) }));
    expect(read(own)).toBe('told\n');
  });

  it('are archived when their story is done, and not created again', async () => {
    await exported(story(['progress'], { scratch: 'told\n' }));
    put('told\nmine\n', own);
    const done = story(['progress'], { scratch: 'told\n', items: [anItem('US-1', 1, { status: 'done' })] });
    await exported(done);
    await exported(done);
    expect(files()).toEqual(['archive/r12/scratch/US-1.md']);
    expect(read('archive/r12/scratch/US-1.md')).toBe('told\nmine\n');
  });

  it('are left alone above 256 KiB', async () => {
    const huge = 'x'.repeat(256 * 1024 + 1);
    put(huge, own);
    await exported(story(['progress'], { scratch: 'told\n' }));
    expect(read(own)).toBe(huge);
  });
});

describe('the progress log', () => {
  const log = ['.ai', 'runs', 'r12', 'progress.txt'] as const;
  const kept = ['archive', 'r12', 'progress.txt'] as const;
  const ended = (status: Run['status']) =>
    exported(given({ workflow: exporting('progress'), run: { status }, chains: { '': [] } }));

  it.each<[Run['status'], string | null, string]>([
    ['running', null, 'learned\n'],
    ['paused', null, 'learned\n'],
    ['failed', 'learned\n', 'learned\n'],
    ['cancelled', 'learned\n', 'learned\n'],
    ['completed', 'learned\n', ''],
  ])('of a %s run is archived as %j, and the file then holds %j', async (status, archived, left) => {
    put('learned\n', ...log);
    await ended(status);
    expect(existsSync(path(...kept)) ? read(...kept) : null).toBe(archived);
    expect(read(...log)).toBe(left);
  });

  it('is archived once, and an empty one never overwrites the archive of a completed run', async () => {
    put('learned\n', ...log);
    await ended('completed');
    const { ino } = statSync(path(...kept));
    await ended('completed');
    expect([read(...kept), statSync(path(...kept)).ino]).toEqual(['learned\n', ino]);
    expect(files()).toHaveLength(2);
  });

  it('overwrites the archive of an earlier end of the run', async () => {
    put('learned\n', ...log);
    await ended('failed');
    const { ino } = statSync(path(...kept));
    await ended('failed');
    expect(statSync(path(...kept)).ino).toBe(ino);
    put('learned\nand more\n', ...log);
    await ended('completed');
    expect(read(...kept)).toBe('learned\nand more\n');
  });

  it('is archived only if it exists and the workflow exports it', async () => {
    await ended('completed');
    expect([files(), logged]).toEqual([[], []]);
    put('learned\n', ...log);
    await exported(given({ workflow: exporting('state'), run: { status: 'completed' }, chains: { '': [] } }));
    expect(existsSync(path(...kept))).toBe(false);
  });

  it('is kept, with a log line, if it cannot be archived', async () => {
    put('learned\n', ...log);
    put('in the way', 'archive');
    await ended('completed');
    expect(logged).toEqual([expect.stringMatching(/^cannot archive the progress log of r12: .*archive/)]);
    expect(read(...log)).toBe('learned\n');
  });

  it('is left alone with a log line if it exceeds the archive limit', async () => {
    put('x'.repeat(16 * 1024 * 1024 + 1), ...log);
    await ended('completed');
    expect(logged).toEqual([expect.stringContaining('move it away by hand')]);
    expect(existsSync(path(...kept))).toBe(false);
  });

  it('is not archived through a link out of the project', async () => {
    put('precious', 'elsewhere');
    mkdirSync(dirname(path(...log)), { recursive: true });
    symlinkSync(path('elsewhere'), path(...log));
    await ended('completed');
    expect(read('elsewhere')).toBe('precious');
    expect([existsSync(path(...kept)), logged]).toEqual([false, []]);
  });
});

it.each([
  ...['.ai', '.ai/states', '.ai/runs', '.ai/runs/r12', '.ai/runs/r12/scratch', '.workflow', '.workflow/.ralph'],
  ...['archive', 'archive/r12', 'archive/r12/scratch'],
])('a link at %s, planted by an agent, leads no export out of the project', async (at) => {
  const victims = tempFolder();
  for (const name of ['US-1.json', 'US-1.md', 'scratch/US-1.md', 'r12/US-1.md']) {
    mkdirSync(dirname(join(victims, name)), { recursive: true });
    writeFileSync(join(victims, name), 'precious');
  }
  const tree = () => readdirSync(victims, { recursive: true, encoding: 'utf8' }).sort();
  const before = tree();
  put('', at, 'gone');
  rmSync(path(at), { recursive: true });
  symlinkSync(victims, path(at));
  const all: readonly ExportName[] = ['state', 'workflow-state', 'session', 'progress'];
  const parts = { run: { scratch: 'fact\n' }, scratch: 'told\n' };
  for (const status of ['running', 'completed'] as const) {
    await exported(story(all, { ...parts, run: { ...parts.run, status } })).catch(() => undefined);
    await exported(story(all, { ...parts, run: { ...parts.run, status, oneShot: true } })).catch(() => undefined);
  }
  expect(tree()).toEqual(before);
  for (const name of before.filter((one) => one.includes('.'))) {
    expect(readFileSync(join(victims, name), 'utf8')).toBe('precious');
  }
});

describe('a one-shot run', () => {
  const all: readonly ExportName[] = ['state', 'workflow-state', 'session', 'progress'];
  const oneShot = (run: Partial<Run>) =>
    exported(story(all, { run: { oneShot: true, scratch: 'fact\n', ...run }, scratch: 'told\n' }));

  it('has files in the project only while it runs', async () => {
    await oneShot({});
    const own = ['scratch.md', 'scratch.md.known', 'scratch/US-1.md', 'scratch/US-1.md.known'];
    expect(files()).toEqual(own.map((name) => `.ai/runs/r12/${name}`));
    put('learned\n', '.ai/runs/r12/progress.txt');
    put('keep', '.ai/runs/r1/progress.txt');
    await oneShot({ status: 'failed' });
    expect(files()).toHaveLength(6);
    await oneShot({ status: 'completed' });
    expect(files()).toEqual(['.ai/runs/r1/progress.txt']);
  });

  it('keeps its files until its last attempt and its last checkout operation have ended', async () => {
    await oneShot({});
    await oneShot({ status: 'cancelled', live: [{ attempt: 'a', chain: '', node: 'n1', step: 's', startedAt: null }] });
    await oneShot({ status: 'cancelled', ops: [{ id: 'o1', kind: 'restore', stash: 's' }] });
    expect(files()).toHaveLength(4);
    await oneShot({ status: 'cancelled' });
    expect(files()).toEqual([]);
  });

  it('does not archive the scratch files of its stories', async () => {
    put('told\n', '.ai/runs/r12/scratch/US-1.md');
    await exported(story(all, { run: { oneShot: true }, items: [anItem('US-1', 1, { status: 'done' })] }));
    expect(files()).toEqual(['.ai/runs/r12/scratch/US-1.md']);
  });
});
