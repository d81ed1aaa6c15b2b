// What downloads of every platform have in common: a file comes in pieces, and what fails on the way is said in words that
// hold no address.
import { BosunError } from '../../dispatch/index.js';

export type Explained = <T>(act: () => Promise<T>) => Promise<T>;

/** `whyOf`: without a token or an address. */
export function explainedBy(whyOf: (error: unknown) => string): Explained {
  return async (act) => {
    try {
      return await act();
    } catch (error) {
      throw new BosunError('bad_input', `it could not be fetched (${whyOf(error)}); send it again`);
    }
  };
}

export async function* chunksOf(body: AsyncIterable<Uint8Array>, explained: Explained): AsyncIterable<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await explained(() => chunks.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.().catch(() => undefined);
  }
}
