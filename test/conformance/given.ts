// What the conformance tables share: the shipped workflows with their real prompts, what an agent prints, and how a list
// of proofs, of proofs elsewhere and of what was left out is checked.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { itemOf, readDecided } from '../../bin/setup/count-proven.mjs';
import { attemptJob } from '../../src/dispatch/attempts/job-builder.js';
import { type Envelope, parseOutput, renderPrompt } from '../../src/engine/index.js';
import type { Store, StoredRecord } from '../../src/store/index.js';
import type { Spine } from '../../src/store/runs/run-types.js';
import { batchOf } from '../empty-batch.js';
import { envelope, nodesOf, type Player, type WholeNode } from '../engine/builders.js';
import { openStore } from '../open-store.js';
import designs from './items.json' with { type: 'json' };

export {
  flow,
  load,
  loaded,
  loadShipped,
  nodeOf,
  problemsOf,
  readShippedPrompt,
  warningsOf,
} from '../engine/workflow/support.js';

/** `items`: the numbers that the proof proves, apart by blanks. */
export type Row = readonly [items: string, claim: string, proof: () => void | Promise<void>];

/** A proof that stands in another file, by the title of its test. */
export interface Elsewhere {
  readonly item: string;
  readonly file: string;
  readonly title: string;
}

const root = join(import.meta.dirname, '../..');

export function prove(sections: Readonly<Record<string, readonly Row[]>>): void {
  describe.each(Object.entries(sections))('%s', (_name, rows) => {
    it.each(rows)('%s: %s', (_items, _claim, proof) => proof());
  });
}

/** Every item of a list is proved here or elsewhere or left out with a reason, and none that does not exist. */
export function proveWhole(
  sections: Readonly<Record<string, readonly Row[]>>,
  elsewhere: readonly Elsewhere[],
  leftOut: Readonly<Record<string, string>>,
  design: keyof typeof designs,
): void {
  const { count, added } = designs[design];
  const rows = elsewhere.map(({ item, file, title }) => [item, file, title] as const);
  it.each(rows)('%s is proved in %s by "%s"', (_item, file, title) => {
    const path = join(root, file);
    expect(existsSync(path), file).toBe(true);
    expect(readFileSync(path, 'utf8')).toContain(title);
  });

  it.each(Object.entries(leftOut))('%s is left out: %s', (item) => {
    expect([...readDecided(join(root, 'docs/decisions'))]).toContain(item);
  });

  it(`${design} is whole`, () => {
    const here = Object.values(sections).flatMap((rows) => rows.flatMap(([numbers]) => numbers.split(' ')));
    const proved = [...here, ...elsewhere.flatMap(({ item }) => item.split(' ')), ...Object.keys(leftOut)];
    const wanted = Array.from({ length: count + added.length }, (_, index) => itemOf(design, index + 1));
    expect(wanted.filter((item) => !proved.includes(item))).toEqual([]);
    expect(proved.filter((item) => !wanted.includes(item))).toEqual([]);
  });
}

/** What comes back from an agent that prints this, read as an executor reads it. */
export function printed(player: Player, text: string, patch: Partial<Envelope> = {}): Envelope {
  const { outputs } = liveDef(player);
  return envelope({ output: parseOutput(text, outputs && [...outputs, 'REASON']), ...patch });
}

/** What is live prints this and ends; where work on the checkout follows, it succeeds. */
export function says(player: Player, ...texts: readonly string[]): Player {
  for (const text of texts) player.walk(printed(player, text));
  return player;
}

export function liveDef(player: Player): WholeNode {
  const step = player.run.live[0]?.step;
  const found = nodesOf(player.workflow).find((def) => def.id === step);
  if (!found) throw new Error('nothing is live');
  return found;
}

/** The run as exports find it in the store. */
export function spineOf(player: Player): Spine {
  const { run, items, interactions, workflow } = player.state;
  return { run, items, interactions, workflow };
}

/** The prompt of what is live, with the settings that a project brings. */
export function promptOf(player: Player, more: Readonly<Record<string, string>> = {}): string {
  const [live] = player.run.live;
  if (!live) throw new Error('nothing is live');
  const { text, missing } = renderPrompt(player.stateOf(live.chain), live.node, { ...settings, ...more });
  expect(missing).toEqual([]);
  return text;
}

const settings = {
  progress_file: '/shop/.ai/runs/r12/progress.txt',
  'project.root': '/shop',
  'project.base': 'main',
  'project.check': 'npm run check',
  'project.lint': 'npm run lint',
  'project.tests': 'npm test',
};

/** What is live is taken by a worker. */
export function claims(player: Player): Player {
  const [live] = player.run.live;
  if (!live) throw new Error('nothing is live');
  return player.do({ type: 'attempt_started', chain: live.chain, attempt: live.attempt, worker: 'w1' });
}

/** A database that holds the run, as the service finds it after a restart. */
export function storeOf(player: Player, records: readonly StoredRecord[] = []): Store {
  const folder = mkdtempSync(join(tmpdir(), 'bosun-conformance-'));
  const store = openStore(join(folder, 'bosun.db'));
  onTestFinished(() => {
    store.close();
    rmSync(folder, { recursive: true });
  });
  const states = [...player.world.chains.values()].map((chain) => ({
    before: null,
    after: { ...player.state, chain },
  }));
  const snapshots = [{ hash: player.run.snapshot, workflow: player.workflow }];
  store.commit(batchOf({ events: player.events, states, snapshots, records }));
  return store;
}

/** The job of what is live, as it would be in a run of that name. */
export function jobOf(player: Player, run = 'r12') {
  const [live] = player.run.live;
  if (!live) throw new Error('nothing is live');
  const state = player.stateOf(live.chain);
  const project = { name: 'shop', root: '/shop', git: { base: 'main' }, tests: null, check: null, lint: null };
  const config = { projects: [{ ...project, executor: null, fallbacks: [] }], executors: {} } as never;
  const parts = { config, secret: 's', worktrees: '/w', url: '' };
  return attemptJob({ ...state, run: { ...state.run, id: run } }, live.node, live.attempt, parts);
}
