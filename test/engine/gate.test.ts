// Gates: what they judge, what they add, when they stop for a person, and the ways on where they gave up.
import { describe, expect, it } from 'vitest';
import type { Envelope, Fragment, NodeDef, Workflow } from '../../src/engine/index.js';
import { renderPrompt } from '../../src/engine/index.js';
import { clean, def, failing, item, loop, type NodePatch, Player, policy, said, whole, workflow } from './builders.js';
import {
  entries,
  evidence,
  found,
  fragment,
  gate,
  insert,
  optionsOf,
  rest,
  told,
  when,
  workOn,
  works,
} from './chains.js';

const green = found({ passed: true });
const red = found({ passed: false, gaps: ['no login', { file: 'a.ts', line: 3 }] });

const fix = fragment('fix', ['mend', 'verify', { template: 'judge', retry: 'next' }], {
  defs: [def('mend', { prompt: 'Mend {{gaps}}' })],
});
const stuck = def('stuck', {
  kind: 'human',
  title: 'max retries reached',
  onAnswer: {
    continue: insert('recheck', { args: ['$stage', '$gate'] }),
    skip: { type: 'next' },
    abort: { type: 'fail' },
  },
});
const escalate = fragment('escalate', [{ template: 'debug', args: '$gate of $stage, $other' }, 'stuck'], {
  params: ['stage', 'gate'],
  defs: [def('debug', { call: 'quality-debug' }), stuck],
});
const recheck = fragment('recheck', ['$stage', '$gate'], { params: ['stage', 'gate'] });
const fragments = { ...fix, ...escalate, ...recheck };

const fixAlone = fragment('fix', ['mend', { template: 'judge', retry: 'next' }], { defs: [def('mend')] });

const judge = gate('judge', {
  onFail: insert('fix', { carry: { gaps: 'gaps' }, say: 'gaps, fixing ({{retry}}/{{max}})' }),
  onEscalate: insert('escalate', { args: ['verify', 'judge'], carry: { gaps: 'gaps' }, say: 'max retries reached' }),
});

function flowOf(gateDef: NodeDef = judge, patch: Partial<Workflow> = {}): Workflow {
  return workflow([def('verify'), gateDef, def('ship')], { fragments, ...patch });
}

function atGate(flow = flowOf(), options = {}): Player {
  return Player.start(flow, options).settle();
}

/** Through both of its fixes, and red again. */
function gaveUp(flow = flowOf()): Player {
  const player = atGate(flow);
  for (let turn = 0; turn < 2; turn++) player.worked(red).settle().settle();
  return player.worked(red);
}

