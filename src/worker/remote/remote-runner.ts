// An attempt without the home's disk: fetch the bundle, lay it out, run, push the result, then report the envelope.
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { relative } from 'node:path';
import { attemptRunner, type CodingAgent } from '../../agents/index.js';
import type { Log, Redact } from '../../base/index.js';
import { BosunError, pause, settingsGuard } from '../../base/index.js';
import type { Config, Environment, Home } from '../../config/index.js';
import { homeRedaction } from '../../config/index.js';
import { type Envelope, emptyEnvelope } from '../../engine/index.js';
import type { AttemptSpec, CheckoutBundle, JobControl, RunAttempt } from '../../jobs/index.js';
import { aboutAttempt } from '../../jobs/index.js';
import {
  type BundlePlace,
  fetchBundle,
  forgetBundles,
  layOut,
  openClone,
  packBundle,
  pushBundle,
} from '../../workspace/index.js';
import { measuredAttempt } from '../attempt/measured-attempt.js';
import { prepareWorktree } from '../attempt/prepare-worktree.js';
import { inPresentEnv } from '../attempt/resolve-environment.js';
import { type AbortableSteps, StepsStopped, stepsUntil } from './abortable-steps.js';
import type { AgentProxy } from './agent-proxy.js';
import { type Checkout, inClone, takeCheckout } from './clone-checkouts.js';
import type { RunningAttempts } from './orphan-processes.js';
import { envelopeThere, type PathMapping, placesFor, specHere } from './path-mapping.js';
import { type PathTranslation, translatePaths } from './path-translation.js';
import { FailedStep, faultOf, withHint } from './worker-faults.js';

export interface RemoteRunnerParts {
  readonly home: Pick<Home<CodingAgent>, 'dir' | 'secret' | 'apiToken' | 'agents'>;
  readonly config: () => Config;
  readonly env: Environment;
  readonly name: string;
  readonly bosun: string;
  readonly proxy: Pick<AgentProxy, 'url' | 'admit'>;
  readonly underway: Pick<RunningAttempts, 'begin'>;
  readonly log: Log;
  readonly pushForMs: number;
  readonly pushEveryMs: number;
}

export const usualPush = { pushForMs: 600_000, pushEveryMs: 5_000 };

export function awayRunner(parts: RemoteRunnerParts): RunAttempt {
  const redaction = homeRedaction(parts.config, parts.home, parts.env);
  const redactOf = (spec: AttemptSpec) => redaction.of(spec);
  // Takes no checkpoint: Bosun's machine measures the result.
  const settings = settingsGuard(parts.home.dir);
  const runWith = (logs: string) => {
    const work = measuredAttempt({
      ...{ settings, putsSettingsBack: true, redactOf, noteCheckpoint: null, home: null },
      ...{ earlierCheckpoint: () => null, earlierTries: () => null },
      run: attemptRunner({ agents: parts.home.agents, home: parts.home.dir, redactOf, logFolderOf: () => logs }),
      log: (message, fields) => parts.log(redaction.redact(message), fields),
    });
    return inOwnEnv(work, parts.config);
  };
  return async (spec, control) => {
    const redact = redactOf(spec);
    const steps = stepsUntil(control.signal);
    try {
      return await attempt(spec, control, { ...parts, spec, runWith, steps, redact });
    } catch (error) {
      return ended(emptyEnvelope, error, { ...parts, spec, steps, redact });
    }
  };
}

interface At extends RemoteRunnerParts {
  readonly spec: AttemptSpec;
  readonly runWith: (logs: string) => RunAttempt;
  readonly steps: AbortableSteps;
  readonly redact: Redact;
}

const sayAgainMs = 20_000;

