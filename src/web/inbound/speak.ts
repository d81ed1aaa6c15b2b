import { BosunError } from '../../base/index.js';
import { perform, type Request } from '../../bot/index.js';
import type { Surface } from '../../config/index.js';
import type { Message } from '../../store/index.js';
import type { WebServices } from '../context/web-context.js';

export interface WebRequest {
  readonly request: Request;
  readonly surface: Surface;
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly onMessage: (message: Message) => void;
  /** Ends the waiting, not the work. */
  readonly gone: AbortSignal;
}

type Exit = 0 | 2 | 3 | 4;

interface WebResult {
  /** Done, although its work may continue. */
  readonly performed: Promise<unknown>;
  /** The project is at rest, if the caller waits for that. */
  readonly ended: Promise<Exit>;
}

export function speak(services: WebServices, speaking: WebRequest): WebResult {
  const { request, onMessage } = speaking;
  const stop = services.runtime.onMessages((messages) => {
    for (const message of messages) if (message.thread === request.thread) onMessage(message);
  });
  const performed = perform(services, request, speaking.surface);
  const ended = performed
    .then(async (answered): Promise<Exit> => {
      if (answered.exit !== 0 || !speaking.wait) return answered.exit;
      // First, so that the client gets the reason, not a timeout.
      const refused = refusalOnceGone(speaking.gone);
      const atRest = services.runtime.whenAtRest(answered.project, speaking.timeoutMs, speaking.gone);
      return (await Promise.race([refused, atRest])) ? 0 : 4;
    })
    .finally(stop);
  return { performed, ended };
}

function refusalOnceGone(gone: AbortSignal): Promise<never> {
  const stopped = new BosunError('not_now', 'Bosun is shutting down and no longer waits for this request', {
    hint: 'Accepted work is stored and continues with the next "bosun up".',
  });
  // The abort may carry its own error.
  const refusal = () => (gone.reason instanceof BosunError ? gone.reason : stopped);
  return new Promise((_, reject) => {
    if (gone.aborted) reject(refusal());
    gone.addEventListener('abort', () => reject(refusal()), { once: true });
  });
}
