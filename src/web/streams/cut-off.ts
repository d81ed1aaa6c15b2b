// An answer without an end, given only while somebody takes it: a client that takes nothing more, and does not go away
// either, is cut off. It holds one of few places, and what it misses it gets when it comes back.
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
        // Its end cancels this stream, which gives the place back.
        timer = setTimeout(() => c.env.outgoing.destroy(), stuckAfterMs).unref();
      },
      cancel(why) {
        clearTimeout(timer);
        return reader.cancel(why);
      },
    },
    // A piece is made when it can be sent, and not before: asking for one is the sign of life.
    { highWaterMark: 0 },
  );
}
