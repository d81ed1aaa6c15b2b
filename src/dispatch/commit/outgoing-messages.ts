import { wordTimes } from '../../base/index.js';
import type { NewMessage, View } from '../../store/index.js';

type Redact = (text: string) => string;

export function outgoing(messages: readonly NewMessage[], redact: Redact): readonly NewMessage[] {
  return withoutReplaced(messages).map((one) => withoutSecrets({ ...one, view: withTimes(one.view) }, redact));
}

/** Keeps what needs a person or reports a result. */
export function withoutQuietProgress(
  messages: readonly NewMessage[],
  isQuiet: (thread: string) => boolean,
): readonly NewMessage[] {
  const isProgress = ({ view }: NewMessage) => view.kind === 'progress' || view.settled !== undefined;
  return messages.filter((one) => !isProgress(one) || !isQuiet(one.thread));
}

/** A question in the same commit replaces it before it is seen. */
function withoutReplaced(messages: readonly NewMessage[]): readonly NewMessage[] {
  const keyOf = ({ thread, card }: NewMessage) => `${thread} ${card}`;
  const asked = new Map(messages.flatMap((one, at) => (one.interaction === null ? [] : [[keyOf(one), at] as const])));
  const isReplaced = (one: NewMessage, at: number) =>
    one.interaction === null && one.card !== null && (asked.get(keyOf(one)) ?? -1) > at;
  return messages.filter((one, at) => !isReplaced(one, at));
}

/** Puts times into words and keeps their moments beside the text. */
export function withTimes(view: View): View {
  const { text, file, settled } = view;
  const worded = wordTimes(text, view.times);
  return {
    ...view,
    text: worded.text,
    file: file && { ...file, text: wordTimes(file.text).text },
    ...(settled !== undefined && { settled: wordTimes(settled).text }),
    ...(worded.times.length > 0 && { times: worded.times }),
  };
}

/** Buttons stay: they are looked up by content. */
function withoutSecrets(message: NewMessage, redact: Redact): NewMessage {
  const { text, file, settled, markdown } = message.view;
  const view = {
    ...message.view,
    text: redact(text),
    file: file && { ...file, text: redact(file.text) },
    ...(settled !== undefined && { settled: redact(settled) }),
    // Searched for in the redacted text.
    ...(markdown !== undefined && { markdown: markdown.map(redact) }),
  };
  return { ...message, view };
}
