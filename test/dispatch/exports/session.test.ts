import { describe, expect, it } from 'vitest';
import { session, sessionId } from '../../../src/dispatch/exports/session.js';
import { csvText } from '../../../src/dispatch/exports/waves.js';
import type { Node, RunStatus } from '../../../src/engine/index.js';
import type { AttemptRow, StoredRecord } from '../../../src/store/index.js';
import { aNode, anItem, aRun, workflow } from '../../store/values.js';
import { aDef, aGate, type Given, given, live, minute, nodeOf, recordOf, rowOf, settled, startedAt } from './given.js';

const iso = (at: number) => new Date(minute(at)).toISOString();

const roadmap = aDef('roadmap', { call: 'maestro-roadmap', args: '{{task}}', barrier: true });
const analyze = aDef('analyze', { call: 'maestro-analyze', args: '{{phase}}', barrier: true });
const verify = aDef('verify', { call: 'maestro-verify', args: '{{phase}}' });
const gate = aGate('post-verify', 2);
const phases = aDef('phases', { kind: 'loop', over: 'phases', body: [analyze, verify, gate] });
const audit = aDef('milestone-audit', { call: 'maestro-milestone-audit' });
const next = aGate('post-milestone', null);
const debug = aDef('debug', { call: 'quality-debug', args: '{{gap_summary}}' });
const review = aDef('review', { call: 'quality-review' });
const escalation = aDef('post-debug-escalate', { kind: 'human' });
const fix = { id: 'fix', params: [], nodes: [], defs: [debug, escalation, review] };
const chain = [roadmap, phases, audit, next];
const policy = { ...workflow.policy, autoMode: true };
const lifecycle = { chain, fragments: { fix }, policy };

/** Two phases, of which the first is under way and the second is not laid. */
function underWay(
  patch: { readonly run?: Parameters<typeof given>[0]['run']; readonly phase1?: readonly Node[] } = {},
): Given {
  return given({
    run: { position: 'roadmap', ...patch.run },
    workflow: lifecycle,
    items: [
      anItem('P1', 1, { loop: 'n2', status: 'running', startedAt: minute(2), values: { phase: '1', milestone: 'M1' } }),
      anItem('P2', 2, { loop: 'n2', values: { phase: '2', milestone: 'M1' } }),
    ],
    chains: {
      '': [
        nodeOf(roadmap, 1, { state: 'passed' }),
        nodeOf(phases, 2, { state: 'running' }),
        nodeOf(audit, 3),
        nodeOf(next, 4),
      ],
      P1: {
        nodes: patch.phase1 ?? [nodeOf(analyze, 5, { state: 'running' }), nodeOf(verify, 6), nodeOf(gate, 7)],
        context: { phase: '1', analysis_dir: 'scratch/a' },
      },
    },
  });
}

function sessionOf(
  { spine, chainOf }: Given,
  attempts: readonly AttemptRow[] = [],
  records: readonly StoredRecord[] = [],
) {
  return session({ spine, chainOf, attempts, records });
}

const callsOf = (from: Given) => sessionOf(from).file.steps.map(({ skill, args }) => `${skill} ${args}`.trim());

