// Who may say yes to a card, and how many must.
import { describe, expect, it } from 'vitest';
import { renderPrompt, votesFor } from '../../src/engine/index.js';
import type { Approvals, Gate } from '../../src/engine/workflow/definition.js';
import { parseExpression } from '../../src/engine/workflow/expressions/expression.js';
import { clean, def, goto, Player, pass, policy, workflow } from './builders.js';

function approvals(patch: Partial<Approvals> = {}): Approvals {
  return { quorum: 1, notRequester: false, remindAfterMs: null, escalateAfterMs: null, escalateTo: [], ...patch };
}

function atReview(patch: Partial<Approvals>): Player {
  const review = def('review', { kind: 'human', onFail: { default: goto('impl') }, approvals: approvals(patch) });
  return Player.start(workflow([def('impl'), review, def('ship')])).walk(pass);
}

interface Saying {
  readonly by: string;
  readonly text?: string;
  readonly where?: string;
}

function say(player: Player, option: string, { by, text, where }: Saying): Player {
  const [open] = player.open;
  const said = { interaction: open?.id ?? '', option, text: text ?? null, by, behind: null };
  return player.do({ type: 'answered', ...said, ...(where === undefined ? {} : { where }) });
}

describe('a review with a quorum of two', () => {
  const two = () => atReview({ quorum: 2 });

  it('waits for the second approval and announces who voted first, and where', () => {
    const player = say(two(), 'approve', { by: 'ada', text: 'mind the gap', where: 'slack' });
    expect(player.line()).toBe('impl:passed review:needs_human ship:waiting');
    const vote = { option: 'approve', text: 'mind the gap', by: 'ada', at: player.now, where: 'slack' };
    expect(player.open[0]?.votes).toEqual([vote]);
    expect(player.notices).toEqual([{ type: 'voted', interaction: player.open[0] }]);
    expect(player.replies).toEqual([{ type: 'voted', interaction: player.open[0], isRepeated: false }]);
  });

  it('proceeds on the second approval and puts both comments into the next prompt', () => {
    const player = say(say(two(), 'approve', { by: 'ada', text: 'mind the gap' }), 'approve', {
      by: 'bob',
      text: 'nice',
    });
    expect(player.live).toBe('/ship');
    const { text } = renderPrompt(player.stateOf(''), 'n3');
    expect(text).toContain('mind the gap');
    expect(text).toContain('nice');
    const decided = player.notices.flatMap((one) => (one.type === 'decided' ? [one.interaction] : []))[0];
    expect(decided?.answer && votesFor(decided, decided.answer).map(({ by }) => by)).toEqual(['ada', 'bob']);
  });

  it('counts each person once across repeats and channels, and replies that the vote is repeated', () => {
    const player = say(two(), 'approve', { by: 'ada', where: 'slack' });
    const first = player.open[0]?.votes;
    say(player, 'approve', { by: 'ada', where: 'telegram', text: '  ' });
    expect(player.open[0]?.votes).toEqual(first);
    expect(player.replies).toMatchObject([{ type: 'voted', isRepeated: true }]);
    expect(player.notices).toEqual([]);
    say(player, 'approve', { by: 'ada', text: 'but soon' });
    expect(player.open[0]?.votes).toEqual([{ ...first?.[0], text: 'but soon' }]);
    say(player, 'approve', { by: 'ada', text: 'but soon' });
    expect(player.notices).toEqual([]);
    expect(player.asks).toEqual(['review']);
  });

  it("replaces a voter's comment with their newer one and keeps the other votes", () => {
    const player = say(atReview({ quorum: 3 }), 'approve', { by: 'ada', text: 'fine' });
    say(player, 'approve', { by: 'bob' });
    say(player, 'approve', { by: 'ada', text: 'but soon' });
    expect(player.open[0]?.votes?.map(({ by, text }) => [by, text])).toEqual([
      ['ada', 'but soon'],
      ['bob', null],
    ]);
  });

  it('is sent back by a single request for changes, dropping earlier approvals and their comments', () => {
    const player = say(two(), 'approve', { by: 'ada', text: 'lovely' });
    say(player, 'changes', { by: 'bob', text: 'rename it' });
    expect(player.live).toBe('/impl');
    expect(player.node('impl').live?.notes.map(({ text }) => text)).toEqual(['rename it']);
    const again = player.settle(pass);
    expect(again.open[0]?.votes).toBeUndefined();
  });

  it('is rejected by a single vote', () => {
    const player = say(two(), 'approve', { by: 'ada' });
    say(player, 'reject', { by: 'bob' });
    expect(player.asks).toEqual(['reject_reason']);
  });

  it('keeps the first vote when another voter opens the reject reasons and goes back', () => {
    const player = say(two(), 'approve', { by: 'bob' });
    say(player, 'reject', { by: 'ada' });
    say(player, 'keep', { by: 'ada' });
    expect(player.open.map(({ votes }) => votes?.map(({ by }) => by))).toEqual([['bob']]);
    expect(say(player, 'approve', { by: 'cy' }).live).toBe('/ship');
  });

  it.each([
    ['keeps', false, ['bob']],
    ['loses, in a run of an earlier version,', true, undefined],
  ])('%s the votes on a stuck gate when a rollback is cancelled', (_what, isOld, voters) => {
    const stuck = def('stuck', {
      kind: 'human',
      onAnswer: { continue: goto('impl') },
      approvals: approvals({ quorum: 2 }),
    });
    const player = Player.start(workflow([def('impl'), stuck, def('ship')]), { isOld }).walk(pass);
    say(player, 'continue', { by: 'bob' });
    expect(player.open[0]?.votes).toHaveLength(1);
    say(player, 'rollback', { by: 'ada' });
    say(player, 'keep', { by: 'ada' });
    expect(player.asks).toEqual(['gate_stuck']);
    expect(player.open[0]?.votes?.map(({ by }) => by)).toEqual(voters);
  });
});

