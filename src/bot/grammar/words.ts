import type { ProjectName } from './parsed.js';

export interface Word {
  readonly said: string;
  readonly word: string;
}

export interface Sentence {
  readonly words: readonly Word[];
  readonly tail: string | null;
  /** Distinguishes a task from a smiley: `A:D`. */
  readonly isSpaced: boolean;
  readonly endsInQuestion: boolean;
}

const maxWords = 12;
const maxHeadLength = 400;

const endPunctuation = new Set([...'.,;:!?…。，；：！？']);

/** Without words it cannot be a row. */
export function readSentence(text: string, names: readonly ProjectName[]): Sentence {
  const body = dropLead(text.trim(), names);
  const { said, dropped } = dropEnd(body);
  const endsInQuestion = /[?？]/.test(dropped);
  const colon = said.search(/[:：]/);
  if (colon < 0) return { words: readWords(said), tail: null, isSpaced: false, endsInQuestion };
  const after = body.slice(colon + 1);
  return { words: readWords(said.slice(0, colon)), tail: after.trim(), isSpaced: /^\s/.test(after), endsInQuestion };
}

export function readWords(text: string): readonly Word[] {
  if (text.length > maxHeadLength) return [];
  const said = (/[,，]/.test(text) ? text.replaceAll(/[,，]/g, ' , ') : text)
    .split(/\s+/)
    .filter((word) => word !== '');
  return said.length > maxWords ? [] : said.map((word) => ({ said: word, word: nameKey(word) }));
}

/** Drops slash, the bot's name, politeness. */
function dropLead(text: string, names: readonly ProjectName[]): string {
  if (!/^[@/!bp]/i.test(text)) return text;
  let rest = text;
  const isProject = () =>
    names.some(({ name, aliases }) => [name, ...aliases].some((known) => nameKey(known) === 'bosun'));
  for (let turn = 0; turn < 5; turn += 1) {
    const before = rest;
    if (!(/^bosun\s*[:：]/i.test(rest) && isProject()))
      rest = rest.replace(/^@?bosun(?:_?bot)?(?=[\s,:!?.]|$)[\s,:]*/i, '');
    rest = rest.replace(/^please(?=[\s,]|$)[\s,]*/i, '');
    // In groups Telegram adds the bot's name: /status@some_bot shop
    rest = rest.replace(/^\/(\w{1,64})@\w{1,64}(?=[\s.,!?]|$)/, '/$1');
    if (turn < 2) rest = rest.replace(/^[/!](?=[\p{L}\p{N}@])/u, '');
    if (rest === before) break;
  }
  return rest;
}

function dropEnd(text: string): { readonly said: string; readonly dropped: string } {
  let end = text.length;
  for (let turn = 0; turn < 3; turn += 1) {
    while (end > 0 && isEnd(text.charAt(end - 1))) end -= 1;
    const please = /(?:^|[\s,])please$/i.exec(text.slice(Math.max(0, end - 8), end));
    if (please === null) break;
    end -= 'please'.length;
  }
  while (end > 0 && isEnd(text.charAt(end - 1))) end -= 1;
  return { said: text.slice(0, end), dropped: text.slice(end) };
}

function isEnd(char: string): boolean {
  return endPunctuation.has(char) || /\s/.test(char);
}

export function nameKey(word: string): string {
  // Fast path: plain ASCII needs only lower case.
  if (/^[\x20-\x7e]*$/.test(word)) return word.toLowerCase();
  return word.normalize('NFC').toLowerCase().replaceAll('’', "'");
}
