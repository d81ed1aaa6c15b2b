// "Did you mean": suggestions become buttons; nothing acts.
import { isAssent } from './free-text/assent.js';
import { readPlacedTask } from './free-text/placed-task.js';
import type { Candidate, ProjectName } from './parsed.js';
import { projectsSpelled, spelledOf } from './projects.js';
import type { RowMatch } from './row.js';
import { closest } from './spelling.js';
import { isVerdict, type Phrases, type VerbRow, type VerbTable } from './verbs.js';
import { nameKey } from './words.js';

const maxCandidates = 4;
const maxTaskLength = 300;
const maxWords = 30;
/** Each costs a comparison; the chat's own come first. */
const maxCompared = 1_000;
const maxOffered = 20;

/** At most four, in the order of `names`. `meant`: readings of an ambiguous name, which exclude others. */
export function suggest(
  table: VerbTable,
  text: string,
  names: readonly ProjectName[],
  meant: readonly string[],
  parses: (said: string) => Candidate | null,
): readonly Candidate[] {
  const words = wordsOf(text.slice(0, 1_000));
  const found: Candidate[] = [];
  const offers = meant.length > 0 ? meant : [...resembling(table, text.trim(), words, names), 'status', 'help'];
  for (const [index, said] of offers.entries()) {
    // `status` and `help` are the fallback.
    if (meant.length === 0 && index >= offers.length - 2 && found.length > index - offers.length + 2) break;
    const candidate = parses(said);
    const isNew = candidate !== null && !found.some((one) => one.text === candidate.text);
    if (isNew) found.push(candidate);
    if (found.length === maxCandidates) break;
  }
  return found;
}

export function sentence(
  { row, target, story = '' }: Omit<RowMatch, 'projects'>,
  note: string | null,
  project: string | null,
): string {
  const before = row.target === 'to-node' ? 'to ' : row.target === 'workflow' ? 'with ' : '';
  const parts = [row.verb, project ?? '', target === null ? story : `${before}${target}`];
  return parts.filter((part) => part !== '').join(' ') + (note === null ? '' : `: ${note}`);
}

