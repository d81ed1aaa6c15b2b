// Starts the parts in order, answers calls, closes in order.

import { useGitStarter } from '../workspace/index.js';
import { needsBy } from './choose-queue.js';
import { type ComposedRuntime, composeRuntime } from './compose-runtime.js';
import { recover } from './health/recovery.js';
import type { Runtime, RuntimeParts } from './runtime.js';
import { viewQueue } from './status/queue-view.js';

export function openRuntime(given: RuntimeParts): Runtime {
  const parts = composeRuntime(given);
  const { file, queue, attempts, questions, words, externalAgents, redaction, workers } = parts;
  const { store } = file;
  return {
    ...{ store, reader: store, inbox: store, deliveries: store.deliveries, broken: file.broken },
    ...{ submit: parts.submit, keep: parts.keep, patient: parts.patient },
    isActive: () => store.isActive(),
    checkFile: () => store.checkFile(),
    get writeState() {
      return { problem: file.writes.problem, waiting: file.writes.waiting };
    },
    get isWorking() {
      return workers.isWorking;
    },
    workers: () => workers.statuses(),
    queueState: () => ({ offered: queue.onOffer?.().size ?? 0, problem: queue.problem ?? null }),
    queueView: (limit) => viewQueue({ store, queue, needsOf: needsBy(given.config) }, limit),
    recover: () => recoverAll(given, parts),
    startWorker(concurrency) {
      useGitStarter();
      workers.start(concurrency);
    },
    whenAtRest: (project, timeoutMs, signal) => parts.idleWatch.whenAtRest(project, timeoutMs, signal),
    onWants: (listen) => parts.channelRequests.listen(listen),
    onCommits: (listen) => parts.commits.add(listen),
    onMessages: (listen) => parts.messages.listen(listen),
    lastSign: (attempt) => attempts.lastSign(attempt),
    waitsFor: (attempt) => parts.diagnostics.of(attempt),
    readHandReport: (state, node, files) => externalAgents.readHandReport(state, node, files),
    claimOutside: (wanted) => externalAgents.claim(wanted),
    settleOutside: (token, said) => externalAgents.settle(token, said),
    askPerson: (asking) => questions.ask(asking),
    nextWords: (call) => words.next(call),
    noteProgress(token, text) {
      const bare = redaction.of({ token })(text);
      attempts.progress(questions.attemptOf(token).attempt.id, { type: 'action', text: bare });
    },
    redact: (text) => redaction.redact(text),
    close: () => closeAll(parts),
  };
}

async function recoverAll(given: RuntimeParts, parts: ComposedRuntime): Promise<void> {
  const { file, queue, submit, exportLog, workers, attempts, checkouts, log } = parts;
  file.watchFile();
  await recover({
    ...{ store: file.store, queue, now: given.now, submit, exportLog },
    endProcesses: (ids) => workers.endProcesses(ids),
    goesOn: ({ attempt, run, chain }) => attempts.goOn(attempt.id, run, chain),
    performOp: (run, op) => checkouts.perform(run, op),
    isProposed: parts.isProposed,
    exportAll: () => checkouts.exportAll(),
    onBug: (error) => log(`recovery: ${String(error)}`, { level: 'error' }),
  });
  parts.questions.recover();
  // The embedded queue has no outages, so one told earlier is over.
  if (given.queue === null) parts.outage.note(null);
  await parts.reminders.recover((run) => parts.cache.spine(run));
  parts.staleCheck.start();
  parts.upkeep.start();
  parts.openedSessions.recover();
  parts.webhooks.start();
  if (given.queue !== null) workers.listenAfar();
}

async function closeAll(parts: ComposedRuntime): Promise<void> {
  parts.file.close();
  parts.outage.close();
  parts.diagnostics.close();
  parts.questions.close();
  parts.words.close();
  parts.reminders.close();
  parts.staleCheck.close();
  await parts.upkeep.close();
  parts.openedSessions.close();
  parts.attempts.close();
  await parts.workers.close();
  parts.idleWatch.close();
  // After the home is released no checkout may be touched.
  await parts.checkouts.drain();
  parts.dispatcher.close();
  await parts.checkouts.drain();
  await parts.queue.close();
  await parts.webhooks.close();
  parts.file.store.close();
}
