import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { takeSnapshot } from '../../../src/config/workflow-files.js';
import {
  currentChainKey,
  exportRun,
  initialState,
  type StateFile,
  stateFile,
} from '../../../src/dispatch/exports/index.js';
import { writeText } from '../../../src/dispatch/exports/write-whole.js';
import type { Envelope } from '../../../src/engine/index.js';
import type { Spine } from '../../../src/store/index.js';
import {
  check,
  def,
  envelope,
  failing,
  handoff,
  item,
  loop,
  Player,
  pass,
  policy,
  question,
  report,
  timeout,
  workflow,
} from '../../engine/builders.js';
import { tempFolder } from '../given.js';

const waterfall = takeSnapshot('micro-waterfall', {
  root: null,
  cwd: '/',
  home: null,
  opens: 'any',
}).workflow;
const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function begin(...envelopes: readonly Envelope[]): Player {
  const player = Player.start(waterfall, { items: [item('US-1'), item('US-2', ['US-1'])] });
  return player.walk(...envelopes);
}

function spineOf(player: Player): Spine {
  const { run, items, interactions, workflow: by } = player.state;
  return { run, items, interactions, workflow: by };
}

function fileOf(player: Player, key = 'US-1'): StateFile {
  const chain = player.world.chains.get(key);
  if (!chain) throw new Error(`no chain ${key}`);
  return stateFile(spineOf(player), chain);
}

const started = (player: Player): Player => {
  const [live] = player.run.live;
  return live ? player.do({ type: 'attempt_started', chain: live.chain, attempt: live.attempt, worker: 'w1' }) : player;
};

