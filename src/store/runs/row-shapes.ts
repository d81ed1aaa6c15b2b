// See sparse-json.ts before changing a default.
import type { Attempt, Chain, Digest, Envelope, Event, Node, Output, Run } from '../../engine/index.js';
import { listShape, type RowShape, rowShape } from '../file/sparse-json.js';

export const attemptShape: RowShape<Attempt> = rowShape<Attempt>({
  defaults: {
    startedAt: null,
    endedAt: null,
    worker: null,
    notes: [],
    outcome: null,
    reason: null,
    summary: null,
    claim: null,
    tests: null,
    checks: [],
    warnings: [],
    filesChanged: [],
    diffStat: null,
    durationMs: 0,
    costUsd: null,
    tokensIn: null,
    tokensOut: null,
    logPath: null,
    team: [],
    session: null,
    resumes: null,
    asks: [],
    denied: [],
    notBefore: null,
    retryAt: null,
    program: null,
  },
});

export const nodeShape: RowShape<Omit<Node, 'live' | 'last'>> = rowShape<Node>({
  defaults: {
    generation: 1,
    abandons: 0,
    dispatches: 0,
    firstAttempt: null,
    skipReason: null,
    description: null,
    restarts: 0,
    retry: 0,
    args: null,
    params: {},
    insertedBy: null,
    verdict: null,
  },
  elsewhere: ['live', 'last'],
});

const digestShape = rowShape<Digest>({ defaults: { text: null, questions: [], files: [] } });

export const chainShape: RowShape<Omit<Chain, 'nodes'>> = rowShape<Chain>({
  defaults: { edges: {}, notes: [], context: {}, digests: [], scratch: '' },
  elsewhere: ['nodes'],
  within: { digests: listShape(digestShape) },
});

export const runShape: RowShape<Run> = rowShape<Run>({
  defaults: {
    pauseReason: null,
    held: false,
    context: {},
    credit: 0,
    live: [],
    ops: [],
    stash: null,
    costUsd: 0,
    budgetUsd: null,
    tokensIn: 0,
    tokensOut: 0,
    endedAt: null,
    named: null,
    oneShot: false,
    position: null,
    begin: null,
    scratch: '',
    progress: null,
    grants: [],
    purse: null,
    finishing: null,
    branch: null,
  },
});

type Settled = Extract<Event, { type: 'attempt_settled' }>;

const outputShape = rowShape<Output>({
  defaults: { isEmpty: true, keys: {}, stories: null, summary: null, tail: '' },
});

const envelopeShape = rowShape<Envelope>({
  defaults: {
    killed: null,
    fault: null,
    output: { isEmpty: true, keys: {}, stories: null, summary: null, tail: '' },
    handoff: null,
    checks: [],
    warnings: [],
    filesChanged: [],
    diffStat: null,
    costUsd: null,
    tokensIn: null,
    tokensOut: null,
    durationMs: 0,
    logPath: null,
    edits: null,
    scratch: { run: '', item: '' },
    progress: null,
    team: [],
  },
  within: { output: outputShape },
});

const settledShape = rowShape<Settled>({ defaults: {}, within: { envelope: envelopeShape } });

/** Other events are too small to gain. */
export const eventShape: Pick<RowShape<Event>, 'write' | 'read'> = {
  write: (event) => (event.type === 'attempt_settled' ? settledShape.write(event) : JSON.stringify(event)),
  read(payload) {
    const event: Event = JSON.parse(payload);
    return event.type === 'attempt_settled' ? settledShape.complete(event) : event;
  },
};
