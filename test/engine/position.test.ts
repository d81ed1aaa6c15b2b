// Where a run begins: told from the project's files, or by a person.
import { describe, expect, it } from 'vitest';
import type { Position, Survey, Workflow, WorkspaceResult } from '../../src/engine/index.js';
import { clean, def, item, loop, Player, policy, workflow } from './builders.js';
import { fragment, gate, insert, optionsOf, told, when, workOn } from './chains.js';

const position = (name: string, begin: string, text: string): Position => ({ name, begin, when: when(text) });

const positions = [
  position('nothing', 'init', '!has_folder'),
  position('planned', 'verify', "latest == 'plan' || phase_hint == 'two'"),
  position('ready', 'analyze', 'phase != null'),
  position('over', 'audit', "wish == 'audit'"),
];

const chain = [
  def('init'),
  def('roadmap'),
  loop('phases', [def('analyze'), def('verify')], { over: 'phases' }),
  def('audit'),
];
const flow = workflow(chain, { survey: '.workflow', positions, ...policy({ afterStory: 'start' }) });

function surveyed(
  patch: Partial<Survey> = {},
  names: readonly string[] = ['M1'],
  phases: readonly string[] = ['1', '2'],
): WorkspaceResult {
  const milestones = names.map((name) => ({ id: name, name, status: 'active', phases, donePhases: [] }));
  const state = { current: names[0] ?? null, raw: 'what it says', artifacts: [], milestones };
  return {
    ...clean,
    survey: { hasFolder: true, hasSources: true, hasRoadmap: true, state, problem: null, results: {}, ...patch },
  };
}

const bare = surveyed({ hasFolder: false, state: null, hasRoadmap: false });
const broken = surveyed({ state: null, problem: 'state.json is cut off' });

const start = (options = {}, chosen: Workflow = flow) => Player.start(chosen, options);

describe('a run that starts from the project survey', () => {
  it('reads the survey before anything else', () => {
    const player = start();
    expect(player.run.ops).toMatchObject([{ kind: 'read', chain: '', node: null, files: [], survey: '.workflow' }]);
    expect(player.line()).toBe('init:waiting roadmap:waiting phases:waiting audit:waiting');
  });

  it('starts at the step that the first matching rule names', () => {
    const player = start().worked(bare);
    expect([player.run.position, player.run.begin, player.live]).toEqual(['nothing', null, '/init']);
    expect(told(player)).toEqual(['it stands at nothing; it begins with init.']);
  });

  it('skips the steps before its position and starts inside the loop', () => {
    const player = start().worked(surveyed());
    expect(player.line()).toBe('init:skipped roadmap:skipped phases:running audit:waiting');
    expect(player.node('init').skipReason).toEqual({ type: 'inferred' });
    expect([player.run.position, player.run.begin, player.run.context['milestone']]).toEqual([
      'ready',
      'analyze',
      'M1',
    ]);
  });

  it('starts inside the first phase, and the next phase at its first step', () => {
    const flowTwo = { ...flow, context: { phase_hint: 'two' } };
    const player = start({}, flowTwo).worked(surveyed()).worked(surveyed());
    expect([player.line('P1'), player.live]).toEqual(['analyze:skipped verify:queued', 'P1/verify']);
    player.settle().worked();
    expect(player.line('P2')).toBe('analyze:queued verify:waiting');
  });

  it('can start after the loop', () => {
    const over = { ...flow, positions: positions.slice(3), context: { wish: 'audit' } };
    const player = start({}, over).worked(surveyed());
    expect(player.live).toBe('/audit');
  });

  it('asks a person for the position when no rule matches, showing the problem', () => {
    const player = start().worked(broken);
    expect(player.open).toMatchObject([{ kind: 'choice', subject: { type: 'position' } }]);
    expect(player.open[0]?.text).toMatch(
      'Where shop stands cannot be told.\nE002: state.json is cut off. Say where it stands',
    );
    expect(optionsOf(player)).toEqual(['at-nothing', 'at-planned', 'at-ready', 'at-over', 'abort']);
    expect(player.answer('at-over').live).toBe('/audit');
    expect(start().worked(broken).answer('abort').run.status).toBe('cancelled');
  });

  it('shows the state file when no rule matches and there is no problem to show', () => {
    const none = { ...flow, positions: positions.slice(3) };
    const text = start({}, none).worked(surveyed()).open[0]?.text;
    expect(text).toBe(
      'Where shop stands cannot be told.\nE002: no rule holds\nwhat it says. Say where it stands, or mend the state file.',
    );
  });

  it('uses the phase and the milestone given as context', () => {
    const given = { ...flow, context: { phase: '2', milestone: 'M2' } };
    const player = start({}, given)
      .worked(surveyed({}, ['M1', 'M2']))
      .worked(surveyed({}, ['M1', 'M2']));
    expect(player.state.items[0]).toMatchObject({ key: 'P2', values: { phase: '2', milestone: 'M2' } });
  });

  it('starts at the first step when it has no position rules or no survey', () => {
    expect(start({}, { ...flow, positions: [] }).live).toBe('/init');
    expect(start({}, { ...flow, survey: null }).live).toBe('/init');
  });

  it('throws when the survey or the chosen position is missing', () => {
    expect(() => start().worked()).toThrow('the survey that was asked for is missing');
    const player = start().worked(broken);
    const rules = { ...flow, positions: [] };
    const [, ...rest] = player.open;
    expect(rest).toEqual([]);
    expect(() => {
      player.world = { ...player.world, state: { ...player.state, workflow: rules } };
      player.answer('at-over');
    }).toThrow('no position over in test');
  });
});