describe('a gate', () => {
  it('reads its files before it judges', () => {
    const player = atGate();
    expect(player.run.ops).toMatchObject([
      {
        kind: 'read',
        chain: '',
        node: player.node('judge').id,
        files: ['result.json'],
        survey: null,
        phase: null,
        isConfirmed: false,
      },
    ]);
    expect([player.line(), player.run.status]).toEqual(['verify:passed judge:ready ship:waiting', 'running']);
  });

  it('passes when the evidence is good', () => {
    const player = atGate().worked(green);
    expect([player.line(), player.live]).toEqual(['verify:passed judge:passed ship:queued', '/ship']);
    expect(player.node('judge').verdict).toBe('pass');
    expect(told(player)).toEqual(['◆ judge: passed']);
    expect(entries(player, 'decision')).toMatchObject([
      { details: { decision: 'judge', outcome: 'pass', retry_count: 0, by: null } },
    ]);
  });

  it('adds work right after itself when the evidence is bad, and the added gate counts the retry', () => {
    const player = atGate().worked(red);
    expect(player.line()).toBe('verify:passed judge:passed mend:queued verify:waiting judge:waiting ship:waiting');
    expect(player.nodes().map((one) => one.retry)).toEqual([0, 0, 0, 0, 1, 0]);
    expect(told(player)).toEqual([
      '◆ judge: gaps, fixing (1/2)',
      'W001: judge adds mend → verify → judge. The chain grows.',
    ]);
    expect(player.nodes().map((one) => one.label.slice(-3))).toEqual(['001', '002', '004', '005', '006', '003']);
    expect(entries(player, 'inserted')).toMatchObject([
      { step: { template: 'judge' }, details: { fragment: 'fix', steps: [{ id: 'step-004', type: 'mend' }, {}, {}] } },
    ]);
    expect(player.run.counters).toMatchObject({ insertions: 1, nodes: 6 });
  });

  it('puts its findings into the next prompt', () => {
    const player = atGate().worked(red);
    expect(renderPrompt(player.stateOf(''), player.node('mend').id).text).toContain('Mend - no login\n- a.ts · 3');
  });

  it('escalates when its retries are used up', () => {
    const player = gaveUp();
    expect(rest(player)).toBe('debug:queued stuck:waiting ship:waiting');
    expect(told(player)).toEqual(['◆ judge: max retries reached', 'W002: judge. A person is asked.']);
    expect(player.node('debug')).toMatchObject({
      args: 'judge of verify, $other',
      params: { stage: 'verify', gate: 'judge' },
    });
    expect(renderPrompt(player.stateOf(''), player.node('debug').id).text).toContain(
      'Called as: quality-debug judge of verify, $other',
    );
  });

  it('asks a person when it has nothing to escalate to, and judges again on Retry', () => {
    const player = atGate(flowOf(gate('judge', { maxRetries: 0, onEscalate: null }))).worked(red);
    expect([player.line(), player.asks]).toEqual(['verify:passed judge:needs_human ship:waiting', ['stuck']]);
    expect(player.open[0]?.text).toBe("shop's judge: its retries are used up");
    expect(player.answer('retry').worked(green).live).toBe('/ship');
  });

  it('without max_retries keeps adding work and never escalates', () => {
    const flow = flowOf(gate('judge', { maxRetries: null, onFail: insert('recheck', { args: ['verify', 'judge'] }) }));
    const player = atGate(flow).worked(red);
    expect(player.run.ops).toEqual([]);
    expect(told(player)[0]).toBe('◆ judge: more work is needed');
    player.settle().worked(red);
    expect(rest(player)).toBe('verify:queued judge:waiting ship:waiting');
  });

  it('shows the workflow\'s text on a pass, and "escalated" when no text is set', () => {
    expect(told(atGate(flowOf(gate('judge', { say: 'all well, {{passed}}' }))).worked(green))).toEqual([
      '◆ judge: all well, true',
    ]);
    const short = gate('judge', { maxRetries: 0, onEscalate: insert('recheck', { args: ['verify', 'judge'] }) });
    expect(told(atGate(flowOf(short)).worked(red))[0]).toBe('◆ judge: escalated');
  });

  it.each([
    ['not there', evidence({}), 'no result file result.json'],
    ['not read', clean, 'no result file result.json'],
    [
      'not understood',
      evidence({ 'result.json': { found: false, why: 'result.json is no JSON' } }),
      'result.json is no JSON',
    ],
  ])('takes evidence that is %s for a failure', (_, result, why) => {
    const player = atGate().worked(result);
    expect(told(player)[0]).toBe(`E004: judge: ${why}. It is taken as a failure.`);
    expect(player.live).toBe('/mend');
    expect(renderPrompt(player.stateOf(''), player.node('mend').id).text).toContain('Mend no result file');
  });

  it('judges several files by their names and tolerates a missing optional one', () => {
    const files = [
      { file: 'uat.md', as: 'uat', isOptional: false },
      { file: 'more.json', as: 'more', isOptional: true },
    ];
    const flow = flowOf(
      gate('judge', {
        evidence: files,
        failWhen: when('uat.passed != true || more.passed == false'),
      }),
    );
    expect(atGate(flow).worked(found({ passed: true }, 'uat.md')).live).toBe('/ship');
    const other = {
      'uat.md': { found: true, value: { passed: true } },
      'more.json': { found: true, value: { passed: false } },
    } as const;
    expect(atGate(flow).worked(evidence(other)).live).toBe('/mend');
  });

  it('fails on a missing required file that its expression does not use', () => {
    const files = ['result.json', 'audit.json'].map((file) => ({ file, as: file.slice(0, -5), isOptional: false }));
    const flow = flowOf(gate('judge', { evidence: files, failWhen: when('result.passed == false') }));
    const player = atGate(flow).worked(found({ passed: true }));
    expect([player.live, told(player)[0]]).toEqual(['/mend', expect.stringContaining('no result file audit.json')]);
  });

  it.each([
    ['nothing', {}],
    ['a word for a truth', { passed: 'no' }],
    ['a list', []],
    ['a text', 'FAILED'],
    ['a finding of a severity by another name', { passed: true, findings: [{ severity: 'blocker' }] }],
    ['a finding of a priority', { passed: true, findings: [{ severity: 'P1' }] }],
    ['a finding of unknown severity', { passed: true, findings: [{ severity: 'urgent' }] }],
    ['a finding without a severity', { passed: true, findings: ['it leaks'] }],
    ['a map of findings', { passed: true, findings: { a: { severity: 'low' } } }],
    ['findings and no verdict', { findings: [] }],
  ])('fails on a file that holds %s', (_what, value) => {
    const failWhen = when("passed == false || any(findings, severity >= 'high')");
    expect(atGate(flowOf(gate('judge', { failWhen }))).worked(found(value)).live).toBe('/mend');
  });

  it.each([
    ['findings that are harmless', { passed: true, findings: [{ severity: 'minor' }] }],
    ['no findings', { passed: 'true', findings: [] }],
    ['no list of findings beside a verdict', { passed: true }],
  ])('passes on a file that holds %s', (_what, value) => {
    const failWhen = when("passed == false || any(findings, severity >= 'high')");
    expect(atGate(flowOf(gate('judge', { failWhen }))).worked(found(value)).live).toBe('/ship');
  });

  it('names the fields that its file leaves out', () => {
    const failWhen = when('passed == false || broken || len(gaps) > 0');
    const asked = (value: unknown, by = failWhen) =>
      told(atGate(flowOf(gate('judge', { failWhen: by }))).worked(found(value)))[0];
    expect(asked({ passed: 'no', broken: 'perhaps' })).toBe(
      'judge: result.json does not say passed, broken in a way that can be judged, which counts as failed.',
    );
    expect(asked({}, when('len(gaps) > 0'))).toContain('does not say gaps in a way');
    expect(asked({}, when("any(gaps, severity == 'high') || len(others) > 2 && true"))).toContain(
      'does not say gaps, others',
    );
    expect(asked({ tests: null }, when('tests.failed > 0'))).toContain('does not say tests.failed');
    expect(asked({ a: { b: 7 } }, when('len(7) > 0'))).toContain('does not say enough to judge it');
  });

  it("judges by its files and the run's inputs, never by output that a step printed", () => {
    const failWhen = when('passed != true || coverage < least');
    const flow = flowOf(gate('judge', { failWhen }), { inputs: { least: { required: false, default: '80' } } });
    const printing = (keys: Readonly<Record<string, string>>) =>
      Player.start(flow).settle(said({ STATUS: 'pass', ...keys }));
    expect(printing({ PASSED: 'true', COVERAGE: '99' }).worked(found({})).live).toBe('/mend');
    expect(printing({ LEAST: '1' }).worked(found({ passed: true, coverage: 50 })).live).toBe('/mend');
    const player = printing({ LEAST: '99' });
    expect(player.run.context['least']).toBe('80');
    expect(player.worked(found({ passed: true, coverage: 85 })).live).toBe('/ship');
  });

  describe('whose evidence must be fresh', () => {
    const good = (path?: string) =>
      evidence({ 'result.json': { found: true, value: { passed: true }, ...(path === undefined ? {} : { path }) } });
    const wrote = (...files: readonly string[]) => said({ STATUS: 'pass' }, { wrote: files });
    const at = (attempt: Envelope, flow = flowOf()) => Player.start(flow).settle(attempt);

    it('accepts a file written in this run and refuses an older one', () => {
      expect(at(wrote('out/result.json')).worked(good('out/result.json')).live).toBe('/ship');
      const stale = at(wrote('other.json')).worked(good('out/result.json'));
      expect(told(stale)[0]).toBe(
        'E004: judge: no result file result.json: what lies there is older than this stage. It is taken as a failure.',
      );
      expect(stale.live).toBe('/mend');
    });

    it("accepts a file when a step's written files were not recorded", () => {
      const unnoted = at(said({ STATUS: 'failing' })).settle(wrote('result.json'));
      expect(unnoted.worked(good('result.json')).live).toBe('/ship');
      expect(at(said({ STATUS: 'pass' })).worked(good('result.json')).live).toBe('/ship');
      expect(at(wrote()).worked(good()).live).toBe('/ship');
    });

    it('refuses a file when the step without a record did not pass', () => {
      const player = at(
        said({ STATUS: 'failing' }),
        workflow([def('verify', { maxAttempts: 1 }), judge, def('ship')], { fragments }),
      );
      expect(player.answer('skip').worked(good('result.json')).live).toBe('/mend');
    });

    it('still carries the problems that a stale file names, because a failing gate adds work for them', () => {
      const old = { found: true, value: { passed: false, gaps: ['no login'] }, path: 'result.json' } as const;
      const player = at(wrote()).worked(evidence({ 'result.json': old }));
      expect([player.live, player.run.context['gaps']]).toEqual(['/mend', '- no login']);
      expect(told(player)[0]).toBe('◆ judge: gaps, fixing (1/2)');
    });

    it('requires the file to be written again since it last judged', () => {
      const player = at(wrote('result.json')).worked(red).settle(wrote()).settle(wrote());
      expect(player.worked(good('result.json')).live).toBe('/mend');
      const again = at(wrote('result.json')).worked(red).settle(wrote()).settle(wrote('result.json'));
      expect(again.worked(good('result.json')).live).toBe('/ship');
    });

    it('accepts a file from an earlier try unless that try was rolled back', () => {
      const failed = said({ STATUS: 'failing' }, { wrote: ['result.json'] });
      expect(at(failed).settle(wrote()).worked(good('result.json')).live).toBe('/ship');
      const undone = workflow([def('verify', { rollback: true }), judge, def('ship')], { fragments });
      const player = at(failed, undone).worked(clean).settle(wrote());
      expect(player.worked(good('result.json')).live).toBe('/mend');
    });

    it('accepts a file written in a story of the loop before it', () => {
      const stories = workflow([loop('stories', [def('impl')]), judge, def('ship')], { fragments: fixAlone });
      const done = (...files: readonly string[]) =>
        Player.start(stories, { items: [item('A'), item('B')], afterStory: 'start' }).walk(
          wrote(...files),
          wrote(...files, 'b.json'),
        );
      expect(done('result.json').worked(good('result.json')).live).toBe('/ship');
      expect(done().worked(good('result.json')).live).toBe('/mend');
    });
  });

  it('judges again after added work that does not lead back to it by itself', () => {
    const flow = flowOf(judge, { fragments: { ...fragments, ...fragment('fix', ['mend'], { defs: [def('mend')] }) } });
    const player = atGate(flow).worked(red);
    expect(player.line()).toBe('verify:passed judge:passed mend:queued judge:waiting ship:waiting');
    expect(player.settle().worked(red).settle().worked(red).live).toBe('/debug');
  });

  it('without max_retries asks a person after such work failed to fix it', () => {
    const chooser = gate('judge', { maxRetries: null, onEscalate: null });
    const flow = flowOf(chooser, { fragments: fragment('fix', ['mend'], { defs: [def('mend')] }) });
    const player = atGate(flow).worked(red).settle();
    expect(player.worked(red).asks).toEqual(['stuck']);
    expect(player.answer('retry').worked(green).live).toBe('/ship');
  });

  it('fails on a file that holds a single word', () => {
    expect(atGate().worked(found('fine')).live).toBe('/mend');
  });

  it.each([
    [{ nested: { deep: 'here' } }, 'nested.deep', 'here'],
    [{ nested: 'flat' }, 'nested.deep', 'the result file does not say'],
    [{ gaps: null }, 'gaps', 'the result file does not say'],
    [{ gaps: [{ deep: [1] }, 7] }, 'gaps', '- {"deep":[1]}\n- 7'],
  ])('carries what it found: %j as %s', (value, path, text) => {
    const flow = flowOf(gate('judge', { onFail: insert('fix', { carry: { gaps: path } }) }));
    expect(atGate(flow).worked(found(value)).run.context['gaps']).toBe(text);
  });

  it("stores its findings with its story and reads with the story's phase", () => {
    const flow = workflow([loop('stories', [def('verify'), judge])], { fragments });
    const player = Player.start(flow, { items: [{ ...item('A'), values: { phase: '2' } }] }).settle();
    expect(player.run.ops).toMatchObject([{ chain: 'A', phase: '2' }]);
    player.worked(red);
    expect(player.world.chains.get('A')?.context['gaps']).toContain('no login');
    expect(player.run.context['gaps']).toBeUndefined();
  });

  it('judges once when the same read result arrives twice', () => {
    const player = atGate();
    const op = player.run.ops[0]?.id ?? '';
    player.worked(red);
    const before = player.line();
    player.do({ type: 'workspace_done', op, result: red });
    expect([player.ignored, player.line()]).toEqual(['superseded', before]);
  });

  it('counts its retries from 0 when another gate inserts it', () => {
    const inner = gate('inner', { onFail: insert('fix_inner') });
    const fixInner = fragment('fix_inner', ['mend', { template: 'inner', retry: 'next' }]);
    const outer = gate('outer', { onFail: insert('fix_outer') });
    const fixOuter = fragment('fix_outer', ['mend', 'inner', { template: 'outer', retry: 'next' }], {
      defs: [def('mend')],
    });
    const player = Player.start(workflow([inner, outer], { fragments: { ...fragments, ...fixInner, ...fixOuter } }));
    player.worked(red).settle().worked(red).settle().worked(green).worked(red);
    const gates = player.nodes().filter((one) => one.kind === 'decision');
    expect(gates.map((one) => `${one.template} ${one.retry}`)).toEqual([
      'inner 0',
      'inner 1',
      'inner 2',
      'outer 0',
      'inner 0',
      'outer 1',
    ]);
  });

  it("asks a person when its work would exceed the chain's or the run's limit", () => {
    const limits = { ...flowOf().limits, nodesPerItem: 5 };
    const full = atGate(flowOf(judge, { limits })).worked(red);
    expect([full.line(), full.asks]).toEqual(['verify:passed judge:needs_human ship:waiting', ['stuck']]);
    expect(full.open[0]?.text).toBe("shop's judge: 3 more steps would make 6; 5 are allowed");
    const worn = atGate(flowOf(judge, { limits: { ...limits, nodesPerItem: 30, insertions: 1 } }))
      .worked(red)
      .settle()
      .settle()
      .worked(red);
    expect(worn.open[0]?.text).toBe("shop's judge: the run's 1 insertions are used up");
    expect(worn.answer('retry').worked(red).live).toBe('/mend');
    expect(worn.run.insertionLimit).toBe(11);
  });

  it('asks when its files cannot be read, and reads them again on Retry', () => {
    const player = atGate().worked({ ok: false, code: 'blocked', message: 'no disk', files: [] });
    expect([player.asks, optionsOf(player)]).toEqual([['workspace'], ['retry', 'abort']]);
    expect(player.answer('retry').worked(green).live).toBe('/ship');
  });

  it('can be skipped or retried while its files cannot be read', () => {
    const unread = () => atGate().worked({ ok: false, code: 'blocked', message: 'no disk', files: [] });
    const player = unread();
    player.do({ type: 'skip', node: player.node('judge').id, reason: 'I looked' });
    expect([player.line(), player.asks]).toEqual(['verify:passed judge:skipped ship:queued', []]);
    const again = unread();
    again.do({ type: 'retry', node: again.node('judge').id, note: null });
    expect([again.asks, again.worked(green).live]).toEqual([[], '/ship']);
  });

  it('starts over after a rollback, without the work that it had added', () => {
    const player = gaveUp().settle();
    player.do({ type: 'rollback', node: 'n1' }).worked();
    expect(player.nodes().filter((node) => node.state !== 'skipped')).toMatchObject([
      { template: 'verify', state: 'queued' },
      { template: 'judge', state: 'waiting', retry: 0 },
      { template: 'ship', state: 'waiting' },
    ]);
    expect(player.settle().worked(green).live).toBe('/ship');
  });

  it('judges by itself at level manual, and again on Retry', () => {
    const player = Player.start(flowOf(gate('judge', { maxRetries: 0, onEscalate: null })), { level: 'manual' });
    player.do({ type: 'continue', node: 'verify', instruction: null, behind: null }).settle();
    player.worked(red).answer('retry');
    expect([works(player), player.live]).toEqual([['read'], null]);
  });
});

