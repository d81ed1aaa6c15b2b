// What a card tells of what was done, of what it cost, and of what became of a question.
import { describe, expect, it } from 'vitest';
import { noticeView, progress } from '../../../src/bot/views/notices.js';
import { joinedLines } from '../../../src/bot/views/view.js';
import { runOffers } from '../../../src/bot/views/work/offers.js';
import { usualLine } from '../../../src/bot/views/work/usual.js';
import type { CheckResult, Envelope, Notice } from '../../../src/engine/index.js';
import {
  clean,
  def,
  failing,
  interrupted,
  item,
  loop,
  Player,
  pass,
  permissionAsk,
  questionAsk,
  workflow,
} from '../../engine/builders.js';

const review = def('review', { kind: 'human' });
const diff = (files: number): Partial<Envelope> => ({ diffStat: { files, insertions: files * 3, deletions: files } });

function tests(ok: boolean, counts: { readonly pass: number; readonly fail: number } | null = null): CheckResult {
  const numbers = counts && { ...counts, skip: 0, failing: [] };
  return { name: 'tests', command: 'true', ok, exit: ok ? 0 : 1, timedOut: false, tests: numbers, tail: '' };
}

function cardOf(player: Player, type: Notice['type'], chain = ''): string {
  const notice = player.notices.find((one) => one.type === type);
  const text = notice && noticeView(notice, player.stateOf(chain), player.now)?.view.text;
  if (text === undefined) throw new Error(`nothing ${type} was told`);
  return text;
}

describe('the card of a review', () => {
  const reviewed = (envelope: Envelope) =>
    cardOf(Player.start(workflow([def('impl'), review])).walk(envelope), 'asked');

  it.each([
    ['says so when nothing was changed', diff(0), 'no files changed · tests not checked (no step runs them)'],
    ['says how much was changed', diff(2), '2 files +6 −2 · tests not checked (no step runs them)'],
    [
      'does not say "none" of what nobody could measure',
      {},
      'changes not measured · tests not checked (no step runs them)',
    ],
    ['says so when no tests were run', {}, 'changes not measured · tests not checked (no step runs them)'],
    ['says that tests passed that tell no numbers', { checks: [tests(true)] }, 'changes not measured · tests pass'],
    [
      'tells the numbers where there are some',
      { checks: [tests(true, { pass: 3, fail: 0 })] },
      'changes not measured · tests 3 of 3 ✓',
    ],
    [
      'knows a check from tests',
      { checks: [{ ...tests(true), name: 'check' as const }] },
      'changes not measured · tests not checked (no step runs them)',
    ],
  ])('%s', (_what, measured, line) => {
    expect(reviewed({ ...pass, ...measured }).split('\n')).toContain(line);
  });

  it.each([
    ['no step of the workflow runs them', null, [pass], 'no step runs them'],
    ['the project has no test command', 'impl', [pass], 'no test command set'],
    ['the step that runs them comes later', 'verify', [pass], 'not run yet'],
  ] as const)('says why tests are not checked: %s', (_why, testing, envelopes, why) => {
    const steps = [def('impl'), review, def('verify')];
    const flow = workflow(steps.map((one) => (one.id === testing ? { ...one, tests: 'project' } : one)));
    const card = cardOf(Player.start(flow).walk(...envelopes), 'asked');
    expect(card).toContain(`tests not checked (${why})`);
  });

  it('says that tests are not checked because their step was skipped', () => {
    const flow = workflow([def('impl', { tests: 'project', maxAttempts: 1 }), review]);
    const player = Player.start(flow).walk(failing).answer('skip');
    expect(cardOf(player, 'asked')).toContain('tests not checked (step skipped)');
  });

  it('of a run with stories omits the changes, which the story cards show', () => {
    const flow = workflow([def('plan'), loop('stories', [def('impl')]), review]);
    const player = Player.start(flow, { items: [item('US-1')] }).walk({ ...pass, ...diff(0) }, pass);
    expect(cardOf(player, 'asked')).not.toContain('Changes');
  });
});

