// Records remote checkpoints, and ends a lost worker's processes before the checkout is reused.

import { dirname, join, relative } from 'node:path';
import type { Envelope } from '../../engine/index.js';
import type { AgentCall, AgentReply, AttemptSpec } from '../../jobs/index.js';
import { parseWorker } from '../../jobs/index.js';
import type { QueueEvents } from '../../queue/index.js';
import type { AttemptNotes, BeforeAttempt } from '../../worker/index.js';
import { type BundleTransfer, isNotTaken } from './bundle-transfer.js';
import type { LiveLogs } from './live-logs.js';

export interface RemoteEventsParts {
  readonly events: QueueEvents;
  readonly notes: AttemptNotes;
  readonly bundleTransfer: Pick<BundleTransfer, 'begin' | 'send' | 'take' | 'forget'>;
  readonly logs: LiveLogs;
  readonly logFolderOf: (spec: AttemptSpec) => string;
  readonly answer: (attempt: string, call: AgentCall) => Promise<AgentReply>;
  readonly now: () => number;
  readonly specOf: (attempt: string) => AttemptSpec | null;
  readonly beforeOf: (attempt: string) => BeforeAttempt;
  readonly setCheckpoint: (attempt: string, checkpoint: string) => void;
  readonly endProcesses: (attempt: string) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

export function remoteEvents({ events, notes, bundleTransfer, logs, ...parts }: RemoteEventsParts): QueueEvents {
  const noted = new Set<string>();

  function note(id: string): void {
    if (noted.has(id)) return;
    const checkpoint = notes.readCheckpoint(id);
    if (checkpoint === null) return;
    parts.setCheckpoint(id, JSON.stringify(checkpoint));
    noted.add(id);
  }

  function over(id: string, spec: AttemptSpec | null, envelope: Envelope | null): void {
    noted.delete(id);
    safely(() => notes.forget(id));
    // Refs of work that was not taken are its only copy, and a card names them.
    if (spec !== null && !isNotTaken(envelope)) bundleTransfer.forget(id, spec).catch(parts.onError);
  }

  function beginLog(id: string, spec: AttemptSpec): void {
    const folder = parts.logFolderOf(spec);
    logs.begin(id, join(folder, relative(spec.sharedDir, spec.logPath)), dirname(folder));
  }

  /** Best effort: without notes the attempt is measured from its own start. */
  function safely(act: () => void): void {
    try {
      act();
    } catch (error) {
      parts.onError(error);
    }
  }

  return {
    async started(id, worker) {
      if (parseWorker(worker).kind !== 'own') {
        safely(() => notes.writeBefore(id, parts.beforeOf(id)));
        await bundleTransfer.begin(id).catch(parts.onError);
      }
      return events.started(id, worker);
    },
    async fetch(id) {
      const bundle = await bundleTransfer.send(id);
      const spec = parts.specOf(id);
      if (spec !== null) beginLog(id, spec);
      return bundle;
    },
    call: parts.answer,
    progress(id, progress) {
      if (progress.type === 'started') safely(() => note(id));
      logs.hear(id, progress, parts.now());
      events.progress(id, progress);
    },
    async finished(id, envelope) {
      safely(() => note(id));
      const spec = parts.specOf(id);
      logs.end(id);
      const taken = await bundleTransfer.take(id, envelope);
      await events.finished(id, taken);
      over(id, spec, taken);
    },
    async lost(id, worker) {
      safely(() => note(id));
      const spec = parts.specOf(id);
      logs.end(id);
      await parts.endProcesses(id);
      await events.lost(id, worker);
      over(id, spec, null);
    },
  };
}