describe('the steps of a session file', () => {
  it('list the run’s whole chain, including phases still to come', () => {
    const { steps } = sessionOf(underWay()).file;
    expect(steps).toEqual([
      {
        index: 0,
        type: 'skill',
        skill: 'maestro-roadmap',
        args: 'add carts',
        status: 'completed',
        node: 'n1',
        wave: null,
      },
      { index: 1, type: 'skill', skill: 'maestro-analyze', args: '1', status: 'running', node: 'n5', wave: null },
      { index: 2, type: 'skill', skill: 'maestro-verify', args: '1', status: 'pending', node: 'n6', wave: null },
      {
        index: 3,
        type: 'decision',
        skill: 'maestro-ralph',
        args: steps[3]?.args,
        status: 'pending',
        node: 'n7',
        wave: null,
      },
      {
        index: 4,
        type: 'skill',
        skill: 'maestro-analyze',
        args: '2',
        status: 'pending',
        node: null,
        wave: null,
      },
      {
        index: 5,
        type: 'skill',
        skill: 'maestro-verify',
        args: '2',
        status: 'pending',
        node: null,
        wave: null,
      },
      {
        index: 6,
        type: 'decision',
        skill: 'maestro-ralph',
        args: steps[3]?.args,
        status: 'pending',
        node: null,
        wave: null,
      },
      {
        index: 7,
        type: 'skill',
        skill: 'maestro-milestone-audit',
        args: '',
        status: 'pending',
        node: 'n3',
        wave: null,
      },
      {
        index: 8,
        type: 'decision',
        skill: 'maestro-ralph',
        args: '{"decision":"post-milestone"}',
        status: 'pending',
        node: 'n4',
        wave: null,
      },
    ]);
  });

  it('include the retry count and the limit of a decision', () => {
    const from = underWay({ phase1: [nodeOf(gate, 7, { retry: 1 }), nodeOf(escalation, 8)] });
    const [, one, two] = sessionOf(from).file.steps;
    expect(JSON.parse(one?.args ?? '')).toEqual({ decision: 'post-verify', retry_count: 1, max_retries: 2 });
    expect(two).toMatchObject({ type: 'decision', args: '{"decision":"post-debug-escalate"}' });
  });

  it('begin at the run’s position, leaving out and not counting steps inferred as done', () => {
    const done = { state: 'skipped', skipReason: { type: 'inferred' } } as const;
    const skipped = { state: 'skipped', skipReason: { type: 'condition', when: 'quick' } } as const;
    const from = underWay({ phase1: [nodeOf(analyze, 5, done), nodeOf(verify, 6, skipped), nodeOf(gate, 7)] });
    from.chains.get('')?.nodes.forEach((node) => {
      if (node.template === 'roadmap') Object.assign(node, done);
    });
    expect(sessionOf(from).file.steps.slice(0, 2)).toMatchObject([
      { index: 0, node: 'n6', status: 'skipped' },
      { index: 1, node: 'n7', status: 'pending' },
    ]);
  });

  it('list a loop’s body once while its items are unknown, and not at all once the loop has passed', () => {
    const laid = (state: Node['state']) =>
      given({ workflow: lifecycle, chains: { '': [nodeOf(phases, 2, { state }), nodeOf(audit, 3)] } });
    expect(callsOf(laid('waiting')).slice(0, 2)).toEqual(['maestro-analyze {{phase}}', 'maestro-verify {{phase}}']);
    expect(callsOf(laid('waiting'))).toHaveLength(4);
    expect(callsOf(laid('passed'))).toEqual(['maestro-milestone-audit']);
  });

  it('leave out an item that was cancelled before it began', () => {
    const from = given({
      workflow: lifecycle,
      items: [anItem('P1', 1, { loop: 'n2', status: 'cancelled' })],
      chains: { '': [nodeOf(phases, 2, { state: 'running' })] },
    });
    expect(callsOf(from)).toEqual([]);
  });

  it('have the arguments given at their insertion, else those of the workflow', () => {
    const phase1 = [nodeOf(debug, 8, { args: '--from-uat {{phase}}' }), nodeOf(debug, 9), nodeOf(aDef('own'), 10)];
    expect(callsOf(underWay({ phase1 })).slice(1, 4)).toEqual([
      'quality-debug --from-uat 1',
      'quality-debug {{gap_summary}}',
      'own',
    ]);
  });

  it('have their placeholders filled in one pass, which leaves braces, quotes and lines of the intent unchanged', () => {
    const task = 'add "carts", {{phase}} and {phase}\nthen $1 more';
    expect(sessionOf(underWay({ run: { task } })).file.steps[0]?.args).toBe(task);
  });

  it.each<[Node['kind'], Node['state'], string]>([
    ['task', 'waiting', 'pending'],
    ['task', 'ready', 'pending'],
    ['task', 'queued', 'running'],
    ['task', 'running', 'running'],
    ['task', 'needs_human', 'running'],
    ['task', 'passed', 'completed'],
    ['task', 'failed', 'failed'],
    ['task', 'cancelled', 'failed'],
    ['task', 'skipped', 'skipped'],
    ['decision', 'needs_human', 'pending'],
    ['human', 'needs_human', 'completed'],
  ])('of kind %s in state %s have the status %s', (kind, state, word) => {
    expect(sessionOf(given({ chains: { '': [aNode('n1', { kind, state })] } })).file.steps[0]?.status).toBe(word);
  });
});

