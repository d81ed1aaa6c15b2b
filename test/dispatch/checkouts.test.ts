// Work on a checkout waits for the agents that were killed in it, and for no others.
import { expect, test } from 'vitest';
import { Checkouts, type CheckoutsParts } from '../../src/dispatch/checkouts.js';
import type { WorkspaceOp } from '../../src/engine/index.js';

/** How often was looked for killed agents before the work was done. */
async function looksBefore(op: WorkspaceOp, open: { readonly run: string; readonly chain: string }): Promise<number> {
  let looks = 0;
  const store = {
    run: () => null,
    openAttempts: () => {
      looks += 1;
      return looks < 4 ? [open] : [];
    },
  };
  const parts: unknown = {
    store,
    cache: {},
    config: () => ({ projects: [] }),
    worktrees: '/worktrees',
    keep: () => Promise.resolve({ ignored: [], replies: [], messages: [], exit: 0 }),
    onRest: () => undefined,
    log: () => undefined,
  };
  const checkouts = new Checkouts(parts as CheckoutsParts);
  checkouts.perform('r1', op);
  await checkouts.drain();
  return looks;
}

const drop = { id: 'r1-op3', kind: 'drop', chain: 'A', slot: 1 } as const;
const restore = { id: 'r1-op4', kind: 'restore', stash: 's' } as const;
const merge = { id: 'r1-op5', kind: 'merge', chain: 'A', message: 'A' } as const;

test.each([
  ['a worktree is dropped after the agent in it is gone', drop, { run: 'r1', chain: 'A' }, 4],
  ['it waits for no agent of another story', drop, { run: 'r1', chain: 'B' }, 1],
  ['it waits for no agent of another run', drop, { run: 'r2', chain: 'A' }, 1],
  ['what a person put aside comes back when all agents of the run are gone', restore, { run: 'r1', chain: 'B' }, 4],
  ['a merge comes after its agents anyway', merge, { run: 'r1', chain: 'A' }, 0],
] as const)('%s', async (_title, op, open, expected) => {
  expect(await looksBefore(op, open)).toBe(expected);
});
