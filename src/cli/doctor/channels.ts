import { channelKinds, type Finding } from '../../bot/index.js';
import { checkConfig } from '../../config/index.js';
import type { CommandContext } from '../command-context.js';

export async function checkChannels({ home, shell }: CommandContext): Promise<readonly Finding[]> {
  const reading = checkConfig(home, shell.env);
  if (reading.kind === 'bad') return [];
  const { channels } = reading.config;
  const found = await Promise.all(
    channelKinds.map((kind) => {
      const settings = channels[kind.name] ?? null;
      return settings === null ? [] : kind.doctor(settings, home);
    }),
  );
  return found.flat();
}
