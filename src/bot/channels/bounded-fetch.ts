// The fetch that platform clients get: they read whole answers into memory, so an answer has a size limit.

/** A hundred updates, the most that one answer of Telegram's holds, stay below it. */
const maxAnswerBytes = 16 * 1024 * 1024;

export const boundedFetch: typeof fetch = async (url, init) => {
  const answer = await fetch(url, init);
  if (answer.body === null || saysItFits(answer.headers)) return answer;
  const { status, statusText, headers } = answer;
  return new Response(answer.body.pipeThrough(limitTo(maxAnswerBytes)), { status, statusText, headers });
};

/** HTTP ends the body where its length says; a packed one may be any size once it is unpacked. */
function saysItFits(headers: Headers): boolean {
  const length = headers.get('content-length');
  return length !== null && Number(length) <= maxAnswerBytes && headers.get('content-encoding') === null;
}

/** Counts what was unpacked; at the limit it cancels the rest. */
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