describe('a gate that asks before it acts', () => {
  const before = { ...policy({ stopAtDecisions: 'before' }), fragments };
  const stopped = (result = red) => atGate(flowOf(judge, before)).worked(result);

  it.each([
    [
      'red',
      red,
      ['go', 'pass', 'abort'],
      '◆ judge: gaps, fixing (1/2)\n- no login\n- a.ts · 3\nSay "continue" to go on.',
      'fix',
    ],
    ['green', green, ['go', 'abort'], '◆ judge: passed\nSay "continue" to go on.', 'pass'],
  ])('shows what it would do where it is %s, and does nothing', (_, result, options, text, verdict) => {
    const player = stopped(result);
    expect(player.open).toMatchObject([{ kind: 'confirm', subject: { type: 'gate', verdict }, text }]);
    expect(optionsOf(player)).toEqual(options);
    expect([player.line(), player.run.pauseReason]).toEqual([
      'verify:passed judge:needs_human ship:waiting',
      'decision',
    ]);
  });

  it('reads its files again on confirmation and acts on the new evidence', () => {
    const player = stopped().answer('go');
    expect(player.run.ops).toMatchObject([{ kind: 'read', isConfirmed: true }]);
    expect(player.worked(green).live).toBe('/ship');
    expect(stopped().answer('go').worked(red).live).toBe('/mend');
  });

  it('takes "continue" as confirmation', () => {
    const player = stopped().go();
    expect(player.replies).toContainEqual({ type: 'going_on', step: null });
    expect(player.run.ops).toMatchObject([{ kind: 'read', isConfirmed: true }]);
    expect(player.worked(red).live).toBe('/mend');
  });

  it('can be passed, or the run aborted, from its card', () => {
    const player = stopped().answer('pass');
    expect(player.live).toBe('/ship');
    expect(entries(player, 'decision')).toMatchObject([{ details: { outcome: 'pass', by: 'ada' } }]);
    expect(stopped().answer('abort').run.status).toBe('cancelled');
  });

  it('lets other stories resume as well when a "continue" confirms it in a paused run', () => {
    const body = [def('verify'), judge];
    const flow = workflow([loop('stories', body, { parallel: 2, isolate: 'worktree' })], before);
    const player = Player.start(flow, { items: [item('A'), item('B')] });
    workOn(player, 'open', 'A');
    workOn(player, 'open', 'B').settle();
    workOn(player, 'read', 'A', red);
    player.do({ type: 'pause' }).settle();
    expect([player.asks, works(player)]).toEqual([['gate'], []]);
    expect(works(player.go())).toEqual(['read A', 'read B']);
  });
});

