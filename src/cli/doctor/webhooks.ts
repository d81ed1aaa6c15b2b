// Shows only the host: the rest may be a key.

import { doubtful, type Finding, fine } from '../../bot/index.js';
import { checkConfig, type ProjectConfig } from '../../config/index.js';
import type { CallCounts } from '../../store/index.js';
import type { CommandContext } from '../command-context.js';
import { withStore } from '../open-store.js';

export async function checkWebhooks(cli: CommandContext): Promise<readonly Finding[]> {
  const reading = checkConfig(cli.home, cli.shell.env);
  const projects = reading.kind === 'good' ? reading.config.projects.filter((one) => one.webhooks.length > 0) : [];
  if (projects.length === 0) return [];
  const counts = await withStore(cli, (store) => store?.calls.counts() ?? []);
  return projects.flatMap((project) => findingsOf(project, counts));
}

function findingsOf({ name, webhooks }: ProjectConfig, counts: readonly CallCounts[]): readonly Finding[] {
  const urls = [...new Set(webhooks.map(({ url }) => url))];
  return urls.map((url) => {
    const title = `webhook ${name}`;
    const found = counts.find((one) => one.project === name && one.url === url);
    return found === undefined ? fine(title, `${hostOf(url)}: nothing sent yet`) : findingOf(title, url, found);
  });
}

function findingOf(title: string, url: string, counts: CallCounts): Finding {
  const { waiting, waitingSince, waitingFor, failed, failedAt, problem, arrivedAt } = counts;
  const host = hostOf(url);
  if (waiting > 0 && waitingFor !== null) {
    const since = waitingSince === null ? '' : ` since ${iso(waitingSince)}`;
    return doubtful(
      title,
      `${host}: ${waiting} calls wait${since}: ${waitingFor}`,
      'Bosun retries them automatically.',
    );
  }
  if (failed > 0) {
    const last = failedAt === null ? '' : `, the last one on ${iso(failedAt)}`;
    const isOver = arrivedAt !== null && failedAt !== null && arrivedAt > failedAt;
    const text = `${host}: Bosun gave up ${failed} calls${last}: ${problem ?? 'unknown reason'}`;
    if (isOver) return fine(title, `${text}; later calls arrived`);
    return doubtful(
      title,
      text,
      'Correct the address in config.yaml, or fix the service behind it. Bosun does not resend these calls.',
    );
  }
  return fine(title, `${host}: ${waiting === 0 ? 'all calls arrived' : `${waiting} calls wait for Bosun to run`}`);
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an invalid address';
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
