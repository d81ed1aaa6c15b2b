// Steps keep to the files that they may write; what else they changed is found afterwards.
import { describe, expect, it } from 'vitest';
import type { Envelope, RoleDef, TeamReport } from '../../src/engine/index.js';
import * as build from './builders.js';
import { def, goto, item, loop, type NodePatch, Player, pass, policy, workflow } from './builders.js';

const nine = Array.from({ length: 9 }, (_, index) => `src/f${index}.ts`);
const changed = (...filesChanged: readonly string[]): Envelope => ({ ...pass, filesChanged });
const roles = (access: RoleDef['access']) => ({ one: { id: 'one', prompt: null, executor: null, access } });

function came(patch: NodePatch, envelope: Envelope, more: Parameters<typeof workflow>[1] = {}) {
  const player = Player.start(workflow([def('a', patch)], more)).settle(envelope);
  const { outcome, reason, summary, warnings } = player.node('a').last ?? {};
  return { outcome, reason, summary, warnings };
}

describe('the files that a step changes', () => {
  it.each<[string, NodePatch, readonly string[]]>([
    ['anything where it names none', {}, ['anything.md']],
    ['what it names', { writes: ['docs/a.md', 'src/**'] }, ['docs/a.md', 'src/x/y.ts']],
    ['such names in any folder', { writes: ['*.spec.ts'] }, ['src/deep/a.spec.ts', 'b.spec.ts']],
    ['all below a folder', { writes: ['docs'] }, ['docs/a/b.md']],
    ['what it names by the run’s values', { writes: ['docs/{{project}}.md'] }, ['docs/shop.md']],
    ['anything where a name cannot be told', { writes: ['docs/{{nowhere}}.md'] }, ['other.md']],
    ['nothing at all', { writes: ['docs/a.md'] }, []],
    [
      'and Bosun’s own',
      { writes: ['docs/a.md'] },
      [
        ...['.ai/HANDOFF.md', '.ai/runs/r1/x', '.workflow/state.json', 'workflow_edits/A.json', 'workflow_state.json'],
        ...['progress.txt', 'archive/r12/progress.txt', 'logs/A/step-001.jsonl'],
      ],
    ],
  ])('may be %s', (_, patch, files) => {
    expect(came(patch, changed(...files))).toMatchObject({ outcome: 'pass', warnings: [] });
  });

  it.each<[string, NodePatch, readonly string[], string]>([
    ['another file', { writes: ['docs/a.md'] }, ['docs/a.md', 'docs/b.md'], 'docs/b.md'],
    ['one of a folder beside the project’s', { writes: ['*.ts'] }, ['../other/a.ts'], '../other/a.ts'],
    ['a name like Bosun’s elsewhere', { writes: ['*.ts'] }, ['src/progress.txt'], 'src/progress.txt'],
  ])('may not be %s', (_, patch, files, named) => {
    expect(came(patch, changed(...files))).toEqual({
      outcome: 'failing',
      reason: 'scope_warning',
      summary: `Files were changed that this step is not meant to write: ${named}. It may write ${patch.writes?.join(', ')}. Undo what does not belong here.`,
      warnings: [],
    });
  });

  it('may never be the rules the step is judged by, even if its writes list and the policy allow it', () => {
    const flow = policy({ writes: 'warn' });
    const touched = { ...changed('.ai/step-rules.yaml'), touchedRules: ['.ai/step-rules.yaml'] };
    for (const patch of [{}, { writes: ['.ai/**'] }]) {
      expect(came(patch, touched, flow)).toMatchObject({
        outcome: 'failing',
        reason: 'scope_warning',
        summary: expect.stringMatching(/judged by changed .*: \.ai\/step-rules\.yaml\. .*bosun rules accept PROJECT/),
      });
    }
  });

  it('are checked against the writes list of the current story', () => {
    const flow = workflow([loop('stories', [def('a', { writes: ['docs/{{item.key}}.md'] })])]);
    const player = Player.start(flow, { items: [item('A'), item('B')], afterStory: 'start' });
    expect(player.settle(changed('docs/A.md')).node('a', 'A').last?.outcome).toBe('pass');
    player.worked();
    expect(player.settle(changed('docs/A.md')).node('a', 'B').last).toMatchObject({
      reason: 'scope_warning',
      summary: expect.stringContaining('docs/A.md. It may write docs/B.md.'),
    });
  });

  it('are listed in the message up to ten, and so is the writes list', () => {
    const { summary } = came(
      { writes: [...nine, 'x.md', 'y.md'] },
      changed(...nine.map((name) => `a/${name}`), 'b', 'c'),
    );
    expect(summary).toContain('a/src/f8.ts, b and 1 more. It may write src/f0.ts,');
    expect(summary).toContain('x.md and 1 more. Undo');
  });

  it('only cause a warning when the policy is writes: warn', () => {
    const found = came({ writes: ['docs/a.md'] }, changed('b.md'), policy({ writes: 'warn' }));
    expect(found).toMatchObject({ outcome: 'pass', reason: null });
    expect(found.warnings).toEqual([expect.stringContaining('not meant to write: b.md.')]);
  });

  it('are only checked when the step would otherwise pass', () => {
    const other = {
      ...build.envelope({ result: build.report('failing', 'nfr_missing', 'Slow') }),
      filesChanged: ['b'],
    };
    expect(came({ writes: ['a'] }, other)).toMatchObject({
      outcome: 'failing',
      reason: 'nfr_missing',
      summary: 'Slow',
    });
    const asking = {
      ...changed('b'),
      asks: [{ kind: 'question' as const, text: 'Which?', options: [], permission: null }],
    };
    expect(came({ writes: ['a'] }, asking)).toMatchObject({ outcome: 'needs_human', reason: 'open_question' });
  });

  it('send the work along the scope_warning route without a rollback', () => {
    const routes = { onFail: { default: build.retry, scope_warning: goto('plan') } };
    const player = Player.start(workflow([def('plan'), def('a', { writes: ['a'], ...routes })])).settle();
    player.settle(changed('b'));
    expect([player.line(), player.run.ops]).toEqual(['plan:queued a:waiting', []]);
  });

  it('count until they are restored, also when an earlier try changed them', () => {
    const player = Player.start(workflow([def('a', { writes: ['a'] })])).settle(changed('a', 'b'));
    player.settle({ ...changed('a'), filesKept: ['a', 'b'] });
    expect(player.node('a').last?.reason).toBe('scope_warning');
    player.settle({ ...changed('b'), filesKept: ['a'] });
    expect(player.node('a').last?.outcome).toBe('pass');
  });

  it('are checked for a late pass as well', () => {
    const flow = workflow([def('a', { writes: ['a'], onTimeout: 'ask' })], policy({ adoptLate: true }));
    const player = Player.start(flow).settle(build.timeout);
    const attempt = player.node('a').last?.id ?? '';
    player.do({ type: 'attempt_settled', attempt, envelope: changed('b') });
    expect([player.ignored, player.node('a').last?.outcome]).toEqual(['superseded', 'timeout']);
    player.do({ type: 'attempt_settled', attempt, envelope: changed('a') });
    expect([player.ignored, player.node('a').last?.outcome]).toEqual([null, 'pass']);
  });
});