describe('the card of a gate that gave up', () => {
  const asked = (patch: NodePatch = {}) => {
    const changed = escalate['escalate'] as Fragment;
    const defs = changed.defs.map((one) => (one.id === 'stuck' ? def('stuck', { ...whole(one), ...patch }) : one));
    return gaveUp(flowOf(judge, { fragments: { ...fragments, escalate: { ...changed, defs } } })).settle();
  };

  it('offers every way on', () => {
    const player = asked();
    expect(player.open).toMatchObject([
      {
        kind: 'escalation',
        subject: { type: 'gate_stuck' },
        text: 'judge: max retries reached\n- no login\n- a.ts · 3',
      },
    ]);
    expect(optionsOf(player)).toEqual(['continue', 'retry', 'skip', 'rollback', 'abort']);
    expect([player.run.status, player.run.pauseReason]).toEqual(['paused', 'escalation']);
  });

  it('is about the nearest gate before it when its fragment names none', () => {
    const { gate: own, ...rest } = whole(judge);
    const onEscalate = insert('ask', { carry: { gaps: 'gaps' } });
    const plain = def('judge', { ...rest, gate: own && { ...own, onEscalate } });
    const ask = fragment('ask', ['stuck'], { defs: [stuck] });
    const player = gaveUp(flowOf(plain, { fragments: { ...fragments, ...ask } }));
    expect(player.open[0]?.text).toBe('judge: max retries reached\n- no login\n- a.ts · 3');
  });

  it('is about its own node when no gate comes before it', () => {
    const player = Player.start(workflow([def('build'), stuck])).settle();
    expect(player.open[0]?.text).toBe('stuck: max retries reached');
  });

  it.each(['continue', 'retry'])('repeats the stage and the gate on "%s", with fresh retries', (word) => {
    const player = asked().answer(word);
    expect(rest(player)).toBe('verify:queued judge:waiting ship:waiting');
    expect(player.nodes().findLast((one) => one.template === 'judge')?.retry).toBe(0);
    expect(player.node('stuck').state).toBe('passed');
    expect(player.settle().worked(red).live).toBe('/mend');
  });

  it('moves past the gate on "skip"', () => {
    const player = asked().answer('skip', 'good enough');
    expect(player.node('stuck')).toMatchObject({
      state: 'skipped',
      skipReason: { type: 'person', reason: 'good enough', by: 'ada' },
    });
    expect(player.live).toBe('/ship');
  });

  it('offers earlier steps on "rollback"', () => {
    expect(asked().answer('rollback').asks).toEqual(['rollback_target']);
  });

  it('ends the run on "abort"', () => {
    expect(asked().answer('abort').run.status).toBe('cancelled');
  });

  it.each([
    ['continue', { type: 'next' }, 'ship:queued'],
    ['continue', { type: 'finish' }, 'stuck:passed ship:skipped'],
    ['skip', { type: 'finish' }, 'stuck:passed ship:skipped'],
    ['abort', insert('recheck', { args: ['verify', 'judge'] }), 'verify:queued judge:waiting ship:waiting'],
  ] as const)('follows the workflow\'s route for "%s": %j', (word, route, left) => {
    const player = asked({ onAnswer: { [word]: route } });
    player.answer(word);
    expect(player.line().endsWith(left)).toBe(true);
  });

  it('offers no retry when the workflow defines none', () => {
    expect(optionsOf(asked({ onAnswer: { skip: { type: 'next' } } }))).toEqual(['skip', 'rollback', 'abort']);
  });

  it('shows no findings when there are none', () => {
    const spent = { maxAttempts: 1, onExhausted: insert('escalate', { args: ['verify', 'judge'] }) };
    const player = Player.start(workflow([def('verify', spent), judge], { fragments }))
      .settle(failing)
      .settle();
    expect(player.open[0]?.text).toBe('judge: max retries reached');
  });

  it('continues by itself at level manual', () => {
    const way = def('way', { kind: 'human', onAnswer: { continue: { type: 'next' } } });
    const flow = workflow([way, gate('judge')], { fragments });
    const player = Player.start(flow, { level: 'manual' });
    expect(player.open[0]?.text).toBe('way: way');
    expect(works(player.answer('continue'))).toEqual(['read']);
  });
});

