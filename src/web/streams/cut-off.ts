// An endless response that is not read holds one of few slots; the client can catch up.
import type { Context } from 'hono';
import type { Env, WebContext } from '../context/web-context.js';

export function cutOff(
  c: Pick<Context<Env>, 'env'>,
  { stuckAfterMs }: Pick<WebContext, 'stuckAfterMs'>,
  body: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let timer: NodeJS.Timeout | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        clearTimeout(timer);
        const { done, value } = await reader.read();
        if (done) return controller.close();
        controller.enqueue(value);
        // Destroying the socket cancels this stream, which frees the slot.
        timer = setTimeout(() => c.env.outgoing.destroy(), stuckAfterMs).unref();
      },
      cancel(why) {
        clearTimeout(timer);
        return reader.cancel(why);
      },
    },
    // A chunk is produced only when it can be sent, so each pull proves that the client reads.
    { highWaterMark: 0 },
  );
}