describe('a session file', () => {
  it('holds intent, lifecycle position, context and current step', () => {
    const { steps: _steps, ...file } = sessionOf(
      underWay({ run: { context: { brainstorm_dir: 'scratch/b', plan_dir: '' } } }),
    ).file;
    expect(file).toEqual({
      id: 'ralph-20260203-090507-r12',
      created_at: iso(0),
      intent: 'add carts',
      status: 'running',
      lifecycle_position: 'roadmap',
      target: 'milestone-audit',
      phase: 1,
      milestone: 'M1',
      auto_mode: true,
      context: { plan_dir: null, analysis_dir: 'scratch/a', brainstorm_dir: 'scratch/b' },
      waves: [],
      current_step: 1,
      updated_at: iso(2),
    });
  });

  it('keeps unknown stage outputs, an explicit target and a non-numeric phase', () => {
    const context = { gaps: '2', task_count: '7', target: 'review', phase: 'all', other: 'x' };
    const { file } = sessionOf(given({ run: { context }, workflow: lifecycle }));
    expect(file).toMatchObject({ target: 'review', phase: 'all', milestone: null, current_step: null, steps: [] });
    expect(file.context).toEqual({
      plan_dir: null,
      analysis_dir: null,
      brainstorm_dir: null,
      gaps: '2',
      task_count: '7',
    });
  });

  it.each<[RunStatus, string]>([
    ['draft', 'paused'],
    ['running', 'running'],
    ['paused', 'paused'],
    ['completed', 'completed'],
    ['failed', 'failed'],
    ['cancelled', 'failed'],
  ])('of a %s run has the status %s', (status, word) => {
    expect(sessionOf(given({ run: { status } })).file.status).toBe(word);
  });

  it('has an id of its own for each run, even for runs created at nearly the same time', () => {
    expect(sessionId(aRun(1, { createdAt: startedAt }))).not.toBe(sessionId(aRun(2, { createdAt: startedAt + 1 })));
  });

  it.each<[string, readonly AttemptRow[], readonly StoredRecord[], number]>([
    ['an attempt that went out', [rowOf('n5', { ...live('a1', 0), dispatchedAt: minute(3), startedAt: null })], [], 3],
    ['an attempt that began', [rowOf('n5', { ...live('a1', 0), startedAt: minute(4) })], [], 4],
    ['an attempt that came back', [rowOf('n5', settled('a1', 0, 6))], [], 6],
    ['a decision on record', [], [recordOf('P1', 7, 'decision')], 7],
  ])('is dated by %s', (_what, attempts, records, at) => {
    expect(sessionOf(underWay(), attempts, records).file.updated_at).toBe(iso(at));
  });
});