describe('a gate over the project survey', () => {
  const survey = {
    hasFolder: true,
    hasSources: true,
    hasRoadmap: true,
    problem: null,
    results: {},
    state: {
      current: 'M1',
      raw: 'raw',
      artifacts: [],
      milestones: ['M1', 'M2'].map((name) => ({ id: name, name, status: 'active', phases: ['1'], donePhases: [] })),
    },
  };
  const next = gate('next', {
    evidence: [{ file: 'survey', as: '', isOptional: false }],
    failWhen: when('next_milestone != null'),
    maxRetries: null,
    onFail: insert('again', {
      carry: { milestone: 'next_milestone' },
      say: '{{milestone}} done, on to {{next_milestone}}',
    }),
  });
  const flow = workflow([def('audit'), next], { survey: '.workflow', fragments: fragment('again', ['audit', 'next']) });

  it('starts the next milestone, and lets the run end after the last', () => {
    const player = Player.start(flow).settle();
    expect(player.run.ops).toMatchObject([{ files: [], survey: '.workflow' }]);
    player.worked({ ...clean, survey });
    expect(told(player)[0]).toBe('◆ next: M1 done, on to M2');
    expect([player.run.context['milestone'], player.live]).toEqual(['M2', '/audit']);
    player
      .settle()
      .worked({ ...clean, survey })
      .worked();
    expect(player.run.status).toBe('completed');
  });

  it('passes when no survey was read', () => {
    expect(Player.start(flow).settle().worked(clean).worked().run.status).toBe('completed');
  });
});

describe('an inconsistent gate', () => {
  it('throws when it judges nothing or its node is gone', () => {
    expect(() => Player.start(workflow([def('judge', { kind: 'decision' })]))).toThrow('judge is no gate');
    const player = atGate();
    const ops = player.run.ops.map((op) => ({ ...op, node: 'n99' }) as never);
    player.world = { ...player.world, state: { ...player.state, run: { ...player.run, ops } } };
    expect(() => player.worked()).toThrow('no node n99 that the checkout was worked on for');
  });

  it('throws when the workflow lacks its fragment', () => {
    expect(() => atGate(flowOf(gate('judge', { onFail: insert('gone') }))).worked(red)).toThrow(
      'no fragment gone in test',
    );
  });
});
