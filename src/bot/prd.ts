// A list of stories from a file: an array, or an object that holds one.
import { z } from 'zod';
import { BosunError } from '../dispatch/index.js';
import type { NewItem } from '../engine/index.js';

const key = z.string().regex(/^[A-Za-z0-9][\w.-]{0,60}$/, 'an id is made of letters, digits, ".", "_" and "-"');
const text = z.string().max(20_000);

const story = z.looseObject({
  id: key,
  title: text.min(1),
  description: text.default(''),
  acceptanceCriteria: z.array(text).max(200).optional(),
  acceptance_criteria: z.array(text).max(200).optional(),
  depends_on: z.array(key).max(200).optional(),
  dependsOn: z.array(key).max(200).optional(),
  priority: z.number().optional(),
  passes: z.boolean().default(false),
});

const prd = z.union([z.array(story).max(1_000), z.looseObject({ userStories: z.array(story).max(1_000) })]);

/** All of them, or an error that says which one is wrong. Stories that pass already are left out. */
export function readPrd(data: unknown): readonly NewItem[] {
  const parsed = prd.safeParse(data);
  if (!parsed.success) throw bad(describe(parsed.error));
  const stories = Array.isArray(parsed.data) ? parsed.data : parsed.data.userStories;
  if (stories.length === 0) throw bad('it names no story');
  const keys = new Set<string>();
  for (const { id } of stories) {
    if (keys.has(id)) throw bad(`two stories have the id ${id}`);
    keys.add(id);
  }
  const done = new Set(stories.filter((one) => one.passes).map((one) => one.id));
  const items = stories
    .map((one, index) => ({ one, index }))
    .sort((a, b) => (a.one.priority ?? a.index) - (b.one.priority ?? b.index) || a.index - b.index)
    .filter(({ one }) => !one.passes)
    .map(
      ({ one }): NewItem => ({
        key: one.id,
        title: one.title,
        description: one.description,
        criteria: one.acceptanceCriteria ?? one.acceptance_criteria ?? [],
        dependsOn: (one.depends_on ?? one.dependsOn ?? []).filter((id) => !done.has(id)),
      }),
    );
  for (const item of items) {
    const unknown = item.dependsOn.find((id) => !keys.has(id));
    if (unknown) throw bad(`${item.key} depends on ${unknown}, which is not there`);
  }
  const cycle = findCycle(items);
  if (cycle) throw bad(`stories wait for each other: ${cycle.join(' → ')}`);
  if (items.length === 0) throw bad('every story in it passes already');
  return items;
}

function findCycle(items: readonly NewItem[]): readonly string[] | null {
  const dependsOn = new Map(items.map((item) => [item.key, item.dependsOn]));
  const clear = new Set<string>();
  const walk = (from: string, path: readonly string[]): readonly string[] | null => {
    if (path.includes(from)) return [...path.slice(path.indexOf(from)), from];
    if (clear.has(from)) return null;
    for (const next of dependsOn.get(from) ?? []) {
      const found = walk(next, [...path, from]);
      if (found) return found;
    }
    clear.add(from);
    return null;
  };
  for (const item of items) {
    const found = walk(item.key, []);
    if (found) return found;
  }
  return null;
}

function describe(error: z.ZodError): string {
  const [issue] = error.issues;
  return issue ? `${issue.path.join('.') || 'the whole'}: ${issue.message}` : 'it is not a list of stories';
}

function bad(why: string): BosunError {
  return new BosunError('bad_input', `The stories cannot be taken: ${why}`, {
    hint: 'It must be an array of {id, title, description, acceptanceCriteria, depends_on}, or {"userStories": [...]}.',
  });
}
