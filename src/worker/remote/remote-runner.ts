// One attempt on a machine without the home's disk: its checkout is fetched and laid out, the same executor works in it as
// on Bosun's own machine, and what came of it is pushed back before the envelope goes.
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { relative } from 'node:path';
import { attemptRunner } from '../../agents/index.js';
import type { Log, Redact } from '../../base/index.js';
import { BosunError, pause, settingsGuard } from '../../base/index.js';
import type { Config, Environment, Home } from '../../config/index.js';
import { homeRedaction } from '../../config/index.js';
import { type Envelope, emptyEnvelope } from '../../engine/index.js';
import type { AttemptSpec, CheckoutBundle, JobControl, RunAttempt } from '../../jobs/index.js';
import { aboutAttempt } from '../../jobs/index.js';
import {
  type FreightPlace,
  fetchFreight,
  forgetFreight,
  layOut,
  openClone,
  packBundle,
  pushFreight,
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

export interface ElsewhereParts {
  /** The worker's own, of which it needs a folder and a config. */
  readonly home: Pick<Home, 'dir' | 'secret' | 'apiToken'>;
  readonly config: () => Config;
  readonly env: Environment;
  readonly name: string;
  /** The id of the home whose jobs these are. */
  readonly bosun: string;
  readonly relay: Pick<AgentProxy, 'url' | 'admit'>;
  readonly underway: Pick<RunningAttempts, 'begin'>;
  readonly log: Log;
  /** How long, and how often, a remote that does not take what came of an attempt is tried again. */
  readonly pushForMs?: number;
  readonly pushEveryMs?: number;
}

export function elsewhereRunner(parts: ElsewhereParts): RunAttempt {
  const redaction = homeRedaction(parts.config, parts.home, parts.env);
  const redactOf = (spec: AttemptSpec) => redaction.of(spec);
  // What changed is measured in Bosun's own checkout, once it is there.
  const settings = settingsGuard(parts.home.dir);
  const runWith = (logs: string) => {
    const work = measuredAttempt({
      ...{ settings, putsSettingsBack: true, redactOf },
      run: attemptRunner({ redactOf, logFolderOf: () => logs }),
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

interface At extends ElsewhereParts {
  readonly spec: AttemptSpec;
  readonly runWith: (logs: string) => RunAttempt;
  readonly steps: AbortableSteps;
  readonly redact: Redact;
}

const usualPushForMs = 600_000;
const usualPushEveryMs = 5_000;
const sayAgainMs = 20_000;

async function attempt(spec: AttemptSpec, control: JobControl, at: At): Promise<Envelope> {
  const { steps } = at;
  const { afar } = control;
  if (afar === undefined) throw new FailedStep('worker', `There is no way to the Bosun of ${spec.attempt}`);
  const freight = await saying(`fetching ${spec.project}`, control, () => steps.take(askFor(afar.fetch())));
  const checkout = await takeCheckout(at.home, at.bosun, spec, freight);
  const places = placesFor(spec, checkout);
  const talk = translatePaths(afar, places, at.redact);
  const undo: (() => void)[] = [];
  // What came of it stays known here where the remote did not take it: a card says so.
  const over = [freight.ref];
  try {
    undo.push(at.underway.begin(spec.token), at.relay.admit(spec.token, talk.call));
    await saying(`fetching ${spec.project}`, control, () => steps.take(layIn(checkout, freight, steps)));
    if (freight.setup !== null) await saying('setting up', control, () => prepare(checkout, freight, spec, steps));
    // From here on the agent tells what it does.
    control.report({ type: 'action', text: '' });
    const envelope = await at.runWith(checkout.logs)({ ...specHere(spec, places), url: at.relay.url }, control);
    const told = returned(envelope, places, talk, spec);
    const sent = await saying('sending back what came of it', control, () =>
      bringBack(told, checkout, freight, spec, at),
    );
    if (sent.pushed !== undefined || steps.signal.aborted) over.push(freight.backRef);
    return sent;
  } finally {
    for (const act of undo) act();
    // What goes on in it although nobody waits for it any more must not meet the next one.
    steps
      .ended()
      .then(() => forgetIn(checkout, over))
      .catch((error: unknown) => at.log(`${over.join(', ')} in ${checkout.clone}: ${String(error)}`))
      .then(checkout.release)
      .catch((error: unknown) => at.log(`${checkout.top} is not free again: ${String(error)}`));
  }
}

/** Else a clone would keep the whole state of every attempt, for as long as somebody works there. */
async function forgetIn({ clone }: Checkout, refs: readonly string[]): Promise<void> {
  if (existsSync(clone)) await forgetFreight(clone, refs);
}

async function askFor(freight: Promise<CheckoutBundle>): Promise<CheckoutBundle> {
  try {
    return await freight;
  } catch (error) {
    // In Bosun's own words: it is there that it must be mended.
    const hint = error instanceof BosunError ? error.hint : null;
    throw new FailedStep('worker_freight', withHint(messageOf(error), hint));
  }
}

function layIn(checkout: Checkout, freight: CheckoutBundle, { signal }: AbortableSteps): Promise<void> {
  const { clone, top, shared } = checkout;
  const { remote, ref, commit, prefix } = freight;
  return inClone(clone, signal, async () => {
    needed('worker_fetch', await openClone(clone, remote, signal));
    needed('worker_fetch', await fetchFreight(clone, remote, { ref, commit }, signal));
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
    `${done.why}\nMend it on ${hostname()}, or worktree.setup in Bosun's config.yaml, then retry.`,
  );
}

async function bringBack(
  envelope: Envelope,
  checkout: Checkout,
  freight: CheckoutBundle,
  spec: AttemptSpec,
  at: At,
): Promise<Envelope> {
  const { folder, shared, logs } = checkout;
  const { steps } = at;
  const log = { folder: logs, path: relative(spec.sharedDir, spec.logPath) };
  try {
    const { commit, leftOut } = await steps.take(packed({ folder, shared, log }, steps)).catch(keeping(checkout));
    const pushed = { ref: freight.backRef, commit };
    const problem = await steps.take(pushUntil(folder, freight.remote, pushed, at));
    if (problem === null) return { ...envelope, pushed, warnings: [...envelope.warnings, ...stayed(leftOut, at)] };
    const kept = `What it did is kept on ${hostname()}, in ${checkout.clone} as ${pushed.ref}.`;
    throw new FailedStep('worker_push', `${problem}\n${kept}`);
  } catch (error) {
    return ended(envelope, error, at);
  }
}

/** What cannot travel (a merge that stopped, a file that cannot be read) is there once, and the next one would undo it. */
function keeping({ top, keep }: Checkout): (error: unknown) => never {
  return (error) => {
    if (error instanceof StepsStopped) throw error;
    const failed = error instanceof BosunError ? error : new BosunError('disk', messageOf(error), { cause: error });
    keep();
    const kept = `What it did is kept on ${hostname()} in ${top} for seven days, where no other attempt works.`;
    const hint = `${kept} Take from there what is wanted, then retry.`;
    throw new BosunError(failed.code, withHint(failed.message, failed.hint), { hint, cause: failed.cause });
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const mostNamed = 20;

/** What an agent made and Bosun does not get must not be missed without a word. */
function stayed(leftOut: readonly string[], { name, redact }: At): readonly string[] {
  if (leftOut.length === 0) return [];
  const named = leftOut.slice(0, mostNamed).join(', ');
  const more = leftOut.length > mostNamed ? `, and ${leftOut.length - mostNamed} more` : '';
  return [redact(`too large to travel, or no plain file, and left on ${hostname()} (${name}): ${named}${more}`)];
}

/** Nobody waits for the work of one that was aborted. */
async function packed(place: FreightPlace, { signal }: AbortableSteps): ReturnType<typeof packBundle> {
  if (signal.aborted) throw new StepsStopped();
  return packBundle(place);
}

/** What it came to before stays; without its work nothing that it claims counts. */
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

/** null: it is there. A remote that is away comes back; one that refuses does so again. */
async function pushUntil(
  folder: string,
  remote: string,
  pushed: { readonly ref: string; readonly commit: string },
  { steps: { signal }, pushForMs = usualPushForMs, pushEveryMs = usualPushEveryMs }: At,
): Promise<string | null> {
  const until = Date.now() + pushForMs;
  for (;;) {
    const answer = await pushFreight(folder, remote, pushed, signal);
    if (answer.kind === 'pushed') return null;
    if (signal.aborted) throw new StepsStopped();
    if (!isAway(answer.why) || Date.now() + pushEveryMs > until) return withHint(answer.why, answer.hint);
    await pause(pushEveryMs, signal);
  }
}

/** By the words in which git's side tells it; what the remote itself printed comes after. */
function isAway(why: string): boolean {
  return /cannot be reached|did not take it within/.test(why.split('\n', 1)[0] ?? '');
}

function returned(envelope: Envelope, places: PathMapping, talk: PathTranslation, { logPath }: AttemptSpec): Envelope {
  const back = envelopeThere(talk.known(envelope), places);
  return envelope.logPath === null ? back : { ...back, logPath };
}

/** Where the worker's own config does not know the executor, it has no variables but those that it takes over by name. */
function inOwnEnv(run: RunAttempt, config: () => Config): RunAttempt {
  const present = inPresentEnv(run, config);
  return (spec, control) => {
    const { executorName: name } = spec;
    const isKnown = name === undefined || Object.hasOwn(config().executors, name);
    return isKnown ? present(spec, control) : run(spec, control);
  };
}

/** Says it again and again, so that nobody takes what lasts for standing still. */
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
