// Can be imported again. A story passes once merged; unknown keys of an imported list survive.
import { z } from 'zod';
import { BosunError } from '../../base/index.js';
import type { Item } from '../../engine/index.js';
import type { Spine } from '../../store/index.js';

export interface PrdFile {
  readonly [key: string]: unknown;
  readonly userStories: readonly PrdStory[];
}

export interface PrdStory {
  readonly [key: string]: unknown;
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly acceptanceCriteria: readonly string[];
  readonly priority: number | null;
  readonly depends_on: readonly string[];
  readonly passes: boolean;
  readonly notes?: string;
}

export function prdFile({ run, items }: Pick<Spine, 'items'> & { readonly run: Pick<Spine['run'], 'prd'> }): PrdFile {
  return { ...run.prd, userStories: items.map(prdStory) };
}

function prdStory(item: Item): PrdStory {
  return {
    ...item.extra,
    id: item.key,
    title: item.title,
    description: item.description,
    acceptanceCriteria: item.criteria,
    priority: item.priority,
    depends_on: item.dependsOn,
    passes: item.status === 'done',
    ...(item.notes === undefined ? {} : { notes: item.notes }),
  };
}

const listSchema = z.array(z.record(z.string(), z.unknown()).refine(({ id }) => typeof id === 'string'));

/** Changes nothing but the marks in a person's own list. */
export function withPassing(text: string, items: readonly Item[]): { readonly text: string; readonly passing: number } {
  const data = jsonOf(text);
  const list = listSchema.safeParse(data);
  // zod would put known keys first.
  const holder = z.record(z.string(), z.unknown()).safeParse(data);
  const held = list.success ? list : listSchema.safeParse(holder.data?.['userStories']);
  if (!held.success) {
    throw new BosunError('bad_input', 'The file contains no list of stories', {
      hint: 'It must be an array of stories, or {"userStories": [...]}.',
    });
  }
  const done = new Set(items.filter(({ status }) => status === 'done').map(({ key }) => key));
  const marked = held.data.map((story) => (done.has(String(story['id'])) ? { ...story, passes: true } : story));
  const written = list.success ? marked : { ...holder.data, userStories: marked };
  const [, indent = ''] = /^[[{]\r?\n([ \t]+)\S/.exec(text.replace(/^\uFEFF/, '')) ?? [];
  return { text: `${JSON.stringify(written, null, indent)}\n`, passing: done.size };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
}