describe('the waves of a session', () => {
  const parallel = [nodeOf(analyze, 5), nodeOf(verify, 6), nodeOf(review, 7)];
  const from = underWay({ phase1: parallel });
  const wavesOf = (...attempts: readonly AttemptRow[]) => sessionOf(from, attempts);
  const idsOf = (...attempts: readonly AttemptRow[]) =>
    wavesOf(...attempts).file.waves.map(({ steps }) => steps.join(' '));

  it('group the steps dispatched at the same time, in order of dispatch', () => {
    const attempts = [
      rowOf('n1', settled('a1', 0, 1)),
      rowOf('n6', settled('a2', 2, 3)),
      rowOf('n7', settled('a3', 2, 5)),
      rowOf('n6', live('a4', 6)),
    ];
    const { file } = wavesOf(...attempts);
    expect(file.waves).toEqual([
      { id: 'wave-1', steps: ['n1'], started_at: iso(0), completed_at: iso(1) },
      { id: 'wave-2', steps: ['n6', 'n7'], started_at: iso(2), completed_at: iso(5) },
      { id: 'wave-3', steps: ['n6'], started_at: iso(6), completed_at: null },
    ]);
    expect(file.steps.filter(({ wave }) => wave !== null).map(({ node, wave }) => `${node} ${wave}`)).toEqual([
      'n1 1',
      'n6 3',
      'n7 2',
    ]);
  });

  it('contain a barrier alone, and each step once', () => {
    expect(idsOf(rowOf('n6', live('a1', 1)), rowOf('n5', live('a2', 1)), rowOf('n7', live('a3', 1)))).toEqual([
      'n6',
      'n5',
      'n7',
    ]);
    expect(idsOf(rowOf('n6', live('a1', 1)), rowOf('n6', live('a2', 1)))).toEqual(['n6', 'n6']);
  });

  it('are exported as a CSV of calls, and as a CSV of results once every step is back', () => {
    const failed = settled('a3', 2, 5, {
      outcome: 'failing',
      reason: 'bad_output',
      summary: 'said "no",\nand stopped',
    });
    const done = settled('a2', 2, 3, { summary: 'fine', filesChanged: ['a.ts', 'b, c.ts'] });
    const [wave] = wavesOf(rowOf('n6', done), rowOf('n7', failed)).waves;
    expect(wave?.calls).toBe(
      'id,skill_call,topic\n' +
        'n6,"$maestro-ralph-execute ""$maestro-verify 1""",Ralph step 3/9: maestro-verify 1\n' +
        'n7,"$maestro-ralph-execute ""$quality-review""",Ralph step 4/9: quality-review\n',
    );
    expect(wave?.results).toBe(
      'id,status,skill_call,summary,artifacts,error\n' +
        'n6,completed,"$maestro-ralph-execute ""$maestro-verify 1""",fine,"a.ts;b, c.ts",\n' +
        'n7,failed,"$maestro-ralph-execute ""$quality-review""","said ""no"",\nand stopped",,bad_output\n',
    );
    expect(wavesOf(rowOf('n6', done), rowOf('n7', live('a3', 2))).waves[0]?.results).toBeNull();
  });

  it('export a result without a reason or an outcome', () => {
    const results = (outcome: 'crashed' | null) =>
      wavesOf(rowOf('n7', settled('a1', 0, 1, { outcome }))).waves[0]?.results;
    expect(results('crashed')).toContain('n7,failed,"$maestro-ralph-execute ""$quality-review""",,,crashed\n');
    expect(results(null)).toContain('n7,failed,"$maestro-ralph-execute ""$quality-review""",,,no result\n');
  });

  it('leave out an attempt whose step is gone, and keep their numbers', () => {
    const { waves } = wavesOf(rowOf('n99', settled('a1', 0, 1)), rowOf('n7', live('a2', 2)));
    expect(waves.map(({ wave, calls }) => [wave.number, calls.split('\n').length])).toEqual([
      [1, 2],
      [2, 3],
    ]);
  });
});

describe('comma-separated values', () => {
  /** A reader of its own, by the standard and not by the writer. */
  function parse(text: string): string[][] {
    const rows: string[][] = [];
    for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
      if (rows.length === 0) rows.push([]);
      rows.at(-1)?.push(quoted === undefined ? (plain ?? '') : quoted.replaceAll('""', '"'));
      if (end === '\n') rows.push([]);
    }
    return rows.slice(0, -1);
  }

  it.each(['plain', '', ' spaced ', 'a,b', 'say "hi"', '"', '""', 'two\nlines', 'a\r\nb', '\\"', '{phase}', 'é ☕'])(
    'round-trip %j',
    (text) => {
      const rows = [
        ['id', 'text', 'end'],
        ['1', text, 'x'],
        ['2', 'y', text],
      ];
      const [columns = [], ...rest] = rows;
      expect(parse(csvText(columns, rest))).toEqual(rows);
    },
  );
});
