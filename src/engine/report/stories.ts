// The stories that a planner reports: all of them valid, or none and a sentence that says what is wrong.

export interface Story {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly acceptanceCriteria: readonly string[];
  readonly dependsOn: readonly string[];
}

export type ParsedStories =
  | { readonly ok: true; readonly stories: readonly Story[] }
  | { readonly ok: false; readonly error: string };

const MAX_TEXT_CHARS = 20_000;
const MAX_LIST_LENGTH = 200;

/** Reads the text after `STORIES_JSON:`. */
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
  return { ok: true, stories };
}

function refuse(error: string): ParsedStories {
  return { ok: false, error };
}

/** The story, or what is wrong with it. */
function readStory(entry: unknown, where: string): Story | string {
  if (!isRecord(entry)) return `${where} must be an object`;
  const { id, title, description, acceptanceCriteria, acceptance_criteria, dependsOn, depends_on } = entry;
  if (!isText(id) || id.trim() === '') return `${where} needs a string "id"`;
  const named = `${where} (${id.slice(0, 40)})`;
  if (!isText(title) || title.trim() === '') return `${named} needs a string "title"`;
  if (!isText(description)) return `${named} needs a string "description"`;
  const criteria = acceptanceCriteria ?? acceptance_criteria;
  if (!isTextList(criteria) || criteria.length === 0) {
    return `${named} needs "acceptanceCriteria", a non-empty array of strings`;
  }
  const needed = dependsOn ?? depends_on ?? [];
  if (!isTextList(needed)) return `${named} has a "depends_on" that is no array of strings`;
  if (needed.includes(id)) return `${named} depends on itself`;
  return {
    id: id.trim(),
    title: title.trim(),
    description: description.trim(),
    acceptanceCriteria: criteria,
    dependsOn: needed,
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT_CHARS;
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= MAX_LIST_LENGTH && value.every(isText);
}