const unpriced: Envelope = { ...pass, isUnpriced: true };
describe('a step report', () => {
  it('shows a warning only when the hand-off itself is broken', () => {
    const slip = 'the front matter of HANDOFF.md is broken at line 3: Flow map';
    const settle = (patch: object) => Player.start(workflow([def('impl')])).settle({ ...pass, ...patch });
    expect(cardOf(settle({ warnings: [slip] }), 'settled')).toContain(`impl complete\nWarning: ${slip}`);
    expect(cardOf(settle({ warnings: ['other'] }), 'settled')).not.toContain('Warning');
  });
});

describe('work without a change', () => {
  const flow = workflow([loop('stories', [def('impl')])]);

  it('marks its story "no change" instead of a tick', () => {
    const player = Player.start(flow, { items: [item('US-1'), item('US-2')], afterStory: 'start' }).settle({
      ...pass,
      ...diff(0),
    });
    player.worked(clean);
    expect(cardOf(player, 'item_done', 'US-1')).toMatch(/^no change · tests not checked \(no step runs them\)$/m);
    player.settle({ ...pass, ...diff(1), filesChanged: ['a.ts'] }).worked({ ...clean, commit: 'abcdef012345' });
    expect(cardOf(player, 'item_done', 'US-2')).not.toContain('no change');
    const card = cardOf(player, 'ended');
    expect(card).toContain('– US-1 Title of US-1, no change\n');
    expect(card).not.toContain('✓ US-1');
    expect(card).toMatch(/✓ US-2 Title of US-2$/m);
    expect(card).toContain('2 of 2 stories done, 1 without a change');
  });

  it('marks the final card of a run without stories "no change"', () => {
    const ended = (files: number) =>
      cardOf(
        Player.start(workflow([def('impl')]))
          .settle({ ...pass, ...diff(files), filesChanged: files === 0 ? [] : ['a.ts'] })
          .worked(clean),
        'ended',
      );
    expect(ended(0)).toContain('no change');
    expect(ended(1)).not.toContain('no change');
  });

  it('offers no diff at the end of a run', () => {
    const player = Player.start(workflow([def('impl')]));
    const state = player.stateOf('');
    const offersOf = (to: string) =>
      runOffers({ ...state, run: { ...state.run, work: { from: 'a', to } } }).map(({ label }) => label);
    expect([offersOf('a'), offersOf('b')]).toEqual([['Show log'], ['Show diff', 'Show log']]);
  });
});

describe('cost', () => {
  const flow = workflow([def('plan'), loop('stories', [def('impl'), review])]);
  const atReview = () =>
    Player.start(flow, { items: [item('US-1')] }).walk({ ...pass, costUsd: 2 }, { ...pass, costUsd: 0.25 });

  it('on the card of a story is that of the story', () => {
    const player = atReview();
    expect(player.run.costUsd).toBe(2.25);
    expect(cardOf(player, 'asked', 'US-1')).toContain(' · $0.25\n');
    player.answer('approve').worked(clean);
    expect(cardOf(player, 'item_done', 'US-1')).toMatch(/done · \$0\.25$/m);
  });

  it('on a card of the run is that of the run', () => {
    const player = Player.start(workflow([def('impl'), review])).walk({ ...pass, costUsd: 2 });
    expect(cardOf(player, 'asked')).toContain(' · $2.00\n');
  });

  it.each([
    ['unknown where no agent told any', [unpriced], 'cost unknown'],
    [
      'what is known at least, where one told none',
      [{ ...pass, costUsd: 2 }, unpriced],
      'tests not checked (no step runs them) · at least $2.00\n',
    ],
    ['left out where it is known to be nothing', [pass], 'tests not checked (no step runs them)\n'],
  ])('is %s', (_what, envelopes, told) => {
    const defs = [...envelopes.map((_one, index) => def(`step${index}`)), review];
    expect(cardOf(Player.start(workflow(defs)).walk(...envelopes), 'asked')).toContain(told);
  });

  it('is left out of step progress while it is unknown', () => {
    const player = Player.start(workflow([def('first'), def('second')])).walk(unpriced);
    expect(progress(player.state, 'shop: first complete', '').view.text).not.toContain('cost');
    expect(progress(player.state, 'shop: second', '', 0.5).view.text).toContain('at least $0.50');
  });

  it('is unknown at the end of an unpriced run, and a negative duration is left out', () => {
    const player = Player.start(workflow([def('impl')]));
    player.now -= 172_196_000;
    const ended = cardOf(player.walk(unpriced), 'ended');
    expect(ended.split('\n')[1]).toBe('shop is done · cost unknown');
  });
});

