// Exactly one verb, project and target, and nothing else.

import type { ProjectName } from './parsed.js';
import { projectAtEnd, projectAtStart, projectsNamed } from './projects.js';
import type { Phrase, VerbRow, VerbTable } from './verbs.js';
import type { Word } from './words.js';

export interface RowMatch {
  readonly row: VerbRow;
  readonly projects: readonly string[];
  readonly target: string | null;
  readonly isOneShot?: true;
  /** `start shop US-003`: an imported story; `start q3 beside`: a waiting task. */
  readonly story?: string;
  readonly inputs?: Readonly<Record<string, string>>;
}

/** The project may precede or follow the verb. */
export function matchRow(table: VerbTable, words: readonly Word[], names: readonly ProjectName[]): RowMatch | null {
  const match = matchHead(table, words, names);
  const inputs = match === null ? inputsAtEnd(words) : [];
  if (inputs.length === 0) return match;
  const started = matchHead(table, words.slice(0, -inputs.length), names);
  return started?.row.note === 'task' ? { ...started, inputs: Object.fromEntries(inputs) } : null;
}

function inputsAtEnd(words: readonly Word[]): readonly (readonly [string, string])[] {
  if (words.at(-1)?.said.includes('=') !== true) return [];
  const read = words.map(({ said }) => /^([a-z]\w{0,63})=(\S+)$/i.exec(said));
  const first = read.lastIndexOf(null) + 1;
  return read.slice(first).map((one) => [String(one?.[1]), String(one?.[2])]);
}

function matchHead(table: VerbTable, words: readonly Word[], names: readonly ProjectName[]): RowMatch | null {
  const match = matchWords(table, words, names) ?? matchShown(table, words, names);
  const last = words.at(-1)?.word;
  if (match !== null || (last !== 'once' && last !== 'one-shot')) return match;
  const once = matchWords(table, words.slice(0, -1), names);
  return once?.row.note === 'task' ? { ...once, isOneShot: true } : null;
}

function matchWords(table: VerbTable, words: readonly Word[], names: readonly ProjectName[]): RowMatch | null {
  const match = matchPhrases(table, words, (phrase, rest) => matchArguments(table, phrase, rest, names));
  if (match !== null) return match;
  const lead = projectAtStart(words, names);
  if (lead === null) return null;
  return matchPhrases(table, words.slice(lead.length), (phrase, rest) =>
    phrase.row.project === 'none' ? null : withTarget(table, phrase.row, lead.projects, rest, names),
  );
}

/** `show me the diff`: only before a word that reads. */
function matchShown(table: VerbTable, words: readonly Word[], names: readonly ProjectName[]): RowMatch | null {
  const lead = showLead(words);
  const [asked, ...rest] = words.slice(lead);
  if (lead === 0 || asked === undefined) return null;
  const read = { ...asked, word: readNouns.get(asked.word) ?? asked.word };
  const match = matchWords(table, [read, ...rest], names);
  return match?.row.effect === 'reads' ? match : null;
}

/** 0: the words do not ask to be shown something. */
function showLead(words: readonly Word[]): number {
  if (words[0]?.word !== 'show') return 0;
  const toWhom = words[1]?.word === 'me' || words[1]?.word === 'us' ? 2 : 1;
  return words[toWhom]?.word === 'the' || words[toWhom]?.word === 'my' ? toWhom + 1 : toWhom;
}

/** `changes` alone rejects. */
const readNouns: ReadonlyMap<string, string> = new Map([
  ['changes', 'diff'],
  ['logs', 'log'],
  ['costs', 'cost'],
]);

function matchPhrases(
  { byFirstWord }: VerbTable,
  words: readonly Word[],
  match: (phrase: Phrase, rest: readonly Word[]) => RowMatch | null,
): RowMatch | null {
  for (const phrase of byFirstWord.get(words[0]?.word ?? '') ?? []) {
    if (!phrase.words.every((word, index) => words[index]?.word === word)) continue;
    const found = match(phrase, words.slice(phrase.words.length));
    if (found !== null) return found;
  }
  return null;
}

