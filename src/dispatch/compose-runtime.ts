// Builds store, queue, workers and checkouts around one dispatcher.

import { Listeners, type Log, writeFailureOf } from '../base/index.js';
import { homeFolder, homeRedaction, projectWithName } from '../config/index.js';
import type { Event } from '../engine/index.js';
import { embeddedQueue, type RuntimeQueue } from '../queue/index.js';
import { exportLogs } from '../worker/index.js';
import { AgentQuestions } from './attempts/agent-questions.js';
import { AttemptEvents, executorsTold, stallAfterMs } from './attempts/attempt-events.js';
import { noteLogsSince } from './attempts/attempt-logs.js';
import { ExternalAgents } from './attempts/external-agents.js';
import { attemptJob, jobPartsOf } from './attempts/job-builder.js';
import { Workers } from './attempts/local-workers.js';
import { Checkouts } from './checkouts/checkout-queue.js';
import { limitsOf, needsBy } from './choose-queue.js';
import { Dispatcher } from './commit/dispatcher.js';
import { NewMessages } from './commit/new-messages.js';
import { RunCache } from './commit/run-cache.js';
import type { Recovered } from './commit/write-retry.js';
import { afterRun, heal } from './health/heal.js';
import { IdleWatch } from './health/idle-watch.js';
import { OpenedSessions } from './health/opened-sessions.js';
import { Outage, threadsAtWork } from './health/outage.js';
import { QueueDiagnostics } from './health/queue-diagnostics.js';
import { StaleAttemptCheck } from './health/stale-attempt-check.js';
import { archiveAfterDays, Upkeep } from './health/upkeep.js';
import { AgentWords } from './people/agent-words.js';
import { ChannelRequests } from './people/channel-requests.js';
import { projectAudience } from './people/project-audience.js';
import { Reminders } from './people/reminders.js';
import { followersOf } from './people/subscribers.js';
import type { Committed } from './plans/commit-listener.js';
import { emptyPlan, type MakePlan, type Submitted } from './plans/plan.js';
import { EffectRunner } from './run-effects.js';
import type { RuntimeParts } from './runtime.js';
import { RuntimeStore } from './runtime-store.js';
import { wakeAfterLimit } from './spending/day-rollover.js';
import { configuredLimits } from './spending/spending-limits.js';
import { usualCallTiming, Webhooks } from './webhooks/index.js';

const tellOutageAfterMs = 2_000;
const tellUntakenAfterMs = 60_000;

export type ComposedRuntime = ReturnType<typeof composeRuntime>;

