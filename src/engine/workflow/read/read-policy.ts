import type { JobDef, Limits, Policy } from '../definition.js';
import type { TreeEntry } from '../source/tree.js';
import { levels, timeoutWords } from '../vocabulary/vocabulary.js';
import { defaultLimits, defaultPolicy, defaultRestarts, type NodeDefaults, type WorkDefaults } from './defaults.js';
import { exhausted } from './read-route.js';
import {
  complain,
  count,
  durationMs,
  fields,
  flag,
  isNothing,
  named,
  type Read,
  type ReadState,
  take,
  word,
} from './value-readers.js';

type Found = ReadonlyMap<string, TreeEntry>;

interface WrittenPolicy {
  readonly policy: Policy;
  readonly onTimeout: JobDef['onTimeout'];
  readonly context: Readonly<Record<string, string>>;
}

/** The keys may stand at the top of the file, too. */
export function readPolicy(reading: ReadState, top: Found): WrittenPolicy {
  const inner = section(reading, top, 'policy');
  const read = <T>(key: string, reader: Read<T>, fallback: T): T =>
    take(reading, inner, key, reader, ['policy']) ?? fallback;
  const either = <T>(key: string, reader: Read<T>): T | undefined => {
    const again = inner.has(key) ? top.get(key) : undefined;
    if (again) complain(reading, again.at, `"${key}" is given twice: here and in "policy"`);
    return inner.has(key) ? take(reading, inner, key, reader, ['policy']) : take(reading, top, key, reader, []);
  };
  const quality = either('quality_mode', word(['full', 'standard', 'quick']));
  const reverify = either('reverify_after_review', flag);
  return {
    onTimeout: read('timeout', word(timeoutWords), 'abandon'),
    policy: {
      level: read<Policy['level']>('level', word(levels), defaultPolicy.level),
      onItemFailed: read('on_item_failed', word(['fail_run', 'continue']), defaultPolicy.onItemFailed),
      report: read<Policy['report']>(
        'report',
        word<'required' | 'optional'>(['required', 'optional']),
        defaultPolicy.report,
      ),
      afterStory: read<Policy['afterStory']>(
        'after_story',
        word<'propose' | 'start'>(['propose', 'start']),
        defaultPolicy.afterStory,
      ),
      pollMs: read('poll_ms', count(1000, 86_400_000), defaultPolicy.pollMs),
      stopAtDecisions: either('stop_at_decisions', word(['before', 'never'])) ?? defaultPolicy.stopAtDecisions,
      adoptLate: either('adopt_late', flag) ?? defaultPolicy.adoptLate,
      autoMode: either('auto_mode', flag) ?? defaultPolicy.autoMode,
      writes: read<Policy['writes']>('writes', word<Policy['writes']>(['check', 'warn']), defaultPolicy.writes),
    },
    context: {
      ...(quality === undefined ? {} : { quality_mode: quality }),
      ...(reverify === undefined ? {} : { reverify_after_review: String(reverify) }),
    },
  };
}

export function readLimits(reading: ReadState, top: Found): { limits: Limits; restarts: number } {
  const inner = section(reading, top, 'limits');
  const read = (key: string, most: number, fallback: number, least = 1) =>
    take(reading, inner, key, count(least, most), ['limits']) ?? fallback;
  const dispatches = read('dispatches', 100_000, defaultLimits.dispatches);
  return {
    restarts: read('restarts', 100, defaultRestarts, 0),
    limits: {
      items: read('items', 1000, defaultLimits.items),
      nodesPerItem: read('nodes_per_item', 1000, defaultLimits.nodesPerItem),
      dispatches,
      perItem: read('per_item', 10_000, defaultLimits.perItem),
      insertions: read('insertions', 100_000, dispatches),
      costUsd: take(reading, inner, 'cost', money, ['limits']) ?? defaultLimits.costUsd,
    },
  };
}

export function readDefaults(reading: ReadState, top: Found): Pick<NodeDefaults, 'timeoutMs' | 'editable' | 'work'> {
  const inner = section(reading, top, 'defaults');
  const read = <T>(key: string, reader: Read<T>): T | undefined => take(reading, inner, key, reader, ['defaults']);
  const general = take(reading, top, 'timeout', durationMs, []);
  const work: { -readonly [Key in keyof WorkDefaults]: WorkDefaults[Key] | undefined } = {
    maxAttempts: read('max_attempts', count(1, 100)),
    abandons: read('abandons', count(0, 100)),
    maxLoops: read('max_loops', count(0, 1000)),
    onExhausted: read('on_exhausted', exhausted),
    needs: read('needs', nothingNeeded),
  };
  return {
    timeoutMs: read('timeout', durationMs) ?? general,
    editable: read('editable', flag) ?? null,
    work: Object.fromEntries(Object.entries(work).filter(([, value]) => value !== undefined)),
  };
}

/** Only the empty list fits every node. */
const nothingNeeded: Read<readonly string[]> = (reading, value, path) => {
  if (value.type === 'list' && value.items.length === 0) return [];
  return complain(reading, value.at, `${named(path)} can only be []: write other needs on the node itself`);
};

const money: Read<number> = (reading, value, path) => {
  if (value.type === 'scalar' && typeof value.value === 'number' && value.value > 0 && value.value <= 1_000_000) {
    return value.value;
  }
  return complain(reading, value.at, `${named(path)} must be an amount in dollars above 0, such as 12.50`);
};

function section(reading: ReadState, top: Found, key: 'policy' | 'limits' | 'defaults'): Found {
  const entry = top.get(key);
  return entry && !isNothing(entry.value) ? fields(reading, entry.value, key, [key]) : new Map();
}
