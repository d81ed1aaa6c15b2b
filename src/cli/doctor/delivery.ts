import { doubtful, type Finding, fine } from '../../bot/index.js';
import type { Home } from '../../config/index.js';
import type { Block, FailedDelivery, LaneCounts, SqliteStore } from '../../store/index.js';
import type { CommandContext } from '../command-context.js';
import { withStore } from '../open-store.js';

const lateMs = 120_000;
const maxFailed = 100;
const maxChats = 10;

export async function checkDelivery(cli: CommandContext): Promise<readonly Finding[]> {
  return withStore(cli, (store) => (store === null ? [] : deliveryFindings(store, cli.home, Date.now())));
}

function deliveryFindings({ deliveries }: SqliteStore, { channels }: Home, now: number): readonly Finding[] {
  const counts = deliveries.counts();
  const failed = deliveries.failed(maxFailed);
  return channels.flatMap(({ name: channel }) => {
    const isOf = (one: { readonly channel: string }) => one.channel === channel;
    const title = `${channel} delivery`;
    return [
      ...penalties(title, deliveries.blocks(channel), now),
      ...waiting(title, counts.filter(isOf), now),
      ...failures(title, failed.filter(isOf)),
    ];
  });
}

function penalties(title: string, blocks: readonly Block[], now: number): readonly Finding[] {
  const until = Math.max(0, ...blocks.map((one) => one.until));
  if (until <= now) return [];
  const many = blocks.filter((one) => one.until > now).length;
  return [
    doubtful(
      title,
      `rate limited in ${chats(many)} until ${new Date(until).toISOString()}`,
      'The platform asked Bosun to wait. The messages go out automatically after that.',
    ),
  ];
}

function waiting(title: string, counts: readonly LaneCounts[], now: number): readonly Finding[] {
  if (counts.length === 0) return [];
  const many = counts.reduce((sum, one) => sum + one.waiting, 0);
  const since = Math.min(...counts.map((one) => one.since));
  const text = `${messages(many)} not sent yet in ${chats(counts.length)}, since ${new Date(since).toISOString()}`;
  if (now - since < lateMs) return [fine(title, text)];
  return [doubtful(title, text, 'They are sent once "bosun up" runs and can reach the platform.')];
}

function failures(title: string, failed: readonly FailedDelivery[]): readonly Finding[] {
  const [last] = failed;
  if (last === undefined) return [];
  const many = failed.length === maxFailed ? `${maxFailed} messages or more` : messages(failed.length);
  const threads = [...new Set(failed.map(({ message }) => message.thread))];
  const where = [...threads.slice(0, maxChats), ...(threads.length > maxChats ? ['…'] : [])].join(', ');
  return [
    doubtful(
      title,
      `${many} could not be delivered (${where}), the last one on ${new Date(last.at).toISOString()}: ${last.problem}`,
      'Add the bot to that chat or topic again, or bind the project to another one. These messages are not resent.',
    ),
  ];
}

function chats(many: number): string {
  return many === 1 ? 'one chat' : `${many} chats`;
}

function messages(many: number): string {
  return many === 1 ? 'one message' : `${many} messages`;
}