/** The parts call each other only after all exist. */
export function composeRuntime(parts: RuntimeParts) {
  const { home, config, present, leaseMs, now, url, isActive } = parts;
  const opensSession = (session: string) =>
    home.agents.some(({ kind, terminal }) => terminal !== null && session.startsWith(`${kind}:`));
  const redaction = homeRedaction(config, home, process.env);
  const log: Log = (message, fields) => parts.log(redaction.redact(message), fields);
  const logFailure = (what: string) => (error: unknown) => log(`${what}: ${String(error)}`);
  const logError = (what: string) => (error: unknown) => log(`${what}: ${String(error)}`, { level: 'error' });

  /** The database took no message before. */
  const tellRecovered = ({ problem, forMs }: Recovered) => {
    submit((at) => ({
      ...emptyPlan,
      messages: present.unwritten(problem, forMs, threadsAtWork(at), at.at),
    })).catch(logError('writes'));
  };
  const file = new RuntimeStore({ home, isActive, log, onRecovered: tellRecovered });
  const { store, writes } = file;
  noteLogsSince(home, now());
  const cache = new RunCache(store);
  // The commit stands even if a listener fails.
  const messages = new NewMessages(logFailure('messages'));
  const commits = new Listeners<Committed>(logError('commits'));
  const channelRequests = new ChannelRequests(store, logError('wants'));

  const patient = <T>(act: () => T): Promise<T> => writes.patient(act);
  const keep = (work: MakePlan): Promise<Submitted> => writes.kept(() => dispatcher.submit(work));
  const submit = (work: MakePlan): Promise<Submitted> => {
    const submitted = writes.patient(() => dispatcher.submit(work));
    // Nothing changed, but idle waiters must check again.
    submitted.catch(() => idleWatch.look());
    return submitted;
  };
  const shared = {
    ...{ home, config, present, store, redaction, now, url, submit, keep, patient, log },
    kept: <T>(act: () => Promise<T>) => writes.kept(act),
    onRest: () => idleWatch.look(),
  };
  const exportLog = async (attempt: string): Promise<string | null> => {
    const spec = store.jobs.payload(attempt);
    return spec === null ? null : exportLogs(home, spec);
  };
  const outage = new Outage({
    ...{ ...shared, told: store.outage.told(), tellAfterMs: tellOutageAfterMs },
    log: (message, level) => log(message, { level }),
  });
  const queue: RuntimeQueue = (parts.queue ?? embeddedQueue)({
    jobs: store.jobs,
    leaseMs,
    limits: limitsOf(config),
    needsOf: needsBy(config),
    onProblem: (problem: string | null) => outage.note(problem),
    // WriteRetry reports these once.
    onError: (error) => log(`queue: ${String(error)}`, { level: writeFailureOf(error) === null ? 'warn' : 'debug' }),
  });
  const webhooks = new Webhooks({ ...shared, ...usualCallTiming, calls: store.calls });
  const dispatcher: Dispatcher = new Dispatcher({
    ...{ store, cache, present, now },
    redact: (text) => redaction.redact(text),
    callsOf: (changes, at) => webhooks.callsOf(changes, at),
    limitsOf: (name) => configuredLimits(config(), name),
    lastSign: (attempt) => attempts.lastSign(attempt),
    waitsFor: (attempt) => diagnostics.of(attempt),
    hears: (attempt) => words.hears(attempt),
    followersOf: (run, following) => followersOf(config(), run, following),
    publicUrl: () => config().web?.publicUrl ?? null,
    audienceOf: (project, at) =>
      projectAudience(config(), project, at, opensSession, { reader: store, deliveries: store.deliveries }),
    jobOf: (state, node, attempt) => attemptJob(state, node, attempt, jobPartsOf(config(), home, url())),
    act: (transaction, said) => effects.act(transaction, said),
    onCommit: (committed) => commits.tell(committed),
    onBug: (error, event) => logBug(log, error, event),
  });
  const idleWatch = new IdleWatch({
    isBusy: (project) => {
      if (!dispatcher.isIdle) return true;
      const isMeant = (run: string) => project === null || store.run(run)?.project === project;
      return store.openAttempts().some((row) => isMeant(row.run)) || checkouts.isBusy(project);
    },
  });
  const attempts = new AttemptEvents({
    ...{ ...shared, queue, leaseMs, exportLog },
    stallAfterMs: (name) => stallAfterMs(config(), name),
    executorsOf: (attempt) => executorsTold(config(), store.jobs.payload(attempt)),
    onError: (error, attempt) => log(String(error), { level: 'error', ...(attempt && { attempt }) }),
  });
  const checkouts = new Checkouts({ ...shared, cache, worktrees: homeFolder(home, 'worktrees') });
  const questions = new AgentQuestions({
    ...{ ...shared, queue, secret: home.secret },
    redactOf: (token) => redaction.of({ token }),
    onError: logFailure('asks'),
  });
  const words = new AgentWords({ ...shared, attemptOf: (token) => questions.attemptOf(token) });
  const externalAgents = new ExternalAgents({ ...shared, queue });
  const workers = new Workers({ ...{ ...shared, queue, events: attempts }, onError: logError('attempts') });
  if (parts.queue === null) queue.listen(attempts);
  const diagnostics = new QueueDiagnostics({
    ...{ ...shared, queue, leaseMs, needsOf: () => needsBy(config) },
    workers: () => workers.statuses(),
    tellAfterMs: tellUntakenAfterMs,
    onError: logFailure('waits'),
  });
  const reminders = new Reminders({
    ...shared,
    quietHours: (name) => projectWithName(config(), name)?.quietHours ?? null,
    onError: logFailure('reminders'),
  });
  const openedSessions = new OpenedSessions({ ...shared, cache, onError: logFailure('open sessions') });
  const isProposed = (project: string) =>
    config().projects.find(({ name }) => name === project)?.afterRun === 'propose';
  const effects = new EffectRunner({
    ...{ ...shared, queue, outage, attempts, asks: questions, words, openedSessions, wants: channelRequests },
    ...{ reminders, checkouts, webhooks, waits: diagnostics },
    startNext: (now, ended) => afterRun(now, ended, { isProposed, nextQueued: present.nextQueued }),
    announce: (said) => messages.tell(said),
    onError: (error) => log(String(error), { level: 'error' }),
  });
  const staleCheck = new StaleAttemptCheck({
    ...{ ...shared, queue },
    remind: () => reminders.look(),
    lookAtWaits: () => diagnostics.look(),
    heal: () => heal({ store, submit, isProposed, performOp: (run, op) => checkouts.perform(run, op) }),
    wakeAfterLimit: () => wakeAfterLimit(shared),
    takeBackOverdue: () => externalAgents.takeBackOverdue(),
    onError: logFailure('sweep'),
  });
  const upkeep = new Upkeep({
    ...shared,
    archiveAfterDays: () => archiveAfterDays(config(), home),
    onError: logFailure('upkeep'),
  });
  return {
    ...{
      file,
      queue,
      cache,
      dispatcher,
      idleWatch,
      messages,
      commits,
      channelRequests,
      attempts,
      questions,
      words,
      checkouts,
    },
    ...{
      externalAgents,
      staleCheck,
      upkeep,
      openedSessions,
      reminders,
      redaction,
      webhooks,
      workers,
      diagnostics,
      outage,
    },
    ...{ submit, keep, patient, exportLog, log, isProposed },
  };
}

function logBug(log: Log, error: unknown, event: Event | null): void {
  const about = event && { run: event.run, ...(event.chain !== '' && { item: event.chain }) };
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  log(`bug${event ? ` at ${event.type}` : ''}: ${text}`, { level: 'error', ...about });
}
