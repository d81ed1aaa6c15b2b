// Tells the project's owners, else those of all. A repeat has the same card, which dedupes.

import type { Log, LogFields } from '../../base/index.js';
import { type Config, projectNamed } from '../../config/index.js';
import { emptyPlan, ownersThreads, type PlanContext } from '../../dispatch/index.js';
import type { FailedDelivery, HomeReader, Message, NewMessage } from '../../store/index.js';
import { personAt, placeOf } from '../commands/reading/failed-deliveries.js';
import type { OutgoingMessage } from '../delivery/index.js';
import type { BotServices } from '../services.js';
import { view, withButtons } from '../views/view.js';

const maxQuotedChars = 1_000;
const maxLeft = 200;
/** Not announced again: two dead chats would notify each other forever. */
const cardPrefix = 'undelivered:';

export function tellOfFailure(services: BotServices, parcel: OutgoingMessage, why: string, log: Log): void {
  const { thread, n } = parcel;
  const about = aboutParcel(services, parcel);
  log(`${thread.channel}: ${parcel.message} cannot be delivered to ${thread.id}: ${why}`, { ...about, level: 'warn' });
  const message = services.runtime.reader.message(`m${n}`);
  if (message !== null) tell(services, { message, channel: thread.channel, problem: why, at: 0 }, log);
}

export function aboutParcel({ runtime }: Pick<BotServices, 'runtime'>, { n }: Pick<OutgoingMessage, 'n'>): LogFields {
  try {
    const message = runtime.reader.message(`m${n}`);
    return message === null ? {} : aboutMessage(runtime.reader, message);
  } catch {
    // The store's error matters, not this lookup.
    return {};
  }
}

export function tellOfEarlierFailures(services: BotServices, channel: string, log: Log): void {
  for (const failed of services.runtime.deliveries.untold(channel, maxLeft)) tell(services, failed, log);
}

function tell(services: BotServices, failed: FailedDelivery, log: Log): void {
  const { runtime, config } = services;
  const { message } = failed;
  const told = () => runtime.deliveries.told(Number(message.id.slice(1)));
  if (message.card?.startsWith(cardPrefix)) {
    told();
    return;
  }
  runtime
    .submit((now) => ({ ...emptyPlan, messages: notices(failed, now, config()) }))
    .then(told)
    .catch((error: unknown) =>
      log(`${failed.channel}: ${String(error)}`, { ...aboutMessage(runtime.reader, message), level: 'error' }),
    );
}

function notices({ message, problem }: FailedDelivery, now: PlanContext, config: Config): readonly NewMessage[] {
  const { thread, run, interaction, edits, id } = message;
  const project = (run === null ? null : now.spine(run)?.run.project) ?? projectAt(thread, now);
  // A message's offers work only in its thread.
  const buttons = message.view.buttons.filter(({ press }) => !press.startsWith('.'));
  const place = placeOf(thread, personAt(thread, config));
  const text = `This message could not be delivered to ${place}: ${problem}\n\n${message.view.text.slice(0, maxQuotedChars)}`;
  // In a dead chat every message fails, so it rings only if the message did.
  const shown = { ...withButtons(view('report', text), buttons), rings: message.view.rings };
  return toldAt(config, project)
    .filter((one) => one !== thread)
    .map((one) => ({
      ...{ thread: one, run, interaction, at: now.at },
      card: `${cardPrefix}${edits ?? id}`,
      view: shown,
    }));
}

function projectAt(thread: string, now: PlanContext): string | null {
  return now.reader.placed(thread)?.project ?? null;
}

function toldAt(config: Config, name: string | null): readonly string[] {
  const project = name === null ? null : projectNamed(config, name);
  const projects = project === null ? config.projects : [project];
  return [...new Set(['local', ...projects.flatMap((one) => ownersThreads(config, one))])];
}

function aboutMessage(
  reader: Pick<HomeReader, 'run' | 'interaction' | 'pages'>,
  { run, interaction }: Pick<Message, 'run' | 'interaction'>,
): LogFields {
  if (run === null) return {};
  const asked = interaction === null ? null : (reader.interaction(interaction)?.interaction ?? null);
  const [node] = asked?.node ? reader.pages.nodesNamed(run, [asked.node]) : [];
  const attempt = node?.live?.id ?? node?.last?.id;
  const project = reader.run(run)?.project;
  return {
    ...(project !== undefined && { project }),
    run,
    ...(asked !== null && asked.chain !== '' && { item: asked.chain, story: asked.chain }),
    ...(asked?.node && { node: asked.node }),
    ...(attempt !== undefined && { attempt }),
  };
}
