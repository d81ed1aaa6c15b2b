import { attemptRunner, type CodingAgent, endProcessesOf } from '../../agents/index.js';
import type { Log } from '../../base/index.js';
import { batched, settingsGuard } from '../../base/index.js';
import type { Config, Home, Redaction } from '../../config/index.js';
import type { RunAttempt } from '../../jobs/index.js';
import { attemptToken, printWorker } from '../../jobs/index.js';
import type { QueueEvents, QueueWorker, RuntimeQueue } from '../../queue/index.js';
import type { SqliteStore, Store } from '../../store/index.js';
import { attemptNotes, inPresentEnv, logFolderOf, measuredAttempt } from '../../worker/index.js';
import { checkpointBefore, checkpointBeforeInterruption } from '../checkouts/interrupted-attempts.js';
import { answerCalls, BundleTransfer, fetchRetryMs, isNotTaken, liveLogs, remoteEvents } from '../remote/index.js';
import type { AttemptEvents } from './attempt-events.js';
import { earlierTries } from './earlier-tries.js';
import { type WorkerStatus, workerStatuses } from './worker-status.js';

export interface WorkersParts {
  readonly home: Home<CodingAgent>;
  readonly config: () => Config;
  readonly store: Store & Pick<SqliteStore, 'jobs'>;
  readonly queue: RuntimeQueue;
  readonly events: AttemptEvents;
  readonly redaction: Redaction;
  /** Retries briefly while the database is locked. */
  readonly patient: <T>(act: () => T) => Promise<T>;
  readonly url: () => string;
  readonly now: () => number;
  readonly log: Log;
  readonly onError: (error: unknown) => void;
}

const orphanGraceMs = 1_500;

export class Workers {
  readonly #parts: WorkersParts;
  #own: QueueWorker | null = null;
  readonly #tokens = new Set<string>();
  #bundleTransfer: BundleTransfer | null = null;
  /** One scan of all processes serves any number of attempts. */
  readonly #endTogether = batched<string>((tokens) => endProcessesOf(tokens, orphanGraceMs));

  constructor(parts: WorkersParts) {
    this.#parts = parts;
  }

  get isWorking(): boolean {
    return this.#own !== null;
  }

  statuses(): readonly WorkerStatus[] {
    const { queue, now } = this.#parts;
    if (queue.listWorkers !== undefined) return workerStatuses(queue.listWorkers());
    return this.isWorking ? [{ name: 'embedded', seenAt: now() }] : [];
  }

  start(concurrency: number): void {
    const { queue, config, url } = this.#parts;
    const run = this.#runner();
    // Bosun's address may have changed since the job was stored.
    const runHere: RunAttempt = async (spec, control) => {
      this.#tokens.add(spec.token);
      try {
        return await run({ ...spec, url: url() || spec.url }, control);
      } finally {
        this.#tokens.delete(spec.token);
      }
    };
    const inEnv = inPresentEnv(runHere, config);
    this.#own ??= queue.work({ name: printWorker({ kind: 'own', pid: process.pid }), concurrency, run: inEnv });
  }

  listenAfar(): void {
    this.#parts.queue.listen(this.#hearAfar());
  }

  endProcesses(attempts: readonly string[]): Promise<void> {
    return this.#endTogether(attempts.map((id) => attemptToken(this.#parts.home.secret, id)));
  }

  async close(): Promise<void> {
    this.#bundleTransfer?.close();
    // Another active Bosun would retry these attempts: kill our agents.
    const ended = this.#parts.store.isActive() ? 0 : endProcessesOf([...this.#tokens]);
    await Promise.all([this.#own?.close(), ended]);
  }

  #runner(): RunAttempt {
    const { home, store, redaction, log, patient } = this.#parts;
    const settings = settingsGuard(home.dir);
    settings.keep(new Set(store.openAttempts().map(({ attempt }) => attempt.id)));
    return measuredAttempt({
      settings,
      run: attemptRunner({
        agents: home.agents,
        home: home.dir,
        redactOf: (spec) => redaction.of(spec),
        logFolderOf: (spec) => logFolderOf(home, spec),
      }),
      redactOf: (spec) => redaction.of(spec),
      noteCheckpoint: (attempt, checkpoint) => patient(() => store.setCheckpoint(attempt, JSON.stringify(checkpoint))),
      earlierCheckpoint: (attempt) => checkpointBeforeInterruption(store, attempt),
      earlierTries: (attempt) => earlierTries(store, attempt),
      ...{ home: this.#parts.home.dir, putsSettingsBack: false, log },
    });
  }

  #hearAfar(): QueueEvents {
    const { home, store, events, url, now, onError } = this.#parts;
    const notes = attemptNotes(home);
    notes.keep(new Set(store.openAttempts().map(({ attempt }) => attempt.id)));
    const bundleTransfer = this.#openBundleTransfer();
    this.#bundleTransfer = bundleTransfer;
    return remoteEvents({
      ...{ notes, events, bundleTransfer, now, onError },
      logs: liveLogs(onError),
      logFolderOf: (spec) => logFolderOf(home, spec),
      answer: answerCalls({ secret: home.secret, url }),
      specOf: (id) => store.jobs.payload(id),
      beforeOf: (id) => ({ checkpoint: checkpointBeforeInterruption(store, id), tries: earlierTries(store, id) }),
      setCheckpoint: (id, checkpoint) => store.setCheckpoint(id, checkpoint),
      endProcesses: (id) => this.endProcesses([id]),
    });
  }

  #openBundleTransfer(): BundleTransfer {
    const { home, config, store, log } = this.#parts;
    return new BundleTransfer({
      ...{ homeId: home.homeId, home: home.dir, config, log },
      logFolderOf: (spec) => logFolderOf(home, spec),
      specOf: (id) => store.jobs.payload(id),
      isOpen: (id) => isOpen(store, id),
      setCheckpoint: (id, checkpoint) => store.setCheckpoint(id, JSON.stringify(checkpoint)),
      checkpointBefore: (id) => checkpointBefore(store, id),
      earlierTries: (id) => earlierTries(store, id),
      ...{ retryMs: fetchRetryMs, now: Date.now },
    });
  }
}

/** Also true for one settled without its work, which waits at the remote for a person. */
function isOpen(store: Pick<WorkersParts['store'], 'attempt' | 'browsing'>, id: string): boolean {
  const row = store.attempt(id);
  if (row?.attempt.state !== 'settled') return true;
  const event = store.browsing.settledEvent(row.run, id, row.attempt.endedAt ?? 0);
  return event?.type === 'attempt_settled' && isNotTaken(event.envelope);
}