describe('the card of an agent that ended without its answer', () => {
  it.each([
    ['a question', questionAsk],
    ['a permission', permissionAsk],
  ])('says so for %s, and that the step asks again', (_what, ask) => {
    const player = Player.start(workflow([def('impl')])).agentAsks(ask);
    player.settle(interrupted);
    expect(cardOf(player, 'decided')).toContain('its agent ended; the step asks again if it still needs to');
  });

  it('differs from a card that Bosun itself withdrew', () => {
    const player = Player.start(workflow([def('impl'), review]))
      .walk(pass)
      .do({ type: 'abort' })
      .answer('abort', null, 'abort');
    const told = player.notices.flatMap((one) => noticeView(one, player.state, player.now)?.view.text ?? []);
    expect(told.join('\n')).toMatch(/^⌛ Closed · Make it\nshop\n[^\n]*$/m);
  });
});

describe('joining several lines into one', () => {
  it.each([
    ['Bash asks for:\nnpm publish', 'Bash asks for: npm publish'],
    ['shop stuck at impl (3 tries)\n\nIt crashed', 'shop stuck at impl (3 tries) · It crashed'],
    ['Which store?', 'Which store?'],
    ['', ''],
    [`Bash asks for:\n${'x'.repeat(300)}`, `Bash asks for: ${'x'.repeat(144)}…`],
  ])('shortens %j', (text, line) => {
    expect(joinedLines(text)).toBe(line);
  });
});

describe('what work usually takes', () => {
  const run = (minutes: number, costUsd = 0, unpriced = 0) => ({ workedMs: minutes * 60_000, costUsd, unpriced });

  it.each([
    ['nothing after two runs', [run(6), run(9)], ''],
    [
      'the middle half of the times, and the middle cost',
      [run(5, 0.2), run(6, 0.3), run(7, 0.4), run(9, 0.5), run(60, 9)],
      'Usually 6 to 9 min, about $0.40.',
    ],
    ['no cost where some run told none', [run(6, 1), run(6, 1, 1), run(6, 1)], 'Usually 6 min.'],
    ['short work in words', [run(0.1), run(0.2), run(0.3)], 'Usually under a minute.'],
  ])('says %s', (_what, past, line) => {
    expect(usualLine(past)).toBe(line);
  });
});

describe('a card that "continue" passes by', () => {
  it('says that the work started, for a proposal', () => {
    const player = Player.create(workflow([def('impl')]), { propose: true }).go();
    expect(cardOf(player, 'decided')).toMatch(/^✅ Started · Make it\nshop · test · asked by Ada$/);
  });

  it('says that it closed, for a proposal that was cancelled with the run', () => {
    const player = Player.create(workflow([def('impl')]), { propose: true }).do({ type: 'abort' });
    if (player.asks.includes('abort')) player.answer('abort', null, 'abort');
    expect(cardOf(player, 'decided')).not.toContain('Started');
  });
});

it('a permission that nobody answered in time says that it was denied, and when Bosun asks again', () => {
  const player = Player.start(workflow([def('impl')])).agentAsks(permissionAsk);
  player.do({ type: 'ask_expired', attempt: player.run.live[0]?.attempt ?? '', key: 'k1' });
  expect(cardOf(player, 'decided')).toContain(
    'nobody answered in time, so it was denied; I ask again when the agent has ended, if the step still needs it',
  );
});
