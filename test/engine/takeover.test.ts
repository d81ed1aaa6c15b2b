// Resuming what another orchestrator began.
import { describe, expect, it } from 'vitest';
import { type FoundChain, type FoundStep, type Resume, renderPrompt, type Takeover } from '../../src/engine/index.js';
import { def, failing, item, loop, Player, pass, workflow } from './builders.js';

const body = [def('plan'), def('impl', { maxAttempts: 3 }), def('lint')];
const flow = workflow([def('brainstorm'), loop('stories', body), def('ship')]);
const step = (template: string, state: FoundStep['state'] = 'open', more: Partial<FoundStep> = {}) => ({
  ...{ template, state },
  ...more,
});
const whole = [step('plan', 'done'), step('impl'), step('lint')];

function found(steps: readonly FoundStep[], more: Partial<FoundChain> = {}): FoundChain {
  return { steps, begin: null, attempt: 1, notes: 'notes of before', ...more };
}

function resume(chain: FoundChain): Resume {
  return {
    stories: [
      { item: item('US-3'), status: 'open', chain: null },
      { item: item('US-2'), status: 'begun', chain },
      { item: { ...item('US-1'), isDone: true }, status: 'done', chain: null },
    ],
    session: null,
    context: {},
  };
}

const begun = (chain: FoundChain) => Player.start(flow, { resume: resume(chain), afterStory: 'propose' });

describe("a run that resumes another orchestrator's work", () => {
  it('continues in the started story and repeats neither finished stories nor earlier steps', () => {
    const player = begun(found(whole, { attempt: 2 }));
    expect([player.stories(), player.live]).toEqual(['US-1:done US-2:running US-3:ready', 'US-2/impl']);
    expect([player.node('brainstorm').state, player.line('US-2')]).toEqual([
      'skipped',
      'plan:skipped impl:queued lint:waiting',
    ]);
    const { text } = renderPrompt(player.stateOf('US-2'), player.node('impl', 'US-2').id);
    expect(text).toMatch(/Attempt 2 of 3[\s\S]*notes of before/);
  });

  it.each([
    [2, ['US-2/impl', null]],
    [99, [null]],
  ])('continues at attempt %i with the attempts that are left, one at least', (attempt, lives) => {
    const player = begun(found(whole, { attempt }));
    expect(lives.map(() => player.settle(failing).live)).toEqual(lives);
    expect(player.asks).toEqual(['stuck']);
  });

  it('runs previously inserted steps in the order found', () => {
    const player = begun(
      found([
        step('plan', 'done'),
        step('impl', 'done'),
        step('lint', 'done'),
        step('impl', 'open', { description: 'again' }),
        step('lint'),
      ]),
    );
    expect(player.line('US-2')).toBe('plan:skipped impl:skipped lint:skipped impl:queued lint:waiting');
    expect(player.nodes('US-2')[3]?.description).toBe('again');
  });

  it.each<[string, readonly FoundStep[]]>([
    ['lacks a step', [step('plan', 'done'), step('impl')]],
    ['names one that the workflow does not know', [step('plan', 'done'), step('impl'), step('dance'), step('lint')]],
  ])("runs the workflow's own steps from the first open one when the found list %s", (_title, steps) => {
    expect(begun(found(steps)).line('US-2')).toBe('plan:skipped impl:queued lint:waiting');
  });

  it('asks before the next story only after finishing one itself', () => {
    const player = begun(found(whole)).walk(pass, pass);
    expect([player.stories(), player.asks]).toEqual(['US-1:done US-2:done US-3:ready', ['next_item']]);
  });
});

describe('state left by another orchestrator', () => {
  const takeover: Takeover = {
    words: ['US-2 impl, attempt 1'],
    files: [{ path: '.ai/STATE.json', hash: 'h' }],
    resume: resume(found(whole)),
    afresh: 'propose',
  };
  const asked = (more: Partial<Takeover> = {}) =>
    Player.create(flow, { items: [item('US-9')], propose: true, takeover: { ...takeover, ...more } });

  it('is asked about before the run can start', () => {
    const player = asked();
    expect([player.asks, player.open[0]?.options.map(({ id }) => id)]).toEqual([
      ['takeover'],
      ['resume', 'afresh', 'cancel'],
    ]);
    expect(player.go().replies).toMatchObject([{ type: 'shown' }]);
    expect(player.do({ type: 'start', behind: null }).run.status).toBe('draft');
  });

  it("is resumed beside the task's stories, and the run starts at once", () => {
    const player = asked().answer('resume').worked();
    expect([player.stories(), player.live]).toEqual(['US-1:done US-2:running US-9:ready US-3:ready', 'US-2/impl']);
    expect(player.run.settled).toEqual(takeover.files);
  });

  it.each<[Takeover['afresh'], string, readonly string[]]>([
    ['propose', 'draft', ['proposal']],
    ['wait', 'draft', []],
    ['start', 'running', []],
    ['end', 'cancelled', []],
  ])('is ignored when a person starts afresh; then: %s', (afresh, status, asks) => {
    const player = asked({ afresh }).answer('afresh');
    expect([player.run.status, player.asks, player.stories().includes('US-2')]).toEqual([status, asks, false]);
    expect(player.run.settled).toEqual(takeover.files);
  });

  it('offers no Resume when there is nothing to resume, and records nothing on Cancel', () => {
    const player = asked({ resume: null });
    expect(player.open[0]?.options.map(({ id }) => id)).toEqual(['afresh', 'cancel']);
    expect(player.answer('cancel').run).toMatchObject({ status: 'cancelled' });
    expect(player.run.settled).toBeUndefined();
  });
});
