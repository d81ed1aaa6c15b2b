// Work on a checkout waits for the agents that were killed in it, and for no others. Files for other tools are written
// once for all commits that come meanwhile.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Checkouts, type CheckoutsParts } from '../../src/dispatch/checkouts/checkout-queue.js';
import type { Event, WorkspaceOp } from '../../src/engine/index.js';
import { anItem } from '../store/values.js';
import { given, tempFolder } from './exports/given.js';

/** The looks for killed agents before the work was done, while they find an attempt `forLooks` times; and what came of it. */
async function perform(
  op: WorkspaceOp,
  open: { readonly run: string; readonly chain: string },
  forLooks = 3,
): Promise<{ looks: number; result: unknown }> {
  let looks = 0;
  let result: unknown = null;
  const store = {
    run: (id: string) => ({ id, project: id === 'r9' ? 'other' : 'shop' }),
    openAttempts: () => {
      looks += 1;
      return looks <= forLooks ? [open] : [];
    },
  };
  const parts: unknown = {
    store,
    cache: {},
    config: () => ({ projects: [] }),
    worktrees: '/worktrees',
    keep: (work: (now: { at: number }) => { events: readonly Event[] }) => {
      const [event] = work({ at: 1 }).events;
      if (event?.type === 'workspace_done') result = event.result;
      return Promise.resolve({ ignored: [], replies: [], messages: [], exit: 0 });
    },
    onRest: () => undefined,
    log: () => undefined,
  };
  const checkouts = new Checkouts(parts as CheckoutsParts, 200);
  checkouts.perform('r1', op);
  await checkouts.drain();
  return { looks, result };
}

const prepare = { id: 'r1-op1', kind: 'prepare', stash: false } as const;
const drop = { id: 'r1-op3', kind: 'drop', chain: 'A', slot: 1 } as const;
const restore = { id: 'r1-op4', kind: 'restore', stash: 's' } as const;
const merge = { id: 'r1-op5', kind: 'merge', chain: 'A', message: 'A' } as const;

test.each([
  ['a worktree is dropped after the agent in it is gone', drop, { run: 'r1', chain: 'A' }, 4],
  ['it waits for no agent of another story', drop, { run: 'r1', chain: 'B' }, 1],
  ['it waits for no agent of another run', drop, { run: 'r2', chain: 'A' }, 1],
  ['what a person put aside comes back when all agents of the run are gone', restore, { run: 'r1', chain: 'B' }, 4],
  [
    'a run waits for a killed agent of an earlier run before it takes the checkout',
    prepare,
    { run: 'r2', chain: '' },
    4,
  ],
  ['it waits for no agent of another project', prepare, { run: 'r9', chain: '' }, 1],
  ['a merge comes after its agents anyway', merge, { run: 'r1', chain: 'A' }, 0],
] as const)('%s', async (_title, op, open, expected) => {
  expect((await perform(op, open)).looks).toBe(expected);
});

test('a run does not take the checkout while an agent of an earlier run does not end', async () => {
  const { result } = await perform(prepare, { run: 'r2', chain: '' }, Number.POSITIVE_INFINITY);
  expect(result).toMatchObject({
    ok: false,
    message: expect.stringContaining('An agent of r2 is still working in this project'),
  });
});

/** A project with runs whose current story says how often they were changed. */
function exporting() {
  const root = tempFolder();
  const changes = new Map<string, number>();
  const logged: string[] = [];
  const exported: string[] = [];
  let whileExporting = (): void => undefined;
  let isAsked = false;
  const spine = (run: string) => {
    if (!isAsked) {
      exported.push(run);
      whileExporting();
      if (run === 'r9') throw new Error('no room');
    }
    return given({ run: { id: run }, items: [anItem(`${run}-${changes.get(run)}`, 0)] }).spine;
  };
  const parts: unknown = {
    store: { activeRuns: () => [] },
    cache: { spine, chain: () => null },
    config: () => ({ projects: [{ name: 'shop', root }] }),
    home: { dir: tempFolder() },
    onRest: () => undefined,
    log: (line: string) => logged.push(line),
  };
  const checkouts = new Checkouts(parts as CheckoutsParts);
  return {
    checkouts,
    exported,
    logged,
    change(run: string, times = 1) {
      isAsked = true;
      for (let left = times; left > 0; left--) {
        changes.set(run, (changes.get(run) ?? 0) + 1);
        checkouts.export(run, ['']);
      }
      isAsked = false;
    },
    onceWhileExporting(act: () => void) {
      whileExporting = () => {
        whileExporting = () => undefined;
        act();
      };
    },
    story: (): unknown => JSON.parse(readFileSync(join(root, '.ai', 'STATE.json'), 'utf8')).story,
  };
}

test('commits that arrive during an export share the next export, which writes the last state', async () => {
  const { checkouts, exported, change, onceWhileExporting, story } = exporting();
  onceWhileExporting(() => change('r1', 50));
  change('r1', 50);
  expect(checkouts.isBusy('shop')).toBe(true);
  await checkouts.drain();
  expect(exported).toEqual(['r1', 'r1']);
  expect(story()).toBe('r1-100');
  expect(checkouts.isBusy('shop')).toBe(false);
  change('r1');
  await checkouts.drain();
  expect(story()).toBe('r1-101');
});

test('runs of one project are exported in order of their last change, even if one of them fails', async () => {
  const { checkouts, exported, logged, change, story } = exporting();
  for (const run of ['r1', 'r9', 'r2', 'r1']) change(run);
  await checkouts.drain();
  expect(exported).toEqual(['r9', 'r2', 'r1']);
  expect(story()).toBe('r1-2');
  expect(logged).toEqual([expect.stringMatching(/^export .*: Error: no room$/)]);
});