describe('a role with read access', () => {
  it("may change no files, except Bosun's own", () => {
    expect(came({ role: 'one' }, changed('a.md'), { roles: roles('read') })).toMatchObject({
      reason: 'scope_warning',
      summary:
        'Files were changed that this step is not meant to write: a.md. It may write none. Undo what does not belong here.',
    });
    expect(came({ role: 'one' }, changed('.ai/HANDOFF.md'), { roles: roles('read') }).outcome).toBe('pass');
  });

  it('may change the files that its step lists', () => {
    expect(came({ role: 'one', writes: ['a.md'] }, changed('a.md'), { roles: roles('read') }).outcome).toBe('pass');
  });

  it.each(['exec', 'write', null] as const)('is not implied by the access %s', (access) => {
    expect(came({ role: 'one' }, changed('a.md'), { roles: roles(access) }).outcome).toBe('pass');
    expect(came({ role: 'two' }, changed('a.md'), { roles: roles(access) }).outcome).toBe('pass');
  });
});

it('a link out of the checkout fails its step, even where the policy only warns', () => {
  const found = came({}, { ...changed('a', 'b'), strays: ['b'] }, policy({ writes: 'warn' }));
  expect(found).toMatchObject({
    outcome: 'failing',
    reason: 'scope_warning',
    summary: 'Links were left that lead out of the checkout: b. Remove them.',
  });
});