async function attempt(spec: AttemptSpec, control: JobControl, at: At): Promise<Envelope> {
  const { steps } = at;
  const { connection } = control;
  if (connection === undefined) throw new FailedStep('worker', `Cannot reach the Bosun of ${spec.attempt}`);
  const bundle = await saying(`fetching ${spec.project}`, control, () => steps.take(askFor(connection.fetch())));
  const checkout = await takeCheckout(at.home, at.bosun, spec, bundle);
  const places = placesFor(spec, checkout);
  const talk = translatePaths(connection, places, at.redact);
  const undo: (() => void)[] = [];
  // After a failed push the result's ref stays, because the card names it.
  const over = [bundle.ref];
  try {
    undo.push(at.underway.begin(spec.token), at.proxy.admit(spec.token, talk.call));
    await saying(`fetching ${spec.project}`, control, () => steps.take(layIn(checkout, bundle, steps)));
    if (bundle.setup !== null) await saying('setting up', control, () => prepare(checkout, bundle, spec, steps));
    // From here on the agent reports its own progress.
    control.report({ type: 'action', text: '' });
    const envelope = await at.runWith(checkout.logs)({ ...specHere(spec, places), url: at.proxy.url }, control);
    const told = returned(envelope, places, talk, spec);
    const sent = await saying('sending its work back', control, () => bringBack(told, checkout, bundle, spec, at));
    if (sent.pushed !== undefined || steps.signal.aborted) over.push(bundle.backRef);
    return sent;
  } finally {
    for (const act of undo) act();
    // Aborted steps may still write to the checkout.
    steps
      .ended()
      .then(() => forgetIn(checkout, over))
      .catch((error: unknown) => at.log(`${over.join(', ')} in ${checkout.clone}: ${String(error)}`))
      .then(checkout.release)
      .catch((error: unknown) => at.log(`cannot release ${checkout.top}: ${String(error)}`));
  }
}

/** Otherwise the clone would keep every attempt's state. */
async function forgetIn({ clone }: Checkout, refs: readonly string[]): Promise<void> {
  if (existsSync(clone)) await forgetBundles(clone, refs);
}

async function askFor(bundle: Promise<CheckoutBundle>): Promise<CheckoutBundle> {
  try {
    return await bundle;
  } catch (error) {
    const hint = error instanceof BosunError ? error.hint : null;
    throw new FailedStep('worker_freight', withHint(messageOf(error), hint));
  }
}

function layIn(checkout: Checkout, bundle: CheckoutBundle, { signal }: AbortableSteps): Promise<void> {
  const { clone, top, shared } = checkout;
  const { remote, ref, commit, prefix } = bundle;
  return inClone(clone, signal, async () => {
    needed('worker_fetch', await openClone(clone, remote, signal));
    needed('worker_fetch', await fetchBundle(clone, remote, { ref, commit }, signal));
    if (signal.aborted) throw new StepsStopped();
    needed('worker_checkout', await layOut({ clone, checkout: top, commit, prefix, shared }));
  });
}

async function prepare(
  { folder }: Checkout,
  { setup }: CheckoutBundle,
  spec: AttemptSpec,
  { take, signal }: AbortableSteps,
): Promise<void> {
  const fitting = { root: folder, folder, settings: { setup, link: [] }, name: spec.project };
  const done = await take(prepareWorktree(fitting, undefined, signal));
  if (done.kind === 'fit') return;
  throw new FailedStep(
    'worker_setup',
    `${done.why}\nFix it on ${hostname()}, or worktree.setup in Bosun's config.yaml, then retry.`,
  );
}

async function bringBack(
  envelope: Envelope,
  checkout: Checkout,
  bundle: CheckoutBundle,
  spec: AttemptSpec,
  at: At,
): Promise<Envelope> {
  const { folder, shared, logs } = checkout;
  const { steps } = at;
  const log = { folder: logs, path: relative(spec.sharedDir, spec.logPath) };
  try {
    const { commit, leftOut } = await steps.take(packed({ folder, shared, log }, steps)).catch(keeping(checkout));
    const pushed = { ref: bundle.backRef, commit };
    const problem = await steps.take(pushUntil(folder, bundle.remote, pushed, at));
    if (problem === null) return { ...envelope, pushed, warnings: [...envelope.warnings, ...stayed(leftOut, at)] };
    const kept = `Its work is kept on ${hostname()}, in ${checkout.clone} as ${pushed.ref}.`;
    throw new FailedStep('worker_push', `${problem}\n${kept}`);
  } catch (error) {
    return ended(envelope, error, at);
  }
}

