// A fetch with a size limit for platform clients, which read whole responses into memory.

/** Telegram's largest response, 100 updates, stays below it. */
const maxAnswerBytes = 16 * 1024 * 1024;

export const boundedFetch: typeof fetch = async (url, init) => {
  const answer = await fetch(url, init);
  if (answer.body === null || saysItFits(answer.headers)) return answer;
  const { status, statusText, headers } = answer;
  return new Response(answer.body.pipeThrough(limitTo(maxAnswerBytes)), { status, statusText, headers });
};

/** HTTP ends a body at its content-length; a compressed body can unpack to any size. */
function saysItFits(headers: Headers): boolean {
  const length = headers.get('content-length');
  return length !== null && Number(length) <= maxAnswerBytes && headers.get('content-encoding') === null;
}

/** Counts unpacked bytes. */
function limitTo(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) controller.error(new Error(`the answer is larger than ${maxBytes / 1024 / 1024} MB`));
      else controller.enqueue(chunk);
    },
  });
}

/**
 * The first code in an error's chain of causes that `isMeant` accepts; null: none. Fetch wraps socket errors, sometimes
 * twice; a host name with several addresses fails once for each.
 */
export function networkCodeOf(error: unknown, isMeant: (code: string) => boolean = () => true): string | null {
  let at = error;
  for (let depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    if ('code' in at && typeof at.code === 'string' && isMeant(at.code)) return at.code;
    at = at instanceof AggregateError ? at.errors[0] : at.cause;
  }
  return null;
}

/** No connection was made, so the request was not sent. */
export function wasNeverSent(code: string | null): boolean {
  return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(code ?? '');
}
