// The stories of a run as a list that can be imported again: what is done passes, and not before it is merged.
import type { Item } from '../../engine/index.js';

export interface PrdFile {
  readonly userStories: readonly PrdStory[];
}

export interface PrdStory {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly acceptanceCriteria: readonly string[];
  readonly priority: number | null;
  readonly depends_on: readonly string[];
  readonly passes: boolean;
}

export function prdFile(items: readonly Item[]): PrdFile {
  return {
    userStories: items.map((item) => ({
      id: item.key,
      title: item.title,
      description: item.description,
      acceptanceCriteria: item.criteria,
      priority: item.priority,
      depends_on: item.dependsOn,
      passes: item.status === 'done',
    })),
  };
}