/** Packing failed (unfinished merge, unreadable file): keep this only copy from the next attempt. */
function keeping({ top, keep }: Checkout): (error: unknown) => never {
  return (error) => {
    if (error instanceof StepsStopped) throw error;
    const failed = error instanceof BosunError ? error : new BosunError('disk', messageOf(error), { cause: error });
    keep();
    const kept = `Its work is kept on ${hostname()} in ${top} for seven days; no other attempt uses that folder.`;
    const hint = `${kept} Copy what you need from there, then retry.`;
    throw new BosunError(failed.code, withHint(failed.message, failed.hint), { hint, cause: failed.cause });
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const mostNamed = 20;

/** Files of the agent that Bosun does not get. */
function stayed(leftOut: readonly string[], { name, redact }: At): readonly string[] {
  if (leftOut.length === 0) return [];
  const named = leftOut.slice(0, mostNamed).join(', ');
  const more = leftOut.length > mostNamed ? `, and ${leftOut.length - mostNamed} more` : '';
  return [redact(`too large to send back, or not a regular file, so left on ${hostname()} (${name}): ${named}${more}`)];
}

async function packed(place: BundlePlace, { signal }: AbortableSteps): ReturnType<typeof packBundle> {
  if (signal.aborted) throw new StepsStopped();
  return packBundle(place);
}

/** Without the pushed work the attempt's claims do not count. */
function ended(envelope: Envelope, error: unknown, at: Omit<At, 'runWith'>): Envelope {
  const { signal } = at.steps;
  if (error instanceof StepsStopped || signal.aborted) {
    const killed = signal.reason === 'interrupted' ? 'interrupted' : 'cancel';
    return { ...envelope, killed: envelope.killed ?? killed };
  }
  const { message, ...fault } = faultOf(error, { name: at.name, dir: at.home.dir });
  const said = { ...fault, message: at.redact(message) };
  at.log(said.message, { ...aboutAttempt(at.spec), level: 'warn' });
  if (envelope.fault === null) return { ...envelope, fault: said };
  return { ...envelope, warnings: [...envelope.warnings, said.message] };
}

/** Null: pushed. Retries while the remote is unreachable, not after a refusal. */
async function pushUntil(
  folder: string,
  remote: string,
  pushed: { readonly ref: string; readonly commit: string },
  { steps: { signal }, pushForMs, pushEveryMs }: At,
): Promise<string | null> {
  const until = Date.now() + pushForMs;
  for (;;) {
    const answer = await pushBundle(folder, remote, pushed, signal);
    if (answer.kind === 'pushed') return null;
    if (signal.aborted) throw new StepsStopped();
    if (!isAway(answer.why) || Date.now() + pushEveryMs > until) return withHint(answer.why, answer.hint);
    await pause(pushEveryMs, signal);
  }
}

/** Only Bosun's first line; the remote's output follows. */
function isAway(why: string): boolean {
  return /cannot be reached|did not take it within/.test(why.split('\n', 1)[0] ?? '');
}

function returned(envelope: Envelope, places: PathMapping, talk: PathTranslation, { logPath }: AttemptSpec): Envelope {
  const back = envelopeThere(talk.known(envelope), places);
  return envelope.logPath === null ? back : { ...back, logPath };
}

/** Falls back to variables passed by name if this config lacks the executor. */
function inOwnEnv(run: RunAttempt, config: () => Config): RunAttempt {
  const present = inPresentEnv(run, config);
  return (spec, control) => {
    const { executorName: name } = spec;
    const isKnown = name === undefined || Object.hasOwn(config().executors, name);
    return isKnown ? present(spec, control) : run(spec, control);
  };
}

/** A heartbeat: a long step must not look stalled. */
async function saying<T>(text: string, control: JobControl, act: () => Promise<T>): Promise<T> {
  const say = () => control.report({ type: 'action', text });
  say();
  const timer = setInterval(say, sayAgainMs);
  try {
    return await act();
  } finally {
    clearInterval(timer);
  }
}

function needed(
  code: string,
  answer: { readonly kind: string } | { readonly kind: 'blocked'; readonly why: string; readonly hint: string },
): void {
  if (answer.kind === 'blocked' && 'why' in answer) throw new FailedStep(code, withHint(answer.why, answer.hint));
}
