// A run's state after any event, by rerunning decisions without effects.
import { setImmediate as breathe } from 'node:timers/promises';
import { BosunError } from '../../../base/index.js';
import { apply, type Event, emptyWorld, type Workflow, type World } from '../../../engine/index.js';
import type { HistoryReader, HomeReader } from '../../../store/index.js';

export const maxReplayed = 20_000;
const atOnce = 100;
const maxKept = 8;

interface Kept {
  readonly seq: number;
  readonly count: number;
  readonly world: World;
}

/** The next replay often continues there. */
const kept = new Map<string, Kept>();

export interface Replayed {
  readonly world: World;
  readonly count: number;
}

interface Wanted {
  readonly reader: HistoryReader & Pick<HomeReader, 'homeId' | 'path'>;
  readonly run: string;
  readonly workflow: Workflow;
  /** Stops after these … */
  readonly count: number;
  /** … or after the first match. */
  readonly until?: (world: World, event: Event) => boolean;
}

export async function replayed({ reader, run, workflow, count, until }: Wanted): Promise<Replayed> {
  const key = `${reader.homeId} ${reader.path} ${run}`;
  const before = until ? undefined : kept.get(key);
  let at: Kept = before !== undefined && before.count <= count ? before : { seq: 0, count: 0, world: emptyWorld };
  if (count - at.count > maxReplayed) throw tooLong(run);
  while (at.count < count) {
    const page = reader.events(run, at.seq, Math.min(atOnce, count - at.count));
    if (page.length === 0) break;
    for (const { seq, event } of page) {
      at = { seq, count: at.count + 1, world: after(at.world, event, workflow, seq) };
      if (until?.(at.world, event)) return at;
    }
    // Lets other requests run.
    await breathe();
  }
  if (until === undefined) keep(key, at);
  return at;
}

function after(world: World, event: Event, workflow: Workflow, seq: number): World {
  try {
    return apply(world, event, workflow).world;
  } catch (cause) {
    throw new BosunError('bad_database', `Event ${seq} (${event.type}) of ${event.run} cannot be replayed`, {
      hint: 'Another version of Bosun made it, or the history was changed: run "bosun verify".',
      cause,
    });
  }
}

function keep(key: string, at: Kept): void {
  kept.delete(key);
  const oldest = kept.size < maxKept ? undefined : kept.keys().next().value;
  if (oldest !== undefined) kept.delete(oldest);
  kept.set(key, at);
}

function tooLong(run: string): BosunError {
  return new BosunError('limit', `${run} has more events than can be replayed here: at most ${maxReplayed}`, {
    hint: 'Choose an earlier event, or read the list of events.',
  });
}
