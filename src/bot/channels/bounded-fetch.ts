// Limits the size of responses, which platform clients read into memory.

/** Above Telegram's largest response, 100 updates. */
const maxAnswerBytes = 16 * 1024 * 1024;

export const boundedFetch: typeof fetch = async (url, init) => {
  const answer = await fetch(url, init);
  if (answer.body === null || saysItFits(answer.headers)) return answer;
  const { status, statusText, headers } = answer;
  return new Response(answer.body.pipeThrough(limitTo(maxAnswerBytes)), { status, statusText, headers });
};

/** HTTP ends a body at content-length, but a compressed body can unpack to any size. */
function saysItFits(headers: Headers): boolean {
  const length = headers.get('content-length');
  return length !== null && Number(length) <= maxAnswerBytes && headers.get('content-encoding') === null;
}

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
 * Fetch wraps socket errors, sometimes twice, and a host with several addresses fails once for each: returns the first
 * accepted code in the chain of causes.
 */
export function networkCodeOf(error: unknown, isMeant: (code: string) => boolean = () => true): string | null {
  let at = error;
  for (let depth = 0; depth < 5 && at instanceof Error; depth += 1) {
    if ('code' in at && typeof at.code === 'string' && isMeant(at.code)) return at.code;
    at = at instanceof AggregateError ? at.errors[0] : at.cause;
  }
  return null;
}

/** No connection means that the request was not sent. */
export function wasNeverSent(code: string | null): boolean {
  return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(code ?? '');
}
