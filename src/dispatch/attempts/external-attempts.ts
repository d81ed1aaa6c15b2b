// Outside agents claim and report steps. Claims survive restarts until they time out.

import { BosunError } from '../../base/index.js';
import type { Config, Home } from '../../config/index.js';
import { ruleMarks } from '../../config/index.js';
import { definitions, type Envelope, emptyEnvelope, parseOutput, runsAgent, type State } from '../../engine/index.js';
import { isTokenOf, type Job, parseWorker, printWorker } from '../../jobs/index.js';
import type { JobQueue } from '../../queue/index.js';
import type { AttemptRow, RunReader, Store } from '../../store/index.js';
import { checkpoint } from '../../workspace/index.js';
import { emptyPlan, type MakePlan, type Submitted } from '../plans/plan.js';
import { withRulesSinceClaim } from './external-rules.js';
import { attemptJob, type JobParts, jobPartsOf } from './job-builder.js';
import type { ManualReport } from './manual-report.js';

export interface ExternalAttemptParts {
  readonly store: Store;
  readonly queue: JobQueue;
  readonly secret: string;
  readonly home: Pick<Home, 'dir'>;
  readonly now: () => number;
  readonly steady: () => number;
  /** Start times by the steady clock; lost at a restart. */
  readonly beganAt: Map<string, number>;
  readonly jobParts: () => JobParts;
  readonly submit: (work: MakePlan) => Promise<Submitted>;
  readonly readHandReport: (state: State, node: string, given: Envelope['result']) => Promise<ManualReport>;
}

export interface ClaimRequest {
  readonly project: string;
  /** Null: any step that is due. */
  readonly role: string | null;
  /** The key for looking the claim up. */
  readonly claim: string;
}

export function isExternal({ attempt }: AttemptRow): boolean {
  return attempt.worker !== null && parseWorker(attempt.worker).kind === 'external';
}

export async function claimExternal(parts: ExternalAttemptParts, wanted: ClaimRequest): Promise<void> {
  await takeBackOverdue(parts);
  for (const row of parts.store.openAttempts()) {
    if (parts.store.run(row.run)?.project !== wanted.project) continue;
    if (row.attempt.state === 'queued' && isMeant(row, wanted, parts) && (await begin(row, wanted, parts))) return;
  }
}

/** Ends claims over their step's time limit. */
export async function takeBackOverdue(parts: ExternalAttemptParts): Promise<void> {
  const open = parts.store.openAttempts();
  for (const id of parts.beganAt.keys()) if (!open.some(({ attempt }) => attempt.id === id)) parts.beganAt.delete(id);
  for (const row of open) {
    if (isOverdue(row, parts)) await settle(row, { ...emptyEnvelope, killed: 'timeout' }, parts);
  }
}

/** `error`: the agent failed. `report`: judged with evidence like any attempt. */
export async function settleExternal(
  parts: ExternalAttemptParts,
  token: string,
  said: { readonly report: string } | { readonly error: string },
): Promise<void> {
  const { store, secret } = parts;
  const row = store.openAttempts().find((one) => isExternal(one) && isTokenOf(secret, one.attempt.id, token));
  if (!row) throw noLongerOpen();
  const { ignored } = await settle(
    row,
    'error' in said ? failed(said.error) : await reported(row, said.report, parts),
    parts,
  );
  // Race: only the first committed report counts.
  if (ignored[0] !== null) throw noLongerOpen();
}

function noLongerOpen(): BosunError {
  return new BosunError('not_allowed', 'That token belongs to no open claimed step', {
    hint: 'A token is valid for one report. Claim the next step with "bosun step claim".',
  });
}

export function claimedJob(store: RunReader, home: Home, config: Config, claim: string): Job | null {
  const row = store.openAttempts().find(({ attempt }) => attempt.worker === printWorker({ kind: 'external', claim }));
  return row ? attemptJob(stateOf(row, store), row.node, row.attempt.id, jobPartsOf(config, home, '')) : null;
}

