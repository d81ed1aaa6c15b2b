import type { Config } from '../../../config/index.js';
import { type DeliveryRows, type HomeReader, placeOf as placeOfThread } from '../../../store/index.js';
import { lines, oneLine, span } from '../../views/view.js';
import { type MessageContext, projectsOf } from '../message-context.js';

export interface FailedDeliveryJson {
  readonly id: string;
  readonly channel: string;
  readonly thread: string;
  /** The person of a private chat; null: a group, or unknown. */
  readonly to: string | null;
  readonly project: string | null;
  readonly why: string;
  readonly failed_at: string;
  readonly text: string;
}

interface FailedRows {
  readonly reader: Pick<HomeReader, 'run' | 'thread'>;
  readonly deliveries: Pick<DeliveryRows, 'failed'>;
}

/** Older ones are fixed or abandoned. */
const lateMs = 7 * 24 * 60 * 60_000;
const maxRead = 200;
const maxInChat = 10;
const maxWhyChars = 200;

export function failedDeliveries(
  { reader, deliveries }: FailedRows,
  config: Config,
  now: number,
): readonly FailedDeliveryJson[] {
  return deliveries
    .failed(maxRead)
    .filter(({ at }) => now - at <= lateMs)
    .map(({ message, channel, problem, at }) => ({
      ...{ id: message.id, channel, thread: message.thread, to: personAt(message.thread, config) },
      project:
        (message.run === null ? null : reader.run(message.run)?.project) ?? projectOfThread(reader, message.thread),
      why: oneLine(problem, maxWhyChars),
      failed_at: new Date(at).toISOString(),
      text: oneLine(message.view.text),
    }));
}

export function failedText(ctx: MessageContext): string | null {
  const { now, config, isHomeOwner } = ctx;
  const mine = new Set(projectsOf(ctx).map(({ name }) => name));
  const found = failedDeliveries(now, config, now.at).filter(({ project }) =>
    project === null ? isHomeOwner : mine.has(project),
  );
  if (found.length === 0) return null;
  const hidden = found.length - maxInChat;
  const rows = found.slice(0, maxInChat).map((one) => {
    const since = span(Math.max(0, now.at - Date.parse(one.failed_at)));
    return `${failedLine(one)}, ${since} ago: ${one.text}`;
  });
  return lines('Not delivered:', ...rows, hidden > 0 && `… and ${hidden} more`);
}

export function failedLine({ id, thread, to, why }: FailedDeliveryJson): string {
  return `${id} to ${placeOf(thread, to)} (${why})`;
}

export function placeOf(thread: string, to: string | null): string {
  return to === null ? thread : `${to} (${thread})`;
}

export function personAt(thread: string, config: Config): string | null {
  const place = placeOfThread(config.channelKinds, thread);
  if (place === null) return null;
  const person = config.people.find(({ accounts }) => String(accounts[place.channel]) === place.address['chat']);
  return person?.name ?? null;
}

function projectOfThread(reader: FailedRows['reader'], thread: string): string | null {
  return reader.thread(thread)?.project ?? null;
}
