const maxLength = 60;

const assents: ReadonlySet<string> = new Set([
  ...[
    'approve',
    'approved',
    'i approve',
    'i approve it',
    'i approve this',
    'approve it',
    'approve this',
    'approve that',
  ],
  ...[
    'ok',
    'okay',
    'k',
    'okey',
    'okey dokey',
    'ok ok',
    'ok then',
    'ok great',
    'ok good',
    'ok cool',
    'ok fine',
    'ok do it',
  ],
  ...['yes', 'yeah', 'yep', 'yup', 'yes yes', 'yes do it', 'yes approve', 'yes approved', 'yes i approve', 'sure'],
  ...[
    'sure thing',
    'sure go ahead',
    'yes go ahead',
    'go ahead',
    'ok go ahead',
    'go for it',
    'do it',
    'accept',
    'accepted',
  ],
  ...['lgtm', 'looks good', 'looks good to me', 'looks great', 'looks fine', 'looks ok', 'ship it', 'merge it', '+1'],
  ...['sounds good', 'sounds good to me', 'sounds great', 'sounds fine', 'all good', 'good', 'good to go', 'good job'],
  ...['great', 'great work', 'perfect', 'nice', 'nice work', 'fine', 'fine by me', 'fine with me', 'works for me'],
  ...['agreed', 'i agree', 'all ok', 'others ok', 'rest ok', "that's fine", "that's good", "it's good", "it's fine"],
]);

/** Without skin tones and variation selectors. */
const signs = /(?:👍|👌|✅|☑|✔|🆗|💯|🎉|🚀|🚢|💚|👏|🙌)/gu;

export function isAssent(text: string): boolean {
  if (text.length > maxLength || /[?？\n>"“`]/.test(text)) return false;
  const plain = text.replaceAll(/[\u{1f3fb}-\u{1f3ff}\ufe0f\u200d]/gu, '');
  const said = plain
    .replaceAll(signs, ' ')
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/(?:^|\s)(?::\)|:-\)|;\)|:\+1:|\^\^)(?=\s|$)/g, ' ');
  const words = plainWords(said);
  if (words === '') return /👍|👌|✅|☑|✔|🆗|💯|:\+1:/u.test(plain);
  // "ok, ship it": each clause agrees.
  const clauses = said
    .split(/[.,!;:…]+/)
    .map(plainWords)
    .filter((clause) => clause !== '');
  return assents.has(words) || clauses.every((clause) => assents.has(clause));
}

function plainWords(said: string): string {
  return ` ${said} `
    .replaceAll(/[.,!;:…\s]+/g, ' ')
    .replace(/^(?:\s|@?bosun\b|please\b|hey\b|hi\b|so\b|\/)+/, '')
    .replace(/(?:(?:^| )(?:please|pls|thanks|thank you|thx|bosun|now|mate))+ *$/, '')
    .trim();
}