function matchArguments(
  table: VerbTable,
  phrase: Phrase,
  rest: readonly Word[],
  names: readonly ProjectName[],
): RowMatch | null {
  const { row } = phrase;
  const named = ['with', 'of', 'on'].includes(rest[0]?.word ?? '') ? rest.slice(1) : rest;
  if (row.project === 'optional-or-all' && named.length === 1 && isAll(named[0])) {
    return { row, projects: ['all'], target: null };
  }
  if (row.project !== 'none') {
    const first = isArticle(rest) ? null : projectAtStart(rest, names);
    const ahead = first && withTarget(table, row, first.projects, rest.slice(first.length), names);
    if (ahead !== null) return ahead;
    const last = projectAtEnd(rest, names);
    const behind = last && withTarget(table, row, last.projects, rest.slice(0, rest.length - last.length), names);
    if (behind !== null) return behind;
  }
  return phrase.needsProject ? null : withTarget(table, row, [], rest, names);
}

/** "skip a test" means some test; in "a impl" A is a project. */
function isArticle([first, second]: readonly Word[]): boolean {
  return (
    first?.said === 'a' &&
    second !== undefined &&
    /^[b-df-hj-np-tv-z][a-z]+$/.test(second.said) &&
    second.said !== 'to' &&
    second.said !== 'with'
  );
}

function isStoryKey(said: string): boolean {
  return /^[a-z][a-z0-9]{0,19}-\d{1,9}$/i.test(said);
}

function isAll(word: Word | undefined): boolean {
  return word?.word === 'all' || word?.word === 'everything';
}

function withTarget(
  table: VerbTable,
  row: VerbRow,
  projects: readonly string[],
  words: readonly Word[],
  names: readonly ProjectName[],
): RowMatch | null {
  const [first] = words;
  // More words are a task without its colon, which never acts.
  if (row.target === 'workflow' && words.length === 1 && first && isStoryKey(first.said)) {
    return { row, projects, target: null, story: first.said };
  }
  const queued = row.target === 'workflow' ? readQueuedStart(words) : null;
  if (queued !== null) return { row, projects, target: null, story: queued };
  const target = readCardTarget(row, words) ?? readTarget(table, row, projects, words);
  if (target === null) return null;
  // With two projects the step's owner is unclear.
  const isNode = row.target === 'node' || row.target === 'project-node';
  if (isNode && projects.length > 0 && projectsNamed(words, names).length > 0) return null;
  return { row, projects, target: target === '' ? null : target };
}

/** '': none, and none needed; null: no target. */
function readTarget(
  table: VerbTable,
  row: VerbRow,
  projects: readonly string[],
  words: readonly Word[],
): string | null {
  const [first, second] = words;
  if (first === undefined) return needsTarget.has(row.target) ? null : '';
  if (second === undefined) return readOneWord(table, row, projects.length > 0, first);
  if (words.length > 2) return null;
  if (row.target === 'queued-move') {
    const id = readQueued(first);
    return id !== null && moves.has(second.word) ? `${id} ${second.word}` : null;
  }
  if (row.target === 'to-node') return first.word === 'to' ? readNode(table, second) : null;
  return row.target === 'workflow' && first.word === 'with' ? readWorkflow(table, second) : null;
}

function readOneWord(table: VerbTable, row: VerbRow, isProjectNamed: boolean, word: Word): string | null {
  switch (row.target) {
    case 'node':
      return readNode(table, word);
    case 'project-node':
      return isProjectNamed ? readNode(table, word) : null;
    case 'amount':
      return readAmount(word.said);
    case 'code':
      return readCode(word);
    case 'all':
      return word.word === 'all' ? 'all' : null;
    case 'queued':
      return readQueued(word);
    case 'task':
      return readQueued(word) ?? readRun(word);
    case 'none':
    case 'to-node':
    case 'queued-move':
    case 'workflow':
    case 'card':
    case 'card-for':
    case 'card-to':
      return null;
    default:
      return row.target satisfies never;
  }
}

/** `i12-3 2h`, `i12-3 to bob`: a card (unless the sentence is a reply) with its argument. */
function readCardTarget({ target }: VerbRow, words: readonly Word[]): string | null {
  const [first] = words;
  const code = first === undefined ? null : readCode(first);
  const rest = code === null ? words : words.slice(1);
  if (rest.length === 0) return code !== null && target.startsWith('card') ? code : null;
  const more =
    target === 'card-for' ? (readDuration(rest) ?? readMoment(rest)) : target === 'card-to' ? readReceiver(rest) : null;
  return more === null ? null : `${code ?? ''} ${more}`.trimStart();
}

