import type { Complexity } from '../workflow/definition.js';
import { isRecord } from './json-record.js';

export interface Story {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly acceptanceCriteria: readonly string[];
  readonly dependsOn: readonly string[];
  readonly complexity: Complexity | null;
  readonly parallelTags: number;
  readonly priority: number | null;
}

type ParsedStories =
  | { readonly ok: true; readonly stories: readonly Story[] }
  | { readonly ok: false; readonly error: string };

const maxTextChars = 20_000;
const maxListLength = 200;

export function parseStories(text: string, limit: number): ParsedStories {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    return refuse(`STORIES_JSON is not valid JSON: ${String(error).slice(0, 200)}`);
  }
  if (!Array.isArray(data)) return refuse('STORIES_JSON must be an array of stories');
  if (data.length > limit) return refuse(`STORIES_JSON has ${data.length} stories; at most ${limit} are allowed`);
  const stories: Story[] = [];
  const ids = new Set<string>();
  for (const [index, entry] of data.entries()) {
    const story = readStory(entry, `story ${index + 1}`);
    if (typeof story === 'string') return refuse(`STORIES_JSON: ${story}`);
    if (ids.has(story.id)) return refuse(`STORIES_JSON: two stories have the id "${story.id}"`);
    ids.add(story.id);
    stories.push(story);
  }
  const wrong = checkDependencies(stories, ids);
  return wrong === null ? { ok: true, stories } : refuse(`STORIES_JSON: ${wrong}`);
}

/** Null: neither unknown nor cyclic ones. */
function checkDependencies(stories: readonly Story[], ids: ReadonlySet<string>): string | null {
  for (const { id, dependsOn } of stories) {
    const unknown = dependsOn.find((one) => !ids.has(one));
    if (unknown !== undefined)
      return `"${shorten(id)}" depends on "${shorten(unknown)}", which is not among the stories`;
  }
  const cycle = findCycle(stories.map(({ id, dependsOn }) => ({ key: id, dependsOn })));
  return cycle && `stories wait for each other: ${cycle.map(shorten).join(' → ')}`;
}

function shorten(id: string): string {
  return id.slice(0, 40);
}

function refuse(error: string): ParsedStories {
  return { ok: false, error };
}

function readStory(entry: unknown, where: string): Story | string {
  if (!isRecord(entry)) return `${where} must be an object`;
  const { id, title, description, acceptanceCriteria, acceptance_criteria, dependsOn, depends_on, priority } = entry;
  if (!isText(id) || id.trim() === '') return `${where} needs a string "id"`;
  const named = `${where} (${shorten(id)})`;
  if (!isName.test(id.trim())) return `${named} needs an "id" of at most 60 letters, digits, ".", "_" and "-"`;
  if (!isText(title) || title.trim() === '') return `${named} needs a string "title"`;
  if (!isText(description)) return `${named} needs a string "description"`;
  const criteria = acceptanceCriteria ?? acceptance_criteria;
  if (!isTextList(criteria) || criteria.length === 0) {
    return `${named} needs "acceptanceCriteria", a non-empty array of strings`;
  }
  const listed = dependsOn ?? depends_on ?? [];
  if (!isTextList(listed)) return `${named} has a "depends_on" that is no array of strings`;
  const needed = listed.map((one) => one.trim());
  if (needed.includes(id.trim())) return `${named} depends on itself`;
  return {
    id: id.trim(),
    title: title.trim(),
    description: description.trim(),
    acceptanceCriteria: criteria,
    dependsOn: needed,
    complexity: readComplexity(entry['complexity']),
    parallelTags: countParallelTags([description, ...criteria], entry['tasks']),
    priority: typeof priority === 'number' && Number.isFinite(priority) ? priority : null,
  };
}

/** An id names files and branches. */
const isName = /^[A-Za-z0-9][\w.-]{0,59}$/;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= maxTextChars;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= maxListLength && value.every(isText);
}

const letters: ReadonlyMap<string, Complexity> = new Map([
  ['s', 'S'],
  ['m', 'M'],
  ['l', 'L'],
]);

/** Null: none of S, M, L. */
export function readComplexity(value: unknown): Complexity | null {
  return typeof value === 'string' ? (letters.get(value.trim().toLowerCase()) ?? null) : null;
}

/** `tasks` may be anything; only strings count. */
export function countParallelTags(texts: readonly string[], tasks: unknown): number {
  const listed: readonly unknown[] = Array.isArray(tasks) ? tasks : [];
  return [...texts, ...listed].reduce<number>(
    (sum, text) => (typeof text === 'string' ? sum + text.split('[P]').length - 1 : sum),
    0,
  );
}

interface Dependent {
  readonly key: string;
  readonly dependsOn: readonly string[];
}

/** From a key back to itself. Unknown keys block nothing. */
export function findCycle(items: readonly Dependent[]): readonly string[] | null {
  let waiting = items;
  let before: number;
  do {
    before = waiting.length;
    waiting = withoutFree(waiting);
  } while (waiting.length < before);
  const keys = keysOf(waiting);
  const next = new Map(waiting.map(({ key, dependsOn }) => [key, dependsOn.find((one) => keys.has(one))]));
  const path: string[] = [];
  let at = waiting[0]?.key;
  while (at !== undefined && !path.includes(at)) {
    path.push(at);
    at = next.get(at);
  }
  return at === undefined ? null : [...path.slice(path.indexOf(at)), at];
}

/** Repeated, it leaves only cycles and their dependents. */
function withoutFree(items: readonly Dependent[]): readonly Dependent[] {
  const keys = keysOf(items);
  return items.filter(({ dependsOn }) => dependsOn.some((one) => keys.has(one)));
}

function keysOf(items: readonly Dependent[]): ReadonlySet<string> {
  return new Set(items.map((item) => item.key));
}
