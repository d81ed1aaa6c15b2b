import { setTimeout as sleep } from 'node:timers/promises';
import type { Message, Thread } from '../../store/index.js';
import type { BotServices } from '../services.js';

export interface RoutableMessage {
  readonly message: Message;
  readonly thread: Thread;
}

export function routable({ runtime }: BotServices, messages: readonly Message[]): readonly RoutableMessage[] {
  return messages.flatMap((message) => {
    const thread = runtime.reader.placed(message.thread);
    return thread === null ? [] : [{ message, thread }];
  });
}

const triedMs = 10_000;
const lookMs = 50;

export async function untilTried(wasTried: () => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < triedMs && !wasTried(); waitedMs += lookMs) await sleep(lookMs);
}