describe('the state file', () => {
  it('starts with no story, at the first step, with all evidence empty', () => {
    expect(initialState('shop')).toEqual({
      project: 'shop',
      story: null,
      step: 'bdd',
      attempt: 1,
      max_attempts: 3,
      status: 'pending',
      reason: null,
      dispatched_at: null,
      completed_at: null,
      timeout_min: 5,
      tests: null,
      failing_tests: [],
      lint_pass: null,
      files_changed: [],
      blocked_by: [],
      human_note: null,
    });
  });

  it('has the status running from the dispatch on, without a completion time', () => {
    const player = begin();
    const expected = {
      project: 'shop',
      story: 'US-1',
      step: 'bdd',
      attempt: 1,
      max_attempts: 3,
      status: 'running',
      reason: null,
      completed_at: null,
      timeout_min: 5,
    };
    expect(fileOf(player)).toMatchObject({ ...expected, dispatched_at: expect.stringMatching(iso) });
    expect(fileOf(started(player))).toMatchObject({ ...expected, dispatched_at: expect.stringMatching(iso) });
  });

  it('has the limits of its current step', () => {
    const player = begin(pass, pass, pass).answer('approve');
    expect(fileOf(player)).toMatchObject({ step: 'scaffold', max_attempts: 2, timeout_min: 5, attempt: 1 });
    player.walk(pass);
    expect(fileOf(player)).toMatchObject({ step: 'impl', max_attempts: 5, timeout_min: 10, attempt: 1 });
  });

  it('has the status failing with the number of the failed attempt while it waits for a person’s go', () => {
    const player = Player.start(waterfall, { items: [item('US-1')], level: 'semi' });
    player.settle(envelope({ result: report('failing', 'nfr_missing', 'no limits named') }));
    expect(fileOf(player)).toMatchObject({
      step: 'bdd',
      status: 'failing',
      attempt: 1,
      reason: 'nfr_missing',
      completed_at: expect.stringMatching(iso),
    });
    player.go();
    expect(fileOf(player)).toMatchObject({
      step: 'bdd',
      status: 'running',
      attempt: 2,
      reason: null,
      completed_at: null,
    });
    player.settle(failing);
    expect(fileOf(player)).toMatchObject({ status: 'failing', attempt: 2, reason: null });
  });

  it('shows a step as passed until the next step is dispatched', () => {
    const player = Player.start(waterfall, { items: [item('US-1')], level: 'semi' }).settle(pass);
    expect(fileOf(player)).toMatchObject({
      step: 'bdd',
      status: 'pass',
      attempt: 1,
      timeout_min: 5,
      dispatched_at: expect.stringMatching(iso),
      completed_at: expect.stringMatching(iso),
    });
    player.go();
    expect(fileOf(player)).toMatchObject({ step: 'sdd-delta', status: 'running', completed_at: null });
  });

  it('shows an approved review as passed', () => {
    const player = Player.start(waterfall, { items: [item('US-1')], level: 'semi' });
    player.settle(pass).go().settle(pass).go().settle(pass).go().answer('approve');
    expect(fileOf(player)).toMatchObject({ step: 'review', status: 'pass' });
  });

  it('has the status pending after a rollback to before a step', () => {
    const player = Player.start(waterfall, { items: [item('US-1')], level: 'semi' })
      .settle(pass)
      .go()
      .settle(pass);
    player.do({ type: 'rollback', chain: 'US-1', node: player.node('sdd-delta', 'US-1').id }).worked();
    expect(fileOf(player)).toMatchObject({ step: 'sdd-delta', status: 'pending' });
  });

  it('has the status timeout after a timeout', () => {
    expect(fileOf(begin(timeout))).toMatchObject({
      step: 'bdd',
      status: 'timeout',
      attempt: 1,
      completed_at: expect.stringMatching(iso),
    });
  });

  it('has the status needs_human at a review, at a question and when attempts are exhausted', () => {
    expect(fileOf(begin(pass, pass, pass))).toMatchObject({ step: 'review', status: 'needs_human' });
    expect(fileOf(begin(question))).toMatchObject({ step: 'bdd', status: 'needs_human' });
    expect(fileOf(begin(failing, failing, failing))).toMatchObject({
      step: 'bdd',
      status: 'needs_human',
      attempt: 3,
      max_attempts: 3,
    });
  });

  it('has the step done and the status pass when its story is done', () => {
    const player = begin(pass, pass, pass).answer('approve');
    const tested = envelope({
      result: report('pass'),
      checks: [check('tests', true), check('check', true)],
      filesChanged: ['a.ts'],
    });
    const red = envelope({ result: report('pass'), checks: [check('tests', false, ['a fails'])] });
    player.walk(red, tested, tested, tested);
    expect(fileOf(player)).toMatchObject({
      story: 'US-1',
      step: 'done',
      status: 'pass',
      dispatched_at: expect.stringMatching(iso),
      completed_at: expect.stringMatching(iso),
      tests: { pass: 2, fail: 0, skip: 0 },
      lint_pass: true,
      files_changed: ['a.ts'],
    });
  });

  it('holds the evidence of the settled attempt: tests, failing tests, lint, files', () => {
    const player = Player.start(waterfall, { items: [item('US-1')], level: 'semi' });
    player.settle(
      envelope({
        result: report('pass'),
        checks: [check('tests', false, ['adds', 'removes']), check('check', false)],
        filesChanged: ['a.ts', 'b.ts'],
      }),
    );
    const evidence = {
      tests: { pass: 2, fail: 2, skip: 0 },
      failing_tests: ['adds', 'removes'],
      lint_pass: false,
      files_changed: ['a.ts', 'b.ts'],
    };
    expect(fileOf(player)).toMatchObject(evidence);
    player.go();
    expect(fileOf(player)).toMatchObject({ status: 'running', ...evidence });
  });

  it('keeps the evidence of a step until a later step brings newer evidence', () => {
    const player = Player.start(waterfall, { items: [item('US-1')], level: 'semi' });
    const tested = envelope({
      result: report('pass'),
      checks: [check('tests', true), check('check', true)],
      filesChanged: ['a.ts'],
    });
    const evidence = { tests: { pass: 2, fail: 0, skip: 0 }, lint_pass: true, files_changed: ['a.ts'] };
    player.settle(tested).go();
    expect(fileOf(player)).toMatchObject({ step: 'sdd-delta', status: 'running', ...evidence });
    player.settle(pass);
    expect(fileOf(player)).toMatchObject({ step: 'sdd-delta', status: 'pass', ...evidence });
    player.go().settle(envelope({ result: report('pass'), checks: [check('tests', false, ['adds'])] }));
    expect(fileOf(player)).toMatchObject({ failing_tests: ['adds'], lint_pass: true, files_changed: ['a.ts'] });
  });

  it.each<[string, Envelope, Partial<StateFile>]>([
    ['nothing measured', failing, {}],
    ['a check alone', envelope({ exit: 0, checks: [check('check', true)] }), { lint_pass: true }],
    [
      'files alone',
      envelope({ result: report('failing'), filesChanged: ['b.ts'] }),
      { files_changed: ['a.ts', 'b.ts'] },
    ],
    [
      'failing tests that are counted and not named',
      envelope({ handoff: handoff({ status: 'failing', tests: { pass: 1, fail: 3, skip: 0 } }) }),
      { tests: { pass: 1, fail: 3, skip: 0 } },
    ],
    [
      'green tests alone',
      envelope({ result: report('failing'), checks: [check('tests', true)] }),
      { tests: { pass: 2, fail: 0, skip: 0 }, failing_tests: [] },
    ],
  ])('keeps the evidence of a step when a later attempt of it brings %s', (_, later, newer) => {
    const red = envelope({
      result: report('failing'),
      checks: [check('tests', false, ['adds']), check('check', false)],
      filesChanged: ['a.ts'],
    });
    const player = begin(red);
    const kept = {
      tests: { pass: 2, fail: 1, skip: 0 },
      failing_tests: ['adds'],
      lint_pass: false,
      files_changed: ['a.ts'],
    };
    expect(fileOf(player)).toMatchObject({ step: 'bdd', attempt: 2, ...kept });
    player.settle(later);
    expect(fileOf(player)).toMatchObject({ ...kept, ...newer });
  });

  it('names no failing tests if a report only counts them', () => {
    const counted = { pass: 1, fail: 3, skip: 0 };
    const player = begin(envelope({ handoff: handoff({ status: 'failing', tests: counted }) }));
    expect(fileOf(player)).toMatchObject({ tests: counted, failing_tests: [] });
  });

  it('keeps the evidence of a chain stored by an earlier version', () => {
    const player = begin(pass, envelope({ result: report('failing'), checks: [check('tests', false, ['adds'])] }));
    const { evidence: _, ...stored } = player.stateOf('US-1').chain;
    player.world = { ...player.world, chains: new Map(player.world.chains).set('US-1', stored) };
    const kept = { step: 'sdd-delta', tests: { pass: 2, fail: 1, skip: 0 }, failing_tests: ['adds'] };
    expect(fileOf(player)).toMatchObject({ attempt: 2, ...kept });
    expect(fileOf(player.settle(failing))).toMatchObject({ attempt: 3, ...kept });
  });

  it('lists unfinished stories that block its story', () => {
    const player = begin();
    const chain = { ...player.stateOf('').chain, key: 'US-2', nodes: player.stateOf('US-1').chain.nodes };
    expect(stateFile(spineOf(player), chain).blocked_by).toEqual(['US-1']);
    const items = player.state.items.map((one) => (one.key === 'US-1' ? { ...one, status: 'done' as const } : one));
    expect(stateFile({ ...spineOf(player), items }, chain).blocked_by).toEqual([]);
    expect(fileOf(player).blocked_by).toEqual([]);
  });

  it('holds a person’s notes until they are delivered to an agent', () => {
    const player = begin(failing, failing, failing);
    const note = { kind: 'remark', question: null, by: 'ada' } as const;
    const notes = [
      { ...note, text: '30 seconds' },
      { ...note, text: 'use the glossary' },
    ];
    const noted = { ...player.stateOf('US-1').chain, notes };
    expect(stateFile(spineOf(player), noted).human_note).toBe('30 seconds\nuse the glossary');
    player.do({ type: 'retry', chain: 'US-1', node: player.node('bdd', 'US-1').id, note: 'use the glossary' });
    expect(player.node('bdd', 'US-1').live?.notes).toMatchObject([{ text: 'use the glossary' }]);
    expect(fileOf(player)).toMatchObject({ status: 'running', human_note: null });
  });
});

