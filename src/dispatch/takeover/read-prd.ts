import { z } from 'zod';
import { BosunError } from '../../base/index.js';
import { countParallelTags, didYouMean, findCycle, type NewItem, readComplexity } from '../../engine/index.js';

export const storyKey = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]{0,60}$/, 'an id is made of letters, digits, ".", "_" and "-"');
const text = z.string().max(20_000);

const story = z.looseObject({
  id: storyKey,
  title: text.min(1),
  description: text.default(''),
  acceptanceCriteria: z.array(text).max(200).optional(),
  acceptance_criteria: z.array(text).max(200).optional(),
  depends_on: z.array(storyKey).max(200).optional(),
  dependsOn: z.array(storyKey).max(200).optional(),
  blocked_by: z.array(storyKey).max(200).optional(),
  priority: z.number().nullish(),
  complexity: z.unknown().optional(),
  tasks: z.unknown().optional(),
  passes: z.boolean().default(false),
  notes: z
    .union([
      text,
      z
        .array(text)
        .max(200)
        .transform((lines) => lines.join('\n')),
    ])
    .nullish(),
});

const list = z.array(story).max(1_000);
// Chosen by shape: a union's error would only say that neither fits.
const holder = z.looseObject({ userStories: list }).transform((data) => data.userStories);

const keysWritten = [
  ...['id', 'title', 'description', 'acceptanceCriteria', 'acceptance_criteria', 'depends_on', 'dependsOn'],
  ...['blocked_by', 'priority', 'passes', 'notes'],
];
const maxKeptChars = 20_000;
const maxUnusedKeys = 10;
const maxNamedStories = 5;

/** Aliases of other tools, too far off for spelling suggestions. */
const meant: Readonly<Record<string, string>> = {
  dependencies: 'depends_on',
  needs: 'depends_on',
  requires: 'depends_on',
  criteria: 'acceptanceCriteria',
};

/** The error names the first bad story. Passing stories are done. */
export function readPrd(data: unknown): readonly NewItem[] {
  const parsed = (Array.isArray(data) ? list : holder).safeParse(data);
  if (!parsed.success) throw bad(describe(parsed.error));
  const stories = parsed.data;
  if (stories.length === 0) throw bad('it contains no stories');
  const keys = new Set<string>();
  for (const { id } of stories) {
    if (keys.has(id)) throw bad(`two stories have the id ${id}`);
    keys.add(id);
  }
  const items = stories
    .map((one, index) => ({ one, index }))
    .sort((a, b) => (a.one.priority ?? a.index) - (b.one.priority ?? b.index) || a.index - b.index)
    .map(({ one }) => asItem(one));
  const open = items.filter(({ isDone }) => !isDone);
  for (const item of open) {
    const unknown = item.dependsOn.find((id) => !keys.has(id));
    if (unknown) throw bad(`${item.key} depends on ${unknown}, which does not exist`);
  }
  const cycle = findCycle(open);
  if (cycle) throw bad(`stories depend on each other in a circle: ${cycle.join(' → ')}`);
  if (open.length === 0) throw bad('every story in it already passes');
  return items;
}

/** `project`, `branchName` …, which the export writes back. */
export function keysBesideStories(data: unknown): Readonly<Record<string, unknown>> | null {
  const parsed = holder.safeParse(data);
  if (Array.isArray(data) || !parsed.success) return null;
  return kept(z.looseObject({}).parse(data), ['userStories']);
}

/** Null: none, or too much to store. */
function kept(
  data: Readonly<Record<string, unknown>>,
  read: readonly string[],
): Readonly<Record<string, unknown>> | null {
  const rest = Object.fromEntries(Object.entries(data).filter(([key]) => !read.includes(key)));
  const isSmall = JSON.stringify(rest).length <= maxKeptChars;
  return Object.keys(rest).length > 0 && isSmall ? rest : null;
}

export function unusedKeys(data: unknown): readonly string[] {
  const parsed = (Array.isArray(data) ? list : holder).safeParse(data);
  if (!parsed.success) return [];
  const known = Object.keys(story.shape);
  const storiesOf = new Map<string, string[]>();
  for (const one of parsed.data) {
    for (const key of Object.keys(one)) {
      if (known.includes(key)) continue;
      const ids = storiesOf.get(key);
      if (ids === undefined) storiesOf.set(key, [one.id]);
      else ids.push(one.id);
    }
  }
  const said = [...storiesOf].map(([key, ids]) => {
    const hint = Object.hasOwn(meant, key) ? `; did you mean "${meant[key]}"?` : didYouMean(key, known);
    return `Not read: "${key.slice(0, 60)}" of ${firstOf(ids, maxNamedStories)}${hint}`;
  });
  const tooLarge = parsed.data.filter(
    (one) => JSON.stringify(one).length > maxKeptChars && kept(one, keysWritten) === null,
  );
  if (tooLarge.length > 0) {
    const ids = tooLarge.map(({ id }) => id);
    said.unshift(
      `Too large for the export (over ${maxKeptChars} characters): other keys of ${firstOf(ids, maxNamedStories)}`,
    );
  }
  const more = said.length - maxUnusedKeys;
  return more > 0 ? [...said.slice(0, maxUnusedKeys), `Not read: ${more} more keys`] : said;
}

function firstOf(ids: readonly string[], max: number): string {
  const more = ids.length - max;
  return more > 0 ? `${ids.slice(0, max).join(', ')} and ${more} more` : ids.join(', ');
}

function asItem(one: z.infer<typeof story>): NewItem {
  const extra = kept(one, keysWritten);
  const criteria = one.acceptanceCriteria ?? one.acceptance_criteria ?? [];
  return {
    key: one.id,
    title: one.title,
    description: one.description,
    criteria,
    dependsOn: one.depends_on ?? one.dependsOn ?? one.blocked_by ?? [],
    complexity: readComplexity(one.complexity),
    parallelTags: countParallelTags([one.description, ...criteria], one.tasks),
    priority: one.priority ?? null,
    ...(one.notes ? { notes: one.notes } : {}),
    ...(extra === null ? {} : { extra }),
    ...(one.passes ? { isDone: true } : {}),
  };
}

function describe(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue ? `${issue.path.join('.') || 'the list'}: ${issue.message}` : 'it is not a list of stories';
}

function bad(why: string): BosunError {
  return new BosunError('bad_input', `Cannot read the stories: ${why}`, {
    hint: 'Expected an array of {id, title, description, acceptanceCriteria, depends_on}, or {"userStories": [...]}.',
  });
}
