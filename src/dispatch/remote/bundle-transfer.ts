// Sends a remote attempt's checkout over a shared remote, and takes its result before the envelope is recorded.
import { relative } from 'node:path';
import type { Log } from '../../base/index.js';
import { BosunError, pause } from '../../base/index.js';
import type { Config, ProjectConfig } from '../../config/index.js';
import { projectWithName, ruleMarks } from '../../config/index.js';
import type { Envelope } from '../../engine/index.js';
import type { AttemptSpec, CheckoutBundle } from '../../jobs/index.js';
import { aboutAttempt } from '../../jobs/index.js';
import { type EarlierTries, measured, withEvidence } from '../../worker/index.js';
import {
  type BundlePlace,
  type Checkpoint,
  dropBundles,
  fetchBundle,
  findCommit,
  forgetBundles,
  listBundles,
  packBundle,
  projectPrefix,
  pushBundle,
  remoteAddress,
  takeBundle,
} from '../../workspace/index.js';

export interface BundleTransferParts {
  readonly homeId: string;
  readonly config: () => Config;
  /** Mirrors the run's shared folder, here in the home. */
  readonly logFolderOf: (spec: AttemptSpec) => string;
  readonly specOf: (attempt: string) => AttemptSpec | null;
  readonly setCheckpoint: (attempt: string, checkpoint: Checkpoint) => void;
  /** Precedes all tries that the attempt continues. */
  readonly checkpointBefore: (attempt: string) => Checkpoint | null;
  readonly home: string;
  readonly earlierTries: (attempt: string) => EarlierTries | null;
  readonly isOpen: (attempt: string) => boolean;
  readonly log: Log;
  readonly retryMs: number;
  readonly now: () => number;
}

/** About two minutes: only the remote has the work. */
const fetchTries = 8;
export const fetchRetryMs = 15_000;
const sweptAgainMs = 3_600_000;

export class BundleTransfer {
  readonly #parts: BundleTransferParts;
  readonly #sending = new Map<string, Promise<CheckoutBundle>>();
  readonly #swept = new Map<string, number>();
  readonly #closing = new AbortController();

  constructor(parts: BundleTransferParts) {
    this.#parts = parts;
  }