describe('the current story of a project', () => {
  const two = loop('stories', [def('implement', { onExhausted: 'fail', maxAttempts: 1, abandons: 0 })]);

  it('is the running story, else a failed one, else the last one begun', () => {
    const player = Player.start(workflow([two], policy({ onItemFailed: 'continue' })), {
      items: [item('US-1'), item('US-2'), item('US-3')],
      afterStory: 'start',
    });
    expect(currentChainKey(spineOf(player))).toBe('US-1');
    player.walk(pass, failing);
    expect(player.stories()).toBe('US-1:done US-2:failed US-3:running');
    expect(currentChainKey(spineOf(player))).toBe('US-3');
    player.walk(pass);
    expect(currentChainKey(spineOf(player))).toBe('US-2');
  });

  it('is the last one done if all are done, and the first one if none has begun', () => {
    const player = Player.create(workflow([two]), { items: [item('US-1'), item('US-2')], afterStory: 'start' });
    expect(currentChainKey(spineOf(player))).toBe('US-1');
    player.do({ type: 'start', behind: null }).worked().walk(pass, pass);
    expect(currentChainKey(spineOf(player))).toBe('US-2');
  });

  it('is the run’s own chain if there are no stories', () => {
    expect(currentChainKey(spineOf(Player.start(workflow([def('implement')]))))).toBe('');
  });
});