describe('skipping a review', () => {
  const skip = (player: Player, reason: string | null, by = 'carol') =>
    player.do({ type: 'skip', node: 'n2', reason, by });
  const confirm = (player: Player, given: Partial<Saying> & { option: string }) => {
    const [card] = player.open.filter(({ subject }) => subject.type === 'skip_approval');
    const said = { interaction: card?.id ?? '', text: given.text ?? null, by: given.by ?? 'carol', behind: null };
    return player.do({ type: 'answered', option: given.option, ...said });
  };

  it('asks first and keeps the review open', () => {
    const player = skip(atReview({}), 'docs only');
    expect(player.asks).toEqual(['review', 'skip_approval']);
    expect(player.line()).toBe('impl:passed review:needs_human ship:waiting');
    expect(confirm(player, { option: 'keep' }).asks).toEqual(['review']);
  });

  it('once confirmed, settles the review with the name and the reason and tells the followers', () => {
    const player = confirm(skip(atReview({}), 'docs only'), { option: 'skip', by: 'bob' });
    expect(player.live).toBe('/ship');
    expect(player.node('review').skipReason).toEqual({ type: 'person', reason: 'docs only', by: 'bob' });
    const settled = player.notices.flatMap((one) => (one.type === 'decided' ? [one.interaction] : []));
    const review = settled.find(({ subject }) => subject.type === 'review');
    expect(review?.answer).toMatchObject({ option: 'skip', by: 'bob', text: 'docs only' });
    expect(player.notices).toContainEqual({
      type: 'approval_skipped',
      title: 'review',
      by: 'bob',
      reason: 'docs only',
    });
  });

  it('without a reason, takes none but a confirmation with words', () => {
    const player = skip(atReview({}), null);
    confirm(player, { option: 'skip', text: '  ' });
    expect([player.replies[0]?.type, player.asks]).toEqual(['needs_text', ['review', 'skip_approval']]);
    expect(confirm(player, { option: 'skip', text: 'docs only' }).live).toBe('/ship');
  });

  it('is closed to the requester where they may not approve, in the command and in the confirmation', () => {
    const player = skip(atReview({ notRequester: true }), 'docs only', 'ada');
    expect(player.refusal).toBe('you asked for this work, so somebody else skips its approval');
    expect(player.asks).toEqual(['review']);
    confirm(skip(player, 'docs only'), { option: 'skip', by: 'ada' });
    expect(player.asks).toEqual(['review', 'skip_approval']);
    expect(confirm(player, { option: 'skip' }).live).toBe('/ship');
  });

  it('is withdrawn when the review is answered meanwhile', () => {
    const player = skip(atReview({}), 'docs only');
    expect(say(player, 'approve', { by: 'bob' }).asks).toEqual([]);
    expect(player.live).toBe('/ship');
  });

  it('also asks before a review that is not due yet', () => {
    const review = def('review', { kind: 'human', approvals: approvals({}) });
    const early = Player.start(workflow([def('impl'), review, def('ship')])).do({
      type: 'skip',
      node: 'n2',
      reason: 'docs only',
    });
    expect([early.asks, early.node('review').state]).toEqual([['skip_approval'], 'waiting']);
    expect(confirm(early, { option: 'skip' }).node('review').state).toBe('skipped');
  });

  it('happens at once in a run of an earlier version', () => {
    const review = def('review', { kind: 'human', approvals: approvals({ quorum: 2 }) });
    const player = Player.start(workflow([def('impl'), review, def('ship')]), { rules: 2 }).walk(pass);
    expect(skip(player, 'no time').live).toBe('/ship');
  });
});

