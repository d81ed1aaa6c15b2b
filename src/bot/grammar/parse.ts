// Pure and total: any text gives a Parsed.
import { type Candidate, type Parsed, type ProjectName, type ReplyKind, unclear } from './parsed.js';
import { projectsNamed } from './projects.js';
import { parseReply, splitReason } from './reply.js';
import { matchRow, type RowMatch } from './row.js';
import { sentence, suggest } from './suggest.js';
import { isVerdict, type VerbRow, type VerbTable } from './verbs.js';
import { readSentence, type Word } from './words.js';

/** The longest text that a platform delivers. */
export const maxTextLength = 40_000;

/**
 * With `reply` the verb is approve, reject, answer or null, never a command; `understandText` decides between the two.
 */
export function parseText(table: VerbTable, text: string, names: readonly ProjectName[], reply?: ReplyKind): Parsed {
  if (text.length > maxTextLength) return { ...unclear(text), inReply: reply ?? null };
  if (reply === undefined) return parseCommand(table, text, names);
  const command = commandInReply(table, text, names, reply);
  if (command === null) return parseReply(text, reply, verdictIn(table, text, names));
  return { ...unclear(text, [offer(text.trim(), command)]), inReply: reply, note: text.trim() };
}

/** Commands first, so that `stop` stops; other replies are about the interaction. */
export function understandText(
  table: VerbTable,
  text: string,
  names: readonly ProjectName[],
  reply?: ReplyKind,
): Parsed {
  if (text.length > maxTextLength || reply === undefined) return parseText(table, text, names, reply);
  const command = commandInReply(table, text, names, reply);
  return command === null ? parseText(table, text, names, reply) : parsedOf(text, command);
}

/** Exactly a command. A task (`A: use tabs`) or a plain yes or no is a reply. */
function commandInReply(table: VerbTable, text: string, names: readonly ProjectName[], reply: ReplyKind): Exact | null {
  const exact = readExact(table, text, names);
  if (exact === null || exact.isBareTask || exact.match.projects.length > 1 || isVerdict(exact.match.row)) return null;
  return reply === 'confirm' && isButtonOfConfirm(text, names) ? null : exact;
}

/** Under "are you sure?" "cancel" calls off the question, and "start" is no task. */
function isButtonOfConfirm(text: string, names: readonly ProjectName[]): boolean {
  const { words, tail } = readSentence(text, names);
  return tail === null && words.length === 1 && ['cancel', 'start'].includes(words[0]?.word ?? '');
}

/** A verdict in full, with a code or a note. */
function verdictIn(table: VerbTable, text: string, names: readonly ProjectName[]): Parsed | null {
  const exact = readExact(table, text, names);
  return exact === null || !isVerdict(exact.match.row) || exact.match.projects.length > 0
    ? null
    : parsedOf(text, exact);
}

function parseCommand(table: VerbTable, text: string, names: readonly ProjectName[]): Parsed {
  const exact = readExact(table, text, names);
  if (exact !== null && exact.match.projects.length < 2) return parsedOf(text, exact);
  const parses = (said: string): Candidate | null => {
    const found = readExact(table, said, names);
    return found === null || found.match.projects.length > 1 ? null : offer(said, found);
  };
  const meant = exact === null ? [] : exact.match.projects.map((project) => sentence(exact.match, exact.note, project));
  return unclear(text, suggest(table, text, names, meant, parses));
}

function offer(text: string, { match }: Exact): Candidate {
  return { verb: match.row.verb, project: match.projects[0] ?? null, text };
}

interface Exact {
  readonly match: RowMatch;
  readonly note: string | null;
  readonly isBareTask: boolean;
}

function readExact(table: VerbTable, text: string, names: readonly ProjectName[]): Exact | null {
  const { words, tail, isSpaced, endsInQuestion } = readSentence(text, names);
  const exact =
    tail === null ? withNote(matchRow(table, words, names), null) : readNoted(table, words, tail, isSpaced, names);
  // "approve i7?" asks; "reject i7: why so slow?" does not.
  const isDoubt = exact !== null && isVerdict(exact.match.row) && (exact.match.row.verb === 'approve' || tail === null);
  return isDoubt && endsInQuestion ? null : exact;
}

function readNoted(
  table: VerbTable,
  words: readonly Word[],
  tail: string,
  isSpaced: boolean,
  names: readonly ProjectName[],
): Exact | null {
  const noted = withNote(matchRow(table, words, names), tail);
  if (noted !== null) return noted;
  const projects = projectsNamed(words, names);
  if (projects.length === 0) return null;
  const exact = afterProject(table, projects, words, tail, names);
  return exact?.isBareTask && !isSpaced && isOneLetter(tail) ? null : exact;
}

function afterProject(
  table: VerbTable,
  projects: readonly string[],
  said: readonly Word[],
  tail: string,
  names: readonly ProjectName[],
): Exact | null {
  const { words, tail: note } = readSentence(tail, names);
  const own = withNote(matchRow(table, words, names), note);
  const exact = own ?? withNote(matchRow(table, [...said, ...words], names), note);
  if (exact === null) return table.task === undefined || !isTask(tail) ? null : taskFor(table.task, projects, tail);
  const isOther = exact.match.projects.some((project) => !projects.includes(project));
  return isOther ? null : { ...exact, match: { ...exact.match, projects } };
}

function taskFor(row: VerbRow, projects: readonly string[], task: string): Exact {
  return { match: { row, projects, target: null }, note: task, isBareTask: true };
}

/** More than punctuation or a link's rest. */
function isTask(tail: string): boolean {
  return !tail.startsWith('//') && /[\p{L}\p{N}]/u.test(tail.slice(0, maxLookedAt));
}

/** `A:D` is a smiley. */
function isOneLetter(tail: string): boolean {
  return tail.slice(0, maxLookedAt).match(/[\p{L}\p{N}]/gu)?.length === 1;
}

const maxLookedAt = 200;

function withNote(match: RowMatch | null, note: string | null): Exact | null {
  if (match === null) return null;
  if (note === null) return { match, note, isBareTask: false };
  if (
    match.story !== undefined ||
    match.row.note === null ||
    (match.row.target === 'project-node' && match.target === null)
  )
    return null;
  return match.row.note === 'task' && !isTask(note) ? null : { match, note, isBareTask: false };
}

function parsedOf(text: string, { match, note }: Exact): Parsed {
  const { row, projects, target, isOneShot, inputs, story } = match;
  const { reason, rest } = row.verb === 'reject' ? splitReason(note) : { reason: null, rest: note };
  const found = targetsOf(row, target);
  const parsed: Parsed = {
    text,
    verb: row.verb,
    project: projects[0] ?? null,
    target: story ?? found.target,
    // A smiley is no note.
    note: rest !== null && /[\p{L}\p{N}]/u.test(rest) ? rest : null,
    code: found.code,
    reason,
    workflow: found.workflow,
    inReply: null,
    candidates: [],
  };
  if (!isOneShot && !inputs) return parsed;
  return { ...parsed, ...(isOneShot ? { isOneShot } : {}), ...(inputs ? { inputs } : {}) };
}

function targetsOf({ target: kind }: VerbRow, said: string | null): Pick<Parsed, 'target' | 'code' | 'workflow'> {
  const none = { target: null, code: null, workflow: null };
  if (kind === 'code') return { ...none, code: said };
  if (kind === 'workflow') return { ...none, workflow: said };
  if (!kind.startsWith('card')) return { ...none, target: said };
  const [, code = null, more = null] = /^(i\d[\d-]*)?(?:^| |$)(.+)?$/.exec(said ?? '') ?? [];
  return { ...none, code, target: more };
}