function readCode({ word }: Word): string | null {
  return /^i\d{1,9}(-\d{1,9}){0,2}$/.test(word) ? word : null;
}

/** `2h`, `90 min` or `for 1 day` become `2h`, `90m`, `1d`. */
export function readDuration(words: readonly Pick<Word, 'word'>[]): string | null {
  const said = words.map(({ word }) => word);
  const text = (said[0] === 'for' ? said.slice(1) : said).join('');
  const [, count = '', unit = ''] = /^(\d{1,5})(m|min|mins|minutes?|h|hrs?|hours?|d|days?)$/.exec(text) ?? [];
  return unit === '' ? null : `${Number(count)}${unit.charAt(0)}`;
}

/** `until 20261121T0900Z`, as the page says it: exact, and without the colon that begins a remark. */
function readMoment([until, moment, ...others]: readonly Word[]): string | null {
  const isMoment = until?.word === 'until' && others.length === 0 && momentIn(moment?.said ?? '') !== null;
  return isMoment ? (moment?.said.toUpperCase() ?? null) : null;
}

/** Null: not such a moment. */
export function momentIn(said: string): number | null {
  const read = /^(\d{4})(\d\d)(\d\d)t(\d\d)(\d\d)z$/i.exec(said);
  if (read === null) return null;
  const [, year, month, day, hour, minute] = read;
  const at = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:00Z`);
  return Number.isNaN(at) ? null : at;
}

function readReceiver(words: readonly Word[]): string | null {
  const [to, name, ...others] = words[0]?.word === 'over' ? words.slice(1) : words;
  return to?.word === 'to' && name !== undefined && others.length === 0 ? name.said.replace(/^@/, '') : null;
}

const needsTarget: ReadonlySet<VerbRow['target']> = new Set(['to-node', 'amount', 'queued', 'queued-move']);
const moves: ReadonlySet<string> = new Set(['up', 'down', 'first']);

function readQueued({ word }: Word): string | null {
  return /^q\d{1,9}$/.test(word) ? word : null;
}

/** A task by the name of its run, which may have begun. */
function readRun({ word }: Word): string | null {
  return /^r\d{1,9}$/.test(word) ? word : null;
}

/** `q3`: once the project is free; `q3 beside`: at once, in a worktree. */
function readQueuedStart([first, second, ...others]: readonly Word[]): string | null {
  const id = first === undefined ? null : readQueued(first);
  if (id === null || others.length > 0) return null;
  if (second === undefined) return id;
  return second.word === 'beside' ? `${id} beside` : null;
}

function readNode(table: VerbTable, { said, word }: Word): string | null {
  const mayBeNode = said === 'A' || !isOrdinary(table, word);
  return /^[a-z0-9][\w./#-]{0,79}$/i.test(said) && mayBeNode ? said : null;
}

function readWorkflow(table: VerbTable, { said, word }: Word): string | null {
  return /^[\w.~/][\w./~@-]{0,199}$/.test(said) && !isOrdinary(table, word) ? said : null;
}

/** `+5`, `+$5`, `+5$`, `+2.50`. No comma, whose meaning differs among people. */
export function readAmount(said: string): string | null {
  const amount = /^\+\$?(\d{1,6}(?:\.\d{1,2})?)\$?$/.exec(said)?.[1];
  return amount === undefined || Number(amount) === 0 ? null : `+${amount}`;
}

function isOrdinary({ verbs }: VerbTable, word: string): boolean {
  return neverANode.has(word) || verbs.has(word);
}

/** "skip it", "retry later", "log in". */
const neverANode = new Set([
  ...'a an the it its this that these those them he she they we us me you i my your our one some any each every'.split(
    ' ',
  ),
  ...'all everything anything nothing something both none more less to in into out up down on off of over for from'.split(
    ' ',
  ),
  ...'with without and or but then so if when until unless while at by as about now later today tomorrow tonight'.split(
    ' ',
  ),
  ...'again once twice first soon yet still here there is are was be do does did not no yes ok okay please thanks'.split(
    ' ',
  ),
  ...'ahead back away forward everyone nobody because too also just only really maybe never always'.split(' '),
]);
