import { describe, expect, it } from 'vitest';
import { type RouteChoice, readDecision, route, type SpentBudgets } from '../../src/engine/chain/route.js';
import type { JobDef, Node } from '../../src/engine/index.js';
import type { Outcome } from '../../src/engine/model/model.js';
import { def, goto, Player, retry, workflow } from './builders.js';

const fresh: Node = Player.create(workflow([def('impl')])).node('impl');
const order = ['sdd', 'impl', 'verify', 'ship'];

interface Row {
  readonly name: string;
  readonly def?: Partial<JobDef>;
  readonly node?: Partial<Node>;
  readonly outcome: Partial<Outcome>;
  readonly spent?: Partial<SpentBudgets>;
  readonly expected: RouteChoice;
}

const again = { type: 'again', costs: 'attempts' } as const;
const abandon = { type: 'again', costs: 'abandons' } as const;
const back = goto('sdd');
const reject = goto('sdd', { budget: 'rejections' });
const deciding = { decisionKey: 'DECISION', onDecision: { approved: goto('ship'), needs_fixes: back } } as const;
const stuck = (why: string): RouteChoice => ({ type: 'exhausted', by: 'ask', why });

const rows: readonly Row[] = [
  { name: 'a pass goes on', outcome: { kind: 'pass' }, expected: { type: 'go', route: { type: 'next' } } },
  {
    name: 'a pass follows on_pass',
    def: { onPass: { type: 'finish' } },
    outcome: { kind: 'pass' },
    expected: { type: 'go', route: { type: 'finish' } },
  },
  {
    name: 'a pass follows its own word before on_pass',
    def: { onStatus: { retry: back } },
    outcome: { kind: 'failing', word: 'retry' },
    expected: { type: 'go', route: back },
  },
  {
    name: 'a status word on a pass leads where on_status says',
    def: { onStatus: { done: { type: 'finish' } } },
    outcome: { kind: 'pass', word: 'done' },
    expected: { type: 'go', route: { type: 'finish' } },
  },
  {
    name: 'a claimed word that the evidence contradicts leads nowhere',
    def: { onStatus: { done: { type: 'finish' } } },
    outcome: { kind: 'failing', word: 'done', claim: 'done' },
    expected: again,
  },
  {
    name: 'a word that every object has is no status',
    def: { onStatus: { done: { type: 'finish' } } },
    outcome: { kind: 'failing', word: 'constructor' },
    expected: again,
  },
  {
    name: 'a decision leads by its value, whatever its case',
    def: deciding,
    outcome: { kind: 'pass', keys: { DECISION: '  Needs_FIXES ' } },
    expected: { type: 'go', route: back },
  },
  {
    name: 'a decision that nobody declared is tried again',
    def: deciding,
    outcome: { kind: 'pass', keys: { DECISION: 'maybe' } },
    expected: again,
  },
  { name: 'failing is tried again', outcome: { kind: 'failing' }, expected: again },
  {
    name: 'failing at the last attempt asks',
    node: { attempt: 3 },
    outcome: { kind: 'failing' },
    expected: stuck('3 attempts'),
  },
  {
    name: 'failing at the only attempt names one',
    def: { maxAttempts: 1 },
    outcome: { kind: 'failing' },
    expected: stuck('1 attempt'),
  },
  {
    name: 'failing at the last attempt fails where the workflow says so',
    def: { onExhausted: 'fail' },
    node: { attempt: 3 },
    outcome: { kind: 'failing' },
    expected: { type: 'exhausted', by: 'fail', why: '3 attempts' },
  },
  {
    name: 'failing without any on_fail is tried again',
    def: { onFail: {} },
    outcome: { kind: 'failing' },
    expected: again,
  },
  {
    name: 'a reason goes its own way, also at the last attempt',
    def: { onFail: { default: retry, scope_warning: back } },
    node: { attempt: 3 },
    outcome: { kind: 'failing', reason: 'scope_warning' },
    expected: { type: 'go', route: back },
  },
  {
    name: 'a reason without a way of its own takes the default',
    def: { onFail: { default: back } },
    outcome: { kind: 'failing', reason: 'nfr_missing' },
    expected: { type: 'go', route: back },
  },
  {
    name: 'a way back is no retry: one attempt is enough for it',
    def: { onFail: { default: back }, maxAttempts: 1 },
    node: { attempt: 1 },
    outcome: { kind: 'failing' },
    expected: { type: 'go', route: back },
  },
  {
    name: 'a way back ends with its edge',
    def: { onFail: { default: back }, maxLoops: 1 },
    outcome: { kind: 'failing' },
    spent: { loops: () => 1 },
    expected: stuck('1 way back to sdd'),
  },
  {
    name: 'several ways back are counted in words',
    def: { onFail: { default: back } },
    outcome: { kind: 'failing' },
    spent: { loops: () => 3 },
    expected: stuck('3 ways back to sdd'),
  },
  {
    name: 'a way forward costs nothing',
    def: { onFail: { default: goto('ship') }, maxLoops: 0 },
    outcome: { kind: 'failing' },
    expected: { type: 'go', route: goto('ship') },
  },
  {
    name: 'a rejection is paid by the item',
    def: { onFail: { default: reject }, maxLoops: 0 },
    outcome: { kind: 'failing' },
    spent: { rejections: 1 },
    expected: { type: 'go', route: reject },
  },
  {
    name: 'the last rejection was one too many',
    def: { onFail: { default: reject } },
    outcome: { kind: 'failing' },
    spent: { rejections: 2 },
    expected: stuck('3 rejections'),
  },
  {
    name: 'a reason may ask at once',
    def: { onFail: { default: { type: 'ask' } } },
    outcome: { kind: 'failing' },
    expected: stuck('1 attempt'),
  },
  {
    name: 'a reason may fail at once',
    def: { onFail: { default: { type: 'fail' } } },
    outcome: { kind: 'failing' },
    expected: { type: 'exhausted', by: 'fail', why: '1 attempt' },
  },
  { name: 'a crash is tried again and costs no attempt', outcome: { kind: 'crashed' }, expected: abandon },
  {
    name: 'a crash is tried again at the last attempt',
    node: { attempt: 3 },
    outcome: { kind: 'crashed' },
    expected: abandon,
  },
  {
    name: 'a crash beyond the budget asks',
    node: { abandons: 2 },
    outcome: { kind: 'crashed' },
    expected: stuck('3 crashes'),
  },
  {
    name: 'a crash where nothing is tried again asks',
    def: { abandons: 0 },
    outcome: { kind: 'crashed' },
    expected: stuck('1 crash'),
  },
  {
    name: 'what Bosun itself interrupted is tried once more where nothing else is',
    def: { abandons: 0 },
    outcome: { kind: 'crashed', isInterrupted: true },
    expected: abandon,
  },
  {
    name: 'and only once',
    def: { abandons: 0 },
    node: { abandons: 1 },
    outcome: { kind: 'crashed', isInterrupted: true },
    expected: stuck('2 crashes'),
  },
  { name: 'a timeout is tried again', outcome: { kind: 'timeout' }, expected: abandon },
  {
    name: 'a timeout asks where the workflow says so',
    def: { onTimeout: 'ask' },
    outcome: { kind: 'timeout' },
    expected: stuck('its time limit'),
  },
  {
    name: 'a timeout fails where the workflow says so',
    def: { onTimeout: 'fail' },
    outcome: { kind: 'timeout' },
    expected: { type: 'exhausted', by: 'fail', why: 'its time limit' },
  },
  { name: 'a question waits', outcome: { kind: 'needs_human' }, expected: { type: 'question' } },
  { name: 'what was stopped stays', outcome: { kind: 'cancelled' }, expected: { type: 'stay' } },
];

