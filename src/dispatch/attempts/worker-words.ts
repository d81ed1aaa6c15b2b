// Which worker had an attempt, in what people are told of its end.
import type { Envelope } from '../../engine/index.js';
import type { CrewMember } from '../../queue/index.js';

/** Why an attempt is lost: its worker was silent, or only had nothing of it any more. */
export function lossWords(
  worker: string,
  crew: readonly CrewMember[],
  { at, leaseMs }: { readonly at: number; readonly leaseMs: number },
): string {
  const heard = crew.filter(({ name }) => name === worker);
  const silentMs = at - Math.max(0, ...heard.map(({ heardAt }) => heardAt));
  if (heard.length === 0) return `It was interrupted: its worker ${worker} gives no sign any more.`;
  if (silentMs < leaseMs) return `It was interrupted: Redis or its worker ${worker} had lost it.`;
  return `It was interrupted: its worker ${worker} gave no sign for ${Math.round(silentMs / 1_000)} s.`;
}

/** A worker that could not read a job may be too old to name itself. */
export function withWorker(envelope: Envelope, worker: string | null, crew: readonly CrewMember[]): Envelope {
  const { fault } = envelope;
  if (fault === null || worker === null || !unread.has(fault.code)) return envelope;
  const hosts = crew.flatMap(({ name, host }) => (name === worker && host !== '' && host !== name ? [host] : []));
  const where = hosts[0] === undefined ? '' : ` on ${hosts[0]}`;
  return { ...envelope, fault: { ...fault, message: `${fault.message} It was the worker ${worker}${where}.` } };
}

const unread: ReadonlySet<string> = new Set(['worker_version', 'worker_job']);
