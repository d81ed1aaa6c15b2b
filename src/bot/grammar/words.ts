// A text cut for matching: what may surround a sentence is dropped, the rest becomes words and what follows the colon.
import type { ProjectName } from './parsed.js';

/** A word as it was said, and as it is compared. */
export interface Word {
  readonly said: string;
  readonly word: string;
}

export interface Sentence {
  readonly words: readonly Word[];
  /** What follows the first colon, as said; null without a colon or when nothing follows it. */
  readonly tail: string | null;
  /** Whether white space follows the colon, as it does in no smiley: `A:D`. */
  readonly isSpaced: boolean;
  readonly endsInQuestion: boolean;
}

/** Longer than the longest row with every optional part; a longer head is no row. */
const MAX_WORDS = 12;
const MAX_HEAD_LENGTH = 400;

const END_PUNCTUATION = new Set([...'.,;:!?…。，；：！？']);

/** The sentence in a text; no words when it cannot be a row. */
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
  if (text.length > MAX_HEAD_LENGTH) return [];
  const said = text
    .replaceAll(/[,，]/g, ' , ')
    .split(/\s+/)
    .filter((word) => word !== '');
  return said.length > MAX_WORDS ? [] : said.map((word) => ({ said: word, word: nameKey(word) }));
}

/** Without the slash, the name of the bot and the politeness that may stand before a sentence. */
function dropLead(text: string, names: readonly ProjectName[]): string {
  let rest = text;
  const isProject = names.some(({ name, aliases }) => [name, ...aliases].some((known) => nameKey(known) === 'bosun'));
  for (let turn = 0; turn < 5; turn += 1) {
    const before = rest;
    if (!(isProject && /^bosun\s*[:：]/i.test(rest)))
      rest = rest.replace(/^@?bosun(?:_?bot)?(?=[\s,:!?.]|$)[\s,:]*/i, '');
    rest = rest.replace(/^please(?=[\s,]|$)[\s,]*/i, '');
    // Telegram names the bot in a command of a group: /status@some_bot shop
    rest = rest.replace(/^\/(\w{1,64})@\w{1,64}(?=[\s.,!?]|$)/, '/$1');
    if (turn < 2) rest = rest.replace(/^[/!](?=[\p{L}\p{N}@])/u, '');
    if (rest === before) break;
  }
  return rest;
}

/** Without the punctuation and the politeness that may end a sentence. By index: a pattern would be slow on noise. */
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
  return END_PUNCTUATION.has(char) || /\s/.test(char);
}

/** How a word is compared: without case, and with one kind of apostrophe. */
export function nameKey(word: string): string {
  return word.normalize('NFC').toLowerCase().replaceAll('’', "'");
}