function choose(row: Pick<Row, 'def' | 'node' | 'outcome' | 'spent'>): RouteChoice {
  const outcome: Outcome = {
    kind: 'pass',
    reason: null,
    summary: null,
    claim: null,
    word: null,
    warnings: [],
    isInterrupted: false,
    isFinal: false,
    keys: {},
    ...row.outcome,
  };
  const spent: SpentBudgets = {
    loops: () => 0,
    rejections: 0,
    maxRejections: 2,
    isBackward: (target) => order.indexOf(target) <= order.indexOf('impl'),
    isInsertionWorn: false,
    ...row.spent,
  };
  return route(def('impl', row.def), { ...fresh, ...row.node }, outcome, spent);
}

describe('route', () => {
  it.each(rows)('$name', (row) => {
    expect(choose(row)).toEqual(row.expected);
  });

  it('throws on an unknown outcome', () => {
    expect(() => choose({ outcome: { kind: 'bogus' as never } })).toThrow('unreachable');
  });

  it('throws on an unknown route', () => {
    expect(() => choose({ def: { onPass: { type: 'bogus' } as never }, outcome: { kind: 'pass' } })).toThrow(
      'unreachable',
    );
  });
});

describe('reading a decision from a report', () => {
  it.each([
    ['is missing', {}, 'Decision key DECISION not found in the report.'],
    ['is empty', { DECISION: ' ' }, 'Decision key DECISION not found in the report.'],
    [
      'is unknown',
      { DECISION: 'maybe' },
      'Unknown decision value "maybe" for DECISION; known are approved, needs_fixes.',
    ],
    [
      'is a word that every object has',
      { DECISION: 'constructor' },
      'Unknown decision value "constructor" for DECISION; known are approved, needs_fixes.',
    ],
  ])('explains why the decision cannot be read when it %s', (_name, keys, bad) => {
    expect(readDecision(def('impl', deciding), keys)).toEqual({ bad });
  });

  it('matches the key in any case', () => {
    expect(readDecision(def('impl', deciding), { decision: 'Approved' })).toEqual({ value: 'approved' });
  });

  it('fails for a node that declares no decision', () => {
    expect(readDecision(def('impl'), { DECISION: 'x' })).toMatchObject({ bad: expect.any(String) });
  });
});
