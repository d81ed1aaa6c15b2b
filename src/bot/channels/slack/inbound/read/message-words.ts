// In channels people mostly talk to each other, so the bot must be addressed.
export interface MessageWords {
  readonly text: string;
  readonly isForBot: boolean;
  /** Addressed to other people, or to all. */
  readonly isForOthers: boolean;
  /** The message began with `!`. */
  readonly isCommand: boolean;
}

const mention = /<@([A-Z0-9]{2,40})(?:\|[^>]*)?>/g;
const toMany = /<!(?:here|channel|everyone|subteam\^)/;

export function wordsOf(said: string, bot: string): MessageWords {
  const called = [...said.matchAll(mention)].map(([, user = '']) => user);
  const isForBot = called.includes(bot);
  const plain = plainOf(withoutName(said.trim(), bot));
  const isCommand = /^!\s?\p{L}/u.test(plain);
  return {
    text: isCommand ? plain.slice(1).trim() : plain,
    isForBot,
    isForOthers: !isForBot && (called.length > 0 || toMany.test(said)),
    isCommand,
  };
}

/** The name addresses the bot at either end; elsewhere it is text. */
function withoutName(said: string, bot: string): string {
  const name = `<@${bot}(?:\\|[^>]*)?>`;
  return said.replace(new RegExp(`^(?:${name}[\\s,:]*)+`), '').replace(new RegExp(`(?:[\\s,]*${name})+$`), '');
}

/** Slack escapes typed text, so `<…>` is markup. */
export function plainOf(said: string): string {
  return said
    .replace(/<([^<>]{1,4000})>/g, (_, inner: string) => linkOf(inner))
    .replaceAll('\u00a0', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();
}

function linkOf(inner: string): string {
  const [target = '', label = ''] = inner.split('|', 2);
  const kind = target[0];
  if (kind === '#') return `#${label === '' ? target.slice(1) : label}`;
  if (kind === '@') return `@${label === '' ? target.slice(1) : label}`;
  if (kind === '!') return label === '' ? `@${target.slice(1).split('^')[0] ?? ''}` : label;
  if (label === '' || target === label) return target.replace(/^mailto:|^tel:/, '');
  // A link typed without its scheme.
  return target.replace(/^(?:https?:\/\/|mailto:|tel:)/, '').replace(/\/$/, '') === label.replace(/\/$/, '')
    ? label
    : `${label} (${target})`;
}