describe('a loop over phases', () => {
  const walked = workflow([loop('phases', [def('verify')], { over: 'phases' }), def('audit')], { survey: '.workflow' });

  it("runs each phase as an item with the phase's values", () => {
    const player = start({ afterStory: 'start' }, walked).worked(surveyed());
    expect(player.state.items).toMatchObject([
      { key: 'P1', title: 'M1, phase 1', status: 'running', values: { phase: '1', milestone: 'M1' } },
      { key: 'P2', title: 'M1, phase 2', status: 'ready' },
    ]);
    player.settle().worked().settle().worked();
    expect(player.live).toBe('/audit');
  });

  it('asks a person when there is no phase, and reads again on Retry', () => {
    const player = start({}, walked).worked(surveyed({}, ['M1'], []));
    expect([player.asks, player.line()]).toEqual([['stuck'], 'phases:needs_human audit:waiting']);
    expect(player.open[0]?.text).toContain('E002: No phase is left to walk, or none can be read.');
    expect(player.open[0]?.text).toContain('milestone M1 names no phase');
    expect(player.answer('retry').worked(surveyed()).live).toBe('P1/verify');
  });

  it('asks without details when the survey shows no problem', () => {
    const player = start({}, walked).worked(surveyed({ hasRoadmap: false, state: null }));
    expect(player.open[0]?.text).toBe(
      'E002: No phase is left to walk, or none can be read. Say where it stands, or mend the state file.',
    );
  });

  it('runs the named stories instead', () => {
    expect(start({ items: [item('US-1')] }, walked).live).toBe('US-1/verify');
  });

  it('gives the phases of a repeated walk unique keys', () => {
    const again = gate('next', { onFail: insert('more', { carry: { milestone: 'to' } }), maxRetries: null });
    const flowAgain = workflow([loop('phases', [def('verify')], { over: 'phases' }), again], {
      survey: '.workflow',
      fragments: fragment('more', ['phases', 'next']),
    });
    const player = start({}, flowAgain).worked(surveyed({}, ['M1'], ['1']));
    for (const to of ['Mile 2', 'Mile 2']) {
      player.settle().worked();
      workOn(player, 'read', '', { ...clean, evidence: { 'result.json': { found: true, value: { to } } } });
      workOn(player, 'read', '', surveyed({}, ['Mile 2'], ['1']));
    }
    expect(player.state.items.map((one) => one.key)).toEqual(['P1', 'Mile-2-P1', 'Mile-2-P1-2']);
  });
});