function resembling(
  table: VerbTable,
  text: string,
  words: readonly string[],
  names: readonly ProjectName[],
): readonly string[] {
  const verbs = verbsIn(table, words, names);
  const named = namedIn(words, names);
  const hasVerdict = verbs.some(({ row }) => isVerdict(row));
  const isTask = text.length <= maxTaskLength && !hasVerdict && !/[?？]$|n['’]t\b/.test(text);
  const placed = readPlacedTask(text, names);
  if (isAssent(text)) return ['inbox'];
  const bare = verbs.length === 0 ? named.flatMap((name) => [`continue ${name}`, `status ${name}`]) : [];
  return [
    ...(placed === null ? [] : placed.projects.map((project) => `${project}: ${placed.task}`)),
    ...(isTask ? tasksOfNamed(table, text, names) : []),
    ...verbs.flatMap((verb) => sentencesWith(verb, words, named, names)),
    ...bare,
    ...(isTask && named.length === 0 && words.length > 2 && isPlain(text)
      ? names.slice(0, maxOffered).map(({ name }) => `${name}: ${text}`)
      : []),
  ];
}

function isPlain(text: string): boolean {
  return /^[\p{L}\p{N}]/u.test(text) && !/[:：]/.test(text) && !/^(?:who|what|how|why|when|where|which)\b/i.test(text);
}

interface Said {
  readonly row: VerbRow;
  readonly index: number;
  readonly next: number;
}

/** With the named projects, else the nearest, else alone. */
function sentencesWith(
  { row, index, next }: Said,
  words: readonly string[],
  named: readonly string[],
  names: readonly ProjectName[],
): readonly string[] {
  // An approval needs a card or a code.
  if (isVerdict(row)) return ['inbox'];
  const say = (project: string | null): string =>
    sentence({ row, target: targetIn(row, words.slice(next), names) }, null, project);
  if (row.project === 'none') return [say(null)];
  if (named.length > 0) return named.map(say);
  // In "continue nosuch" the other word was meant as a project.
  const other = words[next] ?? (index === 1 ? words[0] : undefined);
  const isShort = index < 2 && words.length <= next + 2;
  const near = isShort && other !== undefined ? nearest(other, names) : undefined;
  if (near !== undefined) return [say(near)];
  const all = names.slice(0, maxCandidates - 1).map(({ name }) => name);
  if (row.project === 'required') return all.map(say);
  return isShort && other !== undefined ? [...all.map(say), say(null)] : [say(null)];
}

/** For a verb that needs a target. */
function targetIn(row: VerbRow, words: readonly string[], names: readonly ProjectName[]): string | null {
  if (row.target === 'amount') {
    const digits = words.map((word) => /^\+?\$?(\d{1,6})\$?$/.exec(word)?.[1]).find((found) => Number(found) > 0);
    return `+${digits ?? '5'}`;
  }
  if (row.target === 'queued' || row.target === 'queued-move') {
    const id = words.map(nameKey).find((word) => /^q\d{1,9}$/.test(word));
    return id === undefined ? null : row.target === 'queued' ? id : `${id} first`;
  }
  if (row.target === 'task') return words.map(nameKey).find((word) => /^[qr]\d{1,9}$/.test(word)) ?? null;
  if (row.target !== 'to-node') return null;
  return words.filter((word) => nameKey(word) !== 'to' && namedIn([word], names).length === 0).at(-1) ?? null;
}

/** Falls back to verbs that the first two words nearly spell. */
function verbsIn(all: VerbTable, words: readonly string[], names: readonly ProjectName[]): readonly Said[] {
  const keys = words.map(nameKey);
  const isNamed = keys.some((word) => /^[iqr]\d[\d-]*$/.test(word));
  const table = keys.length < 2 || isNamed ? all : all.withoutCards;
  const exact = keys.flatMap((_, index) => {
    const begun = table.byFirstWord.get(keys[index] ?? '');
    const phrase = begun?.find(({ words: said }) => said.every((word, offset) => keys[index + offset] === word));
    return phrase === undefined ? [] : [{ row: phrase.row, index, next: index + phrase.words.length }];
  });
  const near = keys.slice(0, 2).flatMap((_, index) => nearVerb(table, keys, index, names));
  // "merci" does not mean "merge".
  const found = exact.length > 0 ? exact : near.filter(({ row }) => isNamed || row.target !== 'task');
  return found.filter(({ row }, index) => found.findIndex((one) => one.row === row) === index).slice(0, maxCandidates);
}

/** `cont` begins `continue`; shorter is too vague. */
const minBegun = 4;

const saidElsewhere: Readonly<Record<string, string>> = {
  halt: 'stop',
  freeze: 'pause',
  quit: 'abort',
  undo: 'rollback',
};

function nearVerb(
  { rows, phrases, oneWordPhrases }: Phrases,
  keys: readonly string[],
  index: number,
  names: readonly ProjectName[],
): readonly Said[] {
  const word = keys[index] ?? '';
  if (/^(?:who|how|what)$/.test(word) || namedIn([word], names).length > 0) return [];
  const together = rows.find((row) => row.verb === `${word}${keys[index + 1] ?? ''}`);
  if (together !== undefined) return [{ row: together, index, next: index + 2 }];
  const begun = word.length < minBegun ? undefined : phrases.find(({ words }) => words[0]?.startsWith(word));
  const elsewhere = saidElsewhere[word];
  const alike = oneWordPhrases.find(({ words }) => words[0] === elsewhere) ?? begun;
  if (alike !== undefined) return [{ row: alike.row, index, next: index + 1 }];
  const near = closest(oneWordPhrases, word, ({ spelled }) => spelled);
  return near === undefined ? [] : [{ row: near.row, index, next: index + 1 }];
}

function namedIn(words: readonly string[], names: readonly ProjectName[]): readonly string[] {
  const keys = new Set(words.filter((word) => word !== 'a').map(nameKey));
  return projectsSpelled(keys, names).slice(0, maxCandidates);
}

export function nearestOf(word: string, names: readonly ProjectName[]): string | null {
  return nearest(word, names) ?? null;
}

function nearest(word: string, names: readonly ProjectName[]): string | undefined {
  return closest(names.length > maxCompared ? names.slice(0, maxCompared) : names, nameKey(word), spelledOf)?.name;
}

function tasksOfNamed(table: VerbTable, text: string, names: readonly ProjectName[]): readonly string[] {
  const colon = text.search(/[:：]/);
  if (colon >= 0) return tasksAfterColon(wordsOf(text.slice(0, colon)), text.slice(colon + 1).trim(), names);
  const [, first = '', rest = ''] = /^(\S+)\s+(.*)$/su.exec(text) ?? [];
  const { task } = table;
  if (task && [task.verb, ...task.synonyms].includes(nameKey(first))) return tasksOfNamed(table, rest, names);
  return wordsOf(rest).length < 2 ? [] : namedIn([first], names).map((name) => `${name}: ${rest}`);
}

function tasksAfterColon(head: readonly string[], task: string, names: readonly ProjectName[]): readonly string[] {
  if (wordsOf(task).length < 2 || head.length === 0 || head.length > 4) return [];
  const named = namedIn(head, names);
  const at = named.length > 0 ? -1 : head.findLastIndex((word) => nearest(word, names) !== undefined);
  const near = nearest(head[at] ?? '', names);
  if (near !== undefined && head.includes('with')) return [`${head.with(at, near).join(' ')}: ${task}`];
  const meant = near === undefined ? names.slice(0, maxOffered).map(({ name }) => name) : [near];
  return (named.length > 0 ? named : meant).map((name) => `${name}: ${task}`).slice(0, maxCandidates - 1);
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}_+$.#/-]+/gu)?.slice(0, maxWords) ?? [];
}