describe('a review that the requester may not approve', () => {
  it("refuses the requester's approval without a change and accepts another person's", () => {
    const player = atReview({ notRequester: true });
    say(player, 'approve', { by: 'ada' });
    expect(player.refusal).toBe('you asked for this work, so somebody else approves it');
    expect([player.asks, player.notices]).toEqual([['review'], []]);
    say(player, 'approve', { by: 'bob' });
    expect(player.live).toBe('/ship');
  });

  it('still lets the requester ask for changes or abort', () => {
    expect(say(atReview({ notRequester: true }), 'changes', { by: 'ada', text: 'rename it' }).live).toBe('/impl');
    const aborted = atReview({ notRequester: true }).do({ type: 'abort' }).answer('abort', null, 'abort');
    expect(aborted.run.status).toBe('cancelled');
  });

  it('does not count the requester towards the quorum', () => {
    const player = say(atReview({ notRequester: true, quorum: 2 }), 'approve', { by: 'bob' });
    say(player, 'approve', { by: 'ada' });
    expect(player.refusal).toContain('somebody else approves it');
    say(player, 'approve', { by: 'cy' });
    expect(player.live).toBe('/ship');
  });
});

describe('a gate with a quorum of two', () => {
  const parsed = parseExpression('passed == false');
  if (!parsed.ok) throw new Error(parsed.error);
  const gate: Gate = {
    evidence: [{ file: 'audit.json', as: '', isOptional: false }],
    failWhen: parsed.expression,
    maxRetries: null,
    onFail: { type: 'insert', fragment: 'mend', args: [], carry: {}, say: null },
    onEscalate: null,
    say: null,
  };
  const flow = (patch: Partial<Approvals>) =>
    workflow([def('impl'), def('post', { kind: 'decision', gate, approvals: approvals(patch) }), def('ship')], {
      ...policy({ stopAtDecisions: 'before' }),
      fragments: { mend: { id: 'mend', params: [], nodes: [], defs: [] } },
    });
  const read = (passed: boolean) =>
    ({ ...clean, evidence: { 'audit.json': { found: true, value: { passed } } } }) as const;
  const atGate = (patch: Partial<Approvals>) => Player.start(flow(patch)).settle(pass).worked(read(false));

  it('needs both votes on the same option and lets a voter change theirs', () => {
    const player = atGate({ quorum: 2 });
    expect(player.open[0]?.text).not.toContain('Say "continue"');
    say(player, 'go', { by: 'ada' });
    say(player, 'pass', { by: 'bob' });
    expect(player.open[0]?.votes?.map(({ by, option }) => `${by} ${option}`)).toEqual(['ada go', 'bob pass']);
    say(player, 'pass', { by: 'ada' });
    expect(player.live).toBe('/ship');
  });

  it('shows its card on a plain "continue" instead of passing', () => {
    const player = atGate({ quorum: 2 }).go();
    expect(player.replies).toMatchObject([{ type: 'shown', interactions: [{ subject: { type: 'gate' } }] }]);
    expect(player.asks).toEqual(['gate']);
    expect(atGate({}).go().run.ops).toMatchObject([{ kind: 'read', isConfirmed: true }]);
  });
});

describe('the channel in which an answer was given', () => {
  it('is stored with the answer, and left out when unknown', () => {
    const answerOf = (player: Player) =>
      player.notices.flatMap((one) => (one.type === 'decided' ? [one.interaction.answer] : []))[0];
    const slack = say(atReview({}), 'approve', { by: 'ada', where: 'slack' });
    expect(answerOf(slack)).toEqual({ option: 'approve', text: null, by: 'ada', at: slack.now, where: 'slack' });
    const old = say(atReview({}), 'approve', { by: 'ada' });
    expect(answerOf(old)).toEqual({ option: 'approve', text: null, by: 'ada', at: old.now });
  });

  it('is stored with an answer given by "continue"', () => {
    const player = atReview({}).do({ type: 'abort' });
    player.do({ type: 'continue', node: null, instruction: null, behind: null, where: 'telegram' });
    const [decided] = player.notices.flatMap((one) => (one.type === 'decided' ? [one.interaction] : []));
    expect(decided?.answer).toMatchObject({ option: 'keep', where: 'telegram' });
  });
});