describe('the writes lists of a team', () => {
  const part = (...writes: readonly string[]) => ({ reads: [], writes, prompt: null });
  const always = { S: 'team', M: 'team', L: 'team' } as const;
  const teamOf = (parts: Readonly<Record<string, ReturnType<typeof part>>>) => ({
    team: { mode: always, roles: parts },
  });
  const team = teamOf({ back: part('*.go'), front: part('*.ts', 'ui/{{project}}/**') });
  const by = (role: string, ...filesChanged: readonly string[]): TeamReport => {
    return { ...build.report('pass'), role, exit: 0, filesChanged, conflicts: [] };
  };
  const done = (files: readonly string[], ...reports: readonly TeamReport[]) => ({
    ...changed(...files),
    team: reports,
  });

  it('are joined for files that no member claims', () => {
    expect(came(team, changed('a.go', 'b.ts', 'ui/shop/x')).outcome).toBe('pass');
    expect(came({ ...team, writes: ['*.md'] }, changed('a.go', 'c.md')).outcome).toBe('pass');
    expect(came(team, changed('c.md')).summary).toContain('c.md. It may write *.go, *.ts, ui/shop/**.');
  });

  it('allow any file when one member has no list', () => {
    const open = teamOf({ back: part('*.go'), test: part() });
    expect(came(open, changed('c.md')).outcome).toBe('pass');
    expect(came(open, done(['c.md'], by('back', 'c.md'))).summary).toContain('c.md (back). It may write *.go.');
  });

  it('hold each member to its own list for the files it reports', () => {
    const files = ['a.go', 'b.ts'];
    expect(came(team, done(files, by('back', './a.go'), by('front', 'b.ts', '.ai/x'))).outcome).toBe('pass');
    expect(came(team, done(files, by('back', 'a.go', 'b.ts'))).summary).toContain('to write: b.ts (back). It may');
  });

  it('ignore reported files that did not change, unknown roles and unresolved patterns', () => {
    expect(came(team, done(['a.go'], by('back', 'b.ts'), by('nobody', 'a.go'))).outcome).toBe('pass');
    const unknown = teamOf({ back: part('{{nowhere}}/*'), test: part('*.ts') });
    expect(came(unknown, done(['a.go'], by('back', 'a.go'))).outcome).toBe('pass');
  });
});

describe('the scope check of parallel steps', () => {
  const free = { needs: [] } as const;

  function settleIn(player: Player, node: string, envelope: Envelope = pass): Player {
    const live = player.run.live.find((one) => one.step === node);
    return player.do({ type: 'attempt_settled', attempt: live?.attempt ?? '', envelope });
  }

  const both = (a: NodePatch, b: NodePatch, more: Parameters<typeof workflow>[1] = {}) =>
    Player.start(workflow([def('a', a), def('b', b)], more));

  it("does not blame a step for its neighbour's files, in whichever order they end", () => {
    const player = both({ ...free, writes: ['a/**'] }, { ...free, writes: ['b/**'] });
    settleIn(player, 'b', changed('a/1', 'b/1'));
    settleIn(player, 'a', changed('a/1', 'b/1'));
    expect(player.line()).toBe('a:passed b:passed');
  });

  it('blames a step for files in neither list', () => {
    const player = both({ ...free, writes: ['a/**'] }, { ...free, writes: ['b/**'] });
    settleIn(player, 'a', changed('a/1', 'b/1', 'c/1'));
    expect(player.node('a').last?.summary).toContain('to write: c/1. It may write a/**.');
  });

  it('only warns when the neighbour may write anything', () => {
    const player = both({ ...free, writes: ['a/**'] }, free);
    settleIn(player, 'a', changed('c/1'));
    expect(player.node('a').last).toMatchObject({ outcome: 'pass', warnings: [expect.stringContaining('c/1')] });
  });

  it('blames a step whose neighbour only reads', () => {
    const player = both({ ...free, writes: ['a/**'] }, { ...free, role: 'one' }, { roles: roles('read') });
    settleIn(player, 'a', changed('c/1'));
    expect(player.node('a').last?.reason).toBe('scope_warning');
  });

  it('does not apply to steps that ran one after the other', () => {
    const player = both({ ...free, writes: ['a/**'] }, { writes: ['b/**'] });
    player.settle(changed('a/1'));
    player.now += 10;
    player.settle(changed('a/2'));
    expect(player.node('b').last?.summary).toContain('a/2');
    const strict = both({ writes: ['a/**'] }, { writes: ['b/**'] });
    strict.settle(changed('b/1'));
    expect(strict.node('a').last?.reason).toBe('scope_warning');
  });

  it("remembers the neighbour's files in every further try", () => {
    const player = both({ ...free, writes: ['a/**'] }, { ...free, writes: ['b/**'] });
    settleIn(player, 'b', changed('b/1'));
    settleIn(player, 'a', build.failing);
    for (let tries = 0; tries < 2; tries += 1) {
      player.now += 10;
      settleIn(player, 'a', { ...(tries === 0 ? build.failing : changed('a/1')), filesKept: ['a/1', 'b/1'] });
    }
    expect(player.line()).toBe('a:passed b:passed');
  });

  it('does not treat steps of a worktree story as parallel', () => {
    const body = [def('a', free), def('b', { ...free, writes: ['b/**'] })];
    const player = Player.start(workflow([loop('stories', body, { isolate: 'worktree' })]), { items: [item('A')] });
    player.worked().settle().settle(build.failing);
    if (player.run.ops.length > 0) player.worked();
    player.settle(changed('c'));
    expect(player.node('b', 'A').last?.reason).toBe('scope_warning');
  });
});