describe('the state file export', () => {
  const read = (root: string, name: string): StateFile => JSON.parse(readFileSync(join(root, '.ai', name), 'utf8'));
  const exported = (root: string, player: Player, keys: readonly string[]) =>
    exportRun(root, spineOf(player), keys, (key) => player.world.chains.get(key) ?? null);

  it('writes one file for the project, and one for each changed story that has begun', async () => {
    const root = tempFolder();
    const player = begin();
    await exported(root, player, ['', 'US-1', 'US-2']);
    expect(read(root, 'STATE.json')).toEqual(fileOf(player));
    expect(readdirSync(join(root, '.ai', 'states'))).toEqual(['US-1.json']);
    expect(read(root, 'states/US-1.json')).toEqual(fileOf(player));
  });

  it('writes the initial state with the first story before any work has begun', async () => {
    const root = tempFolder();
    await exported(root, Player.create(waterfall, { items: [item('US-7')] }), ['']);
    expect(read(root, 'STATE.json')).toEqual({ ...initialState('shop'), story: 'US-7' });
  });

  it('replaces a file atomically, so that a reader never sees half of it', async () => {
    const root = tempFolder();
    const path = join(root, '.ai', 'STATE.json');
    const big = (at: number) => ({ at, text: `${at}`.repeat(20_000), end: at });
    await writeText(root, path, JSON.stringify(big(0)));
    let isWriting = true;
    let count = 0;
    const reading = (async () => {
      while (isWriting) {
        const seen = JSON.parse(await readFile(path, 'utf8'));
        expect(seen.end).toBe(seen.at);
        count += 1;
      }
    })();
    for (let at = 1; at <= 150; at++) await writeText(root, path, JSON.stringify(big(at)));
    isWriting = false;
    await reading;
    expect(count).toBeGreaterThan(10);
    expect(readdirSync(join(path, '..'))).toEqual(['STATE.json']);
  });

  it('does not create the folder of a project that is gone', async () => {
    const root = join(tempFolder(), 'away');
    await exported(root, begin(), ['US-1']);
    expect(existsSync(root)).toBe(false);
  });

  it('replaces a link at the file’s path instead of writing through it', async () => {
    const root = tempFolder();
    const elsewhere = join(root, 'precious');
    writeFileSync(elsewhere, 'precious');
    mkdirSync(join(root, '.ai'));
    symlinkSync(elsewhere, join(root, '.ai', 'STATE.json'));
    await exported(root, begin(), []);
    expect(readFileSync(elsewhere, 'utf8')).toBe('precious');
    expect(read(root, 'STATE.json').story).toBe('US-1');
  });
});
