// Runs any program that speaks the Agent Client Protocol over standard input and output.
import type { Environment } from '../../../base/index.js';
import type { AgentConfig } from '../../../jobs/index.js';
import type { AgentSeat, AgentVersion, CodingAgent, Probe, TrialParts, TrialResult } from '../port.js';
import { runOf } from './handshake.js';
import { identity } from './identity.js';
import { openAcp } from './session.js';
import { faultOf, greet, seatInFolder, type TrialEnd, tryPermission, whyNot } from './trial.js';
import { readVerdict, trialKey, writeVerdict } from './trial-notes.js';

export const acp: CodingAgent = {
  ...identity,
  adapter: { open: (seat, context) => openAcp(seat, context), fallback: null, trial },
  reportsCost: 'sometimes',
  probe,
  hook: null,
  // ACP has no terminal and no common way to resume in one.
  terminal: null,
};

/** Attempts that begin together share a trial. */
const underWay = new Map<string, Promise<TrialEnd>>();

async function trial(seat: AgentSeat, parts: TrialParts): Promise<TrialResult> {
  const { executor } = seat;
  if (executor.permission === 'bypass') return { fault: null, usage: null, words: null };
  const key = trialKey(seat, parts.environment);
  const known = readVerdict(parts.home, key);
  if (known !== null) return { fault: faultOf(known, executor), usage: null, words: null };
  const isFirst = !underWay.has(key);
  const end = await tryOnce(key, seat, parts);
  const usage = isFirst ? end.usage : null;
  if (end.kind === 'not_shown')
    return { fault: end.fault, usage, words: `a trial of ${runOf(executor)[0]} showed nothing` };
  const words = `a trial of ${runOf(executor)[0]}: ${whyNot(end.verdict) ?? 'it asks before it runs a command, and obeys'}`;
  return { fault: faultOf(end.verdict, executor), usage, words };
}

async function tryOnce(key: string, seat: AgentSeat, parts: TrialParts): Promise<TrialEnd> {
  const running = underWay.get(key) ?? tryPermission(seat, parts).finally(() => underWay.delete(key));
  underWay.set(key, running);
  const end = await running;
  if (end.kind === 'shown') writeVerdict(parts.home, key, end.verdict, parts.clock());
  return end;
}

async function probe(
  executor: AgentConfig,
  environment: Environment,
  folder: string,
  how: Probe,
): Promise<AgentVersion> {
  const seat = seatInFolder(executor, folder);
  const parts: TrialParts = {
    environment,
    home: how.home,
    killGraceMs: 1_500,
    now: () => performance.now(),
    clock: Date.now,
    signal: new AbortController().signal,
  };
  const greeted = await greet(seat, parts);
  if ('missing' in greeted) return { kind: 'missing' };
  if ('why' in greeted) return { kind: 'broken', why: greeted.why };
  const version = `speaks ACP as ${greeted.program}`;
  if (executor.permission === 'bypass') return { kind: 'there', version };
  const key = trialKey(seat, environment);
  const end = how.tries ? await tryOnce(key, seat, parts) : null;
  if (end?.kind === 'not_shown') return { kind: 'limited', version, why: end.fault.message, hint: tryAgain };
  const verdict = end?.verdict ?? readVerdict(how.home, key);
  if (verdict === null)
    return { kind: 'limited', version, why: 'it was not tried yet whether it asks', hint: tryAgain };
  const fault = faultOf(verdict, executor);
  if (fault === null) return { kind: 'there', version: `${version}, asks before it runs a command` };
  return { kind: 'limited', version, why: fault.message, hint: 'Its steps do not begin until then.' };
}

const tryAgain = 'Its first step tries it, with one short turn of its model; so does `bosun doctor --probe`.';
