// What could not be delivered where it belongs is told to the owners of its project, or of any where it is about none, in
// the chats that they are met in. A failure counts as told once that is on disk; what a crash left untold is told at the
// next start, and once: a card with the same words is not said again.

import type { Log, LogFields } from '../../base/index.js';
import { type Config, projectNamed } from '../../config/index.js';
import { ownersThreads, type PlanContext } from '../../dispatch/index.js';
import { type FailedDelivery, type NewMessage, placedThread } from '../../store/index.js';
import { personAt, placeOf } from '../commands/reading/failed-deliveries.js';
import type { OutgoingMessage } from '../delivery/index.js';
import type { BotServices } from '../services.js';
import { view } from '../views/view.js';
import { aboutMessage } from './about-message.js';

const maxQuotedChars = 1_000;
const maxLeft = 200;
/** What tells of a failure and fails itself is told nowhere else: two dead chats would tell each other for ever. */
const cardPrefix = 'undelivered:';

/** To be called for each failure, with what delivery hands over. */
export function tellOfFailure(services: BotServices, parcel: OutgoingMessage, why: string, log: Log): void {
  const { thread, n } = parcel;
  const about = aboutParcel(services, parcel);
  log(`${thread.channel}: ${parcel.message} cannot be delivered to ${thread.id}: ${why}`, { ...about, level: 'warn' });
  const message = services.runtime.store.message(`m${n}`);
  if (message !== null) tell(services, { message, channel: thread.channel, problem: why, at: 0 }, log);
}

/** The run, and where it asks for a step, the step and its attempt. */
export function aboutParcel({ runtime }: Pick<BotServices, 'runtime'>, { n }: Pick<OutgoingMessage, 'n'>): LogFields {
  try {
    const message = runtime.store.message(`m${n}`);
    return message === null ? {} : aboutMessage(runtime.store, message);
  } catch {
    // Where the disk fails, what is to be logged is that.
    return {};
  }
}

/** To be called when a channel starts: what an earlier process did not come to tell. */
export function tellOfEarlierFailures(services: BotServices, channel: string, log: Log): void {
  for (const failed of services.runtime.store.deliveries.untold(channel, maxLeft)) tell(services, failed, log);
}

function tell(services: BotServices, failed: FailedDelivery, log: Log): void {
  const { runtime, config } = services;
  const { message } = failed;
  const told = () => runtime.store.deliveries.told(Number(message.id.slice(1)));
  if (message.card?.startsWith(cardPrefix)) {
    told();
    return;
  }
  runtime
    .submit((now) => ({ events: [], messages: notices(failed, now, config()) }))
    .then(told)
    .catch((error: unknown) =>
      log(`${failed.channel}: ${String(error)}`, { ...aboutMessage(runtime.store, message), level: 'error' }),
    );
}

function notices({ message, problem }: FailedDelivery, now: PlanContext, config: Config): readonly NewMessage[] {
  const { thread, run, interaction, edits, id } = message;
  const project = (run === null ? null : now.spine(run)?.run.project) ?? projectAt(thread, now);
  // What a message offers by itself is for those whom it was meant for, and for their thread; a question is its own.
  const buttons = message.view.buttons.filter(({ press }) => !press.startsWith('.'));
  const place = placeOf(thread, personAt(thread, config));
  const text = `This could not be delivered to ${place}: ${problem}\n\n${message.view.text.slice(0, maxQuotedChars)}`;
  // What would have rung nobody there rings nobody here: where a chat is gone, everything that is said there fails.
  const shown = view({ kind: 'report', text, buttons, rings: message.view.rings });
  return toldAt(config, project)
    .filter((one) => one !== thread)
    .map((one) => ({
      ...{ thread: one, run, interaction, at: now.at },
      card: `${cardPrefix}${edits ?? id}`,
      view: shown,
    }));
}

function projectAt(thread: string, now: PlanContext): string | null {
  return placedThread(thread, now.store.thread(thread))?.project ?? null;
}

/** What is about no project concerns whoever owns one. */
function toldAt(config: Config, name: string | null): readonly string[] {
  const project = name === null ? null : projectNamed(config, name);
  const projects = project === null ? config.projects : [project];
  return [...new Set(['local', ...projects.flatMap((one) => ownersThreads(config, one))])];
}