  /** Removes stale local refs: a restored database reuses attempt ids, and the old bundle would be sent. */
  async begin(attempt: string): Promise<void> {
    const spec = this.#parts.specOf(attempt);
    if (spec === null || this.#remoteOf(spec) === null) return;
    const { out, back } = this.#refs(attempt);
    if ((await findCommit(spec.workdir, out)) !== null) await forgetBundles(spec.workdir, [out, back]);
  }

  /** Idempotent: concurrent calls share a send, and later ones send the same commit, even after a restart. */
  send(attempt: string): Promise<CheckoutBundle> {
    const under = this.#sending.get(attempt);
    if (under !== undefined) return under;
    const sending = this.#send(attempt).finally(() => this.#sending.delete(attempt));
    this.#sending.set(attempt, sending);
    return sending;
  }

  /** Returns the envelope to record. */
  async take(attempt: string, envelope: Envelope): Promise<Envelope> {
    const { pushed } = envelope;
    const spec = this.#parts.specOf(attempt);
    if (pushed === undefined || spec === null) return envelope;
    const { back } = this.#refs(attempt);
    if (pushed.ref !== back)
      return faulty(envelope, `The worker reported its work at ${pushed.ref}, which is not the ref of this attempt.`);
    const brought = await this.#bring(spec, pushed);
    if (typeof brought === 'string') return faulty(envelope, brought);
    const told = brought.length === 0 ? envelope : warned(envelope, brought);
    const before = spec.kind === 'agent' ? this.#parts.checkpointBefore(attempt) : null;
    return before === null ? told : measured(spec, before, told, this.#parts);
  }

  async forget(attempt: string, spec: AttemptSpec): Promise<void> {
    const remote = this.#remoteOf(spec);
    if (remote === null || (await findCommit(spec.workdir, this.#refs(attempt).out)) === null) return;
    await this.#drop(spec, remote);
  }

  close(): void {
    this.#closing.abort();
  }

  async #send(attempt: string): Promise<CheckoutBundle> {
    const spec = this.#parts.specOf(attempt);
    if (spec === null) throw new BosunError('not_found', `${attempt} is not running`);
    const remote = this.#remoteOf(spec);
    const address = remote === null ? null : await remoteAddress(spec.workdir, remote);
    if (remote === null || address === null) throw noRemote(spec, remote);
    const { out, back } = this.#refs(attempt);
    const commit = (await findCommit(spec.workdir, out)) ?? (await this.#pack(attempt, spec));
    const pushed = await pushBundle(spec.workdir, remote, { ref: out, commit }, this.#closing.signal);
    if (pushed.kind === 'blocked') throw new BosunError('git', pushed.why, { hint: pushed.hint });
    if (!this.#parts.isOpen(attempt)) {
      // Race: lost during the push, so drop the refs; sweeping the local one leaves the remote's.
      await this.#drop(spec, remote);
      throw new BosunError('not_found', `${attempt} is not running`);
    }
    this.#sweep(spec, remote);
    const setup = this.#projectOf(spec)?.worktree.setup?.trim() || null;
    return { remote: address, ref: out, commit, backRef: back, prefix: await projectPrefix(spec.workdir), setup };
  }

  async #drop(spec: AttemptSpec, remote: string): Promise<void> {
    const { out, back } = this.#refs(spec.attempt);
    const problem = await dropBundles(spec.workdir, remote, [out, back]);
    if (problem !== null) this.#parts.log(problem, { ...aboutAttempt(spec), level: 'warn' });
  }

  async #pack(attempt: string, spec: AttemptSpec): Promise<string> {
    const { commit, checkpoint, leftOut } = await packBundle({ ...this.#placeOf(spec), log: null });
    if (spec.kind === 'agent') {
      this.#parts.setCheckpoint(attempt, { ...(await withEvidence(spec, checkpoint)), rules: ruleMarks(spec) });
    }
    if (leftOut.length > 0) {
      const named = leftOut.slice(0, 20).join(', ');
      this.#parts.log(`too large to send to the worker, so left out: ${named}`, {
        ...aboutAttempt(spec),
        level: 'warn',
      });
    }
    return commit;
  }

  /** Returns files that stayed as they were, or an error for a person. */
  async #bring(
    spec: AttemptSpec,
    pushed: { readonly ref: string; readonly commit: string },
  ): Promise<readonly string[] | string> {
    const remote = this.#remoteOf(spec);
    const sent = await findCommit(spec.workdir, this.#refs(spec.attempt).out);
    const at = `${pushed.ref} (${pushed.commit.slice(0, 10)})`;
    if (remote === null) return `${spec.project} no longer has a git.remote. The work is on that remote at ${at}.`;
    if (sent === null) return `Bosun no longer knows what it sent to the worker. The work is at ${at} on ${remote}.`;
    try {
      const problem = await this.#fetch(spec, remote, pushed);
      if (problem !== null) return `The work is at ${at} on ${remote}, but Bosun could not fetch it: ${problem}`;
      const taken = await takeBundle(this.#placeOf(spec), sent, pushed.commit);
      if (taken.kind === 'taken') return taken.stayed;
      if (taken.kind === 'blocked')
        return `The work is at ${at}, but Bosun could not apply it: ${taken.why}\n${taken.hint}`;
      const files = taken.files.slice(0, 20).join(', ');
      return `The same files in ${spec.workdir} changed while the worker ran: ${files}. Its work is at ${at}: compare both with git diff, then retry.`;
    } catch (error) {
      // During a shutdown the envelope stays in Redis for the next Bosun.
      if (this.#closing.signal.aborted) throw error;
      const hint = error instanceof BosunError && error.hint !== null ? `\n${error.hint}` : '';
      return `The work is at ${at}, but Bosun could not apply it: ${error instanceof Error ? error.message : String(error)}${hint}`;
    }
  }

  async #fetch(spec: AttemptSpec, remote: string, pushed: { readonly ref: string; readonly commit: string }) {
    for (let tries = 1; ; tries += 1) {
      const fetched = await fetchBundle(spec.workdir, remote, pushed, this.#closing.signal);
      if (fetched.kind === 'fetched') return null;
      if (this.#closing.signal.aborted) throw new BosunError('not_now', 'Bosun ends');
      if (tries === fetchTries) return `${fetched.why}\n${fetched.hint}`;
      await pause(this.#parts.retryMs, this.#closing.signal);
    }
  }

  /** Lost workers leave refs at the remote. At most hourly per project. */
  #sweep({ workdir, project }: AttemptSpec, remote: string): void {
    const now = this.#parts.now();
    const sweptAt = this.#swept.get(project);
    if (sweptAt !== undefined && now - sweptAt < sweptAgainMs) return;
    this.#swept.set(project, now);
    const tidy = async () => {
      const refs = await listBundles(workdir, remote, this.#place);
      const left = refs.filter((ref) => !this.#parts.isOpen(ref.slice(this.#place.length + 1).split('/')[0] ?? ''));
      const problem = left.length === 0 ? null : await dropBundles(workdir, remote, left);
      if (problem !== null) this.#parts.log(`${project}: ${problem}`);
    };
    tidy().catch((error: unknown) => this.#parts.log(`${project}: ${String(error)}`));
  }

  get #place(): string {
    return `refs/bosun/${this.#parts.homeId}`;
  }

  #refs(attempt: string) {
    const base = `${this.#place}/${attempt}`;
    return { out: `${base}/out`, back: `${base}/back` };
  }

  #placeOf(spec: AttemptSpec): BundlePlace {
    const { workdir, sharedDir, logPath } = spec;
    const log = { folder: this.#parts.logFolderOf(spec), path: relative(sharedDir, logPath) };
    return { folder: workdir, shared: sharedDir, log };
  }

  #remoteOf(spec: AttemptSpec): string | null {
    return this.#projectOf(spec)?.git.remote ?? null;
  }

  #projectOf({ project }: AttemptSpec): ProjectConfig | null {
    return projectWithName(this.#parts.config(), project);
  }
}

const notTaken = 'worker_work';

/** The work still lies at the remote, and a card says so. */
export function isNotTaken(envelope: Pick<Envelope, 'fault'> | null): boolean {
  return envelope?.fault?.code === notTaken;
}

const mostNamed = 20;

function warned(envelope: Envelope, stayed: readonly string[]): Envelope {
  const named = stayed.slice(0, mostNamed).join(', ');
  const warning = `too large to merge the worker's changes, so left unchanged: ${named}`;
  return { ...envelope, warnings: [...envelope.warnings, warning] };
}

function faulty(envelope: Envelope, message: string): Envelope {
  return { ...envelope, fault: { code: notTaken, message, remedy: 'ask' } };
}

function noRemote({ project }: AttemptSpec, remote: string | null): BosunError {
  const what = remote === null ? `${project} has no git.remote` : `${project} has no remote ${remote}`;
  return new BosunError('git', `A worker on another machine cannot work on ${project}: ${what}`, {
    hint: "Set the project's git.remote to a remote that both machines can reach, or run the worker on Bosun's machine.",
  });
}
