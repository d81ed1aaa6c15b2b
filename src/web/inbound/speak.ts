// A request done, with what is posted in its thread meanwhile.

import { BosunError } from '../../base/index.js';
import { type Request as Asked, perform } from '../../bot/index.js';
import type { Surface } from '../../config/index.js';
import type { Message } from '../../store/index.js';
import type { WebServices } from '../context/web-context.js';

export interface WebRequest {
  readonly request: Asked;
  readonly surface: Surface;
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly onMessage: (message: Message) => void;
  /** Aborted when nobody listens any more. The waiting ends, the work goes on. */
  readonly gone: AbortSignal;
}

export type Exit = 0 | 2 | 3 | 4;

export interface WebResult {
  /** Settles when the request is done; its work may go on. */
  readonly heard: Promise<unknown>;
  /** Settles when it is at rest, where that is waited for. */
  readonly ended: Promise<Exit>;
}

export function speak(services: WebServices, speaking: WebRequest): WebResult {
  const { request, onMessage } = speaking;
  const stop = services.runtime.onMessages((messages) => {
    for (const message of messages) if (message.thread === request.thread) onMessage(message);
  });
  const heard = perform(services, request, speaking.surface);
  const ended = heard
    .then(async (answered): Promise<Exit> => {
      if (answered.exit !== 0 || !speaking.wait) return answered.exit;
      // The refusal listens first, so that whoever still hears is told why and not that the time is up.
      const refused = refusalOnceGone(speaking.gone);
      const atRest = services.runtime.whenAtRest(answered.project, speaking.timeoutMs, speaking.gone);
      return (await Promise.race([refused, atRest])) ? 0 : 4;
    })
    .finally(stop);
  return { heard, ended };
}

function refusalOnceGone(gone: AbortSignal): Promise<never> {
  const stopped = new BosunError('not_now', 'Bosun stops, and waits no longer', {
    hint: 'What it had taken in is kept, and goes on with the next "bosun up".',
  });
  // Whoever ends the waiting for another reason says it.
  const refusal = () => (gone.reason instanceof BosunError ? gone.reason : stopped);
  return new Promise((_, reject) => {
    if (gone.aborted) reject(refusal());
    gone.addEventListener('abort', () => reject(refusal()), { once: true });
  });
}