/** Race: the first claim wins, and a worker with the same attempt learns that it is gone. */
async function begin(
  { attempt, run, chain }: AttemptRow,
  { claim }: ClaimRequest,
  parts: ExternalAttemptParts,
): Promise<boolean> {
  const { ignored } = await parts.submit((now) => ({
    ...emptyPlan,
    events: [
      {
        type: 'attempt_started',
        run,
        chain,
        at: now.at,
        attempt: attempt.id,
        worker: printWorker({ kind: 'external', claim }),
      },
    ],
  }));
  if (ignored[0] !== null) return false;
  parts.beganAt.set(attempt.id, parts.steady());
  await parts.queue.forget([attempt.id]);
  const { root, workdir } = jobOf({ attempt, run, chain }, parts).payload;
  // Best effort: without a checkpoint the step cannot be rolled back.
  const before = await checkpoint(workdir).catch(() => null);
  const rules = ruleMarks({ root, workdir });
  if (before) parts.store.setCheckpoint(attempt.id, JSON.stringify({ ...before, rules }));
  return true;
}

function isMeant(row: AttemptRow, { role }: ClaimRequest, { store }: ExternalAttemptParts): boolean {
  const { workflow, chain } = stateOf(row, store);
  const node = chain.nodes.find((one) => one.id === row.node);
  return (
    node !== undefined &&
    runsAgent(node) &&
    (role === null ||
      definitions(workflow).some((def) => def.id === node.template && runsAgent(def) && def.role === role))
  );
}

function isOverdue(row: AttemptRow, parts: ExternalAttemptParts): boolean {
  const { id, startedAt } = row.attempt;
  if (!isExternal(row) || startedAt === null) return false;
  const { beganAt, steady, now } = parts;
  // After a restart only the wall clock knows.
  const began = beganAt.get(id) ?? steady() - Math.max(0, now() - startedAt);
  beganAt.set(id, began);
  return steady() - began > jobOf(row, parts).payload.timeoutMs;
}

async function reported(row: AttemptRow, report: string, parts: ExternalAttemptParts): Promise<Envelope> {
  const { outputs } = jobOf(row, parts).payload;
  const nothing = { status: null, reason: null, summary: null };
  const { envelope } = await parts.readHandReport(stateOf(row, parts.store), row.node, nothing);
  return { ...envelope, result: null, output: parseOutput(report, outputs) };
}

function failed(error: string): Envelope {
  return { ...emptyEnvelope, exit: 0, result: { status: 'failing', reason: null, summary: error } };
}

async function settle(row: AttemptRow, told: Envelope, parts: ExternalAttemptParts): Promise<Submitted> {
  const { run, chain, attempt } = row;
  // A report that loses the race finds no live node.
  const job = findJob(row, parts);
  const envelope = job === null ? told : withRulesSinceClaim(told, row, job.payload, parts);
  return parts.submit((now) => ({
    ...emptyPlan,
    events: [{ type: 'attempt_settled', run, chain, at: now.at, attempt: attempt.id, envelope }],
  }));
}

type Place = Pick<AttemptRow, 'run' | 'chain' | 'attempt'>;

function jobOf(row: Place, parts: ExternalAttemptParts): Job {
  const job = findJob(row, parts);
  if (job === null) throw new Error(`no node has the running attempt ${row.attempt.id}`);
  return job;
}

function findJob(row: Place, { store, jobParts }: ExternalAttemptParts): Job | null {
  const state = stateOf(row, store);
  const node = state.chain.nodes.find((one) => one.live?.id === row.attempt.id);
  return node ? attemptJob(state, node.id, row.attempt.id, jobParts()) : null;
}

function stateOf({ run, chain }: Omit<Place, 'attempt'>, store: RunReader): State {
  const spine = store.spine(run);
  const found = store.chain(run, chain);
  if (!spine || !found) throw new Error(`${run} has no chain "${chain}"`);
  return { ...spine, chain: found };
}
