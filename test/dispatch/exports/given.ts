// Runs of other designs for tests of their files, put together by hand.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Attempt, Chain, Item, Node, NodeDef, Run, Workflow } from '../../../src/engine/index.js';
import type { AttemptRow, Spine, StoredRecord } from '../../../src/store/index.js';
import type { NodePatch } from '../../engine/builders.js';
import { aChain, aNode, anAttempt, aRun, workflow } from '../../store/values.js';

export const startedAt = Date.UTC(2026, 1, 3, 9, 5, 7);

export function minute(count: number): number {
  return startedAt + count * 60_000;
}

export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'bosun-exports-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function aDef(id: string, patch: NodePatch = {}): NodeDef {
  const node = {
    id,
    kind: 'task',
    title: id,
    role: null,
    prompt: null,
    reads: [],
    writes: [],
    expects: { status: null, keys: [], items: 'any', red: false },
    outputs: null,
    check: null,
    tests: null,
    timeoutMs: 300_000,
    maxAttempts: 1,
    abandons: 0,
    maxLoops: 3,
    rollback: false,
    mandatory: false,
    onPass: { type: 'next' },
    onFail: {},
    onStatus: {},
    decisionKey: null,
    onDecision: {},
    onExhausted: 'pause',
    onTimeout: 'pause',
    call: null,
    args: null,
    freshSession: true,
    editable: false,
    pinLast: false,
    afterAny: [],
    barrier: false,
    needs: null,
    when: null,
    gate: null,
    onAnswer: null,
    team: null,
    maxRestarts: 3,
    body: [],
    maxRejections: 2,
    over: 'items',
    parallel: 1,
    isolate: 'shared',
    stepTypes: [],
    onItemDone: null,
    insertBy: 'anyone',
    ...patch,
  };
  return node as NodeDef;
}

export function aGate(id: string, maxRetries: number | null): NodeDef {
  const onFail = { type: 'insert', fragment: 'fix', args: [], carry: {}, say: null } as const;
  const failWhen = { type: 'literal', value: true } as never;
  return aDef(id, {
    kind: 'decision',
    gate: { evidence: [], failWhen, maxRetries, onFail, onEscalate: null, say: null },
  });
}

/** A node of a definition, named `n<number>` and labelled `step-<number>`. */
export function nodeOf(def: NodeDef, number: number, patch: Partial<Node> = {}): Node {
  const label = `step-${String(number).padStart(3, '0')}`;
  return aNode(`n${number}`, { label, template: def.id, kind: def.kind, title: def.title, ...patch });
}

export interface Given {
  readonly spine: Spine;
  readonly chains: ReadonlyMap<string, Chain>;
  readonly chainOf: (key: string) => Chain | null;
}

export interface GivenParts {
  readonly run?: Partial<Run>;
  readonly workflow?: Partial<Workflow>;
  readonly items?: readonly Item[];
  readonly chains?: Readonly<Record<string, readonly Node[] | Partial<Chain>>>;
}

export function given(parts: GivenParts): Given {
  const run = aRun(12, { createdAt: startedAt, startedAt, context: {}, task: 'add carts', ...parts.run });
  const spine: Spine = {
    run,
    items: parts.items ?? [],
    interactions: [],
    workflow: { ...workflow, ...parts.workflow },
  };
  const chains = new Map(
    Object.entries(parts.chains ?? {}).map(([key, chain]) => [
      key,
      'length' in chain ? aChain(key, chain) : { ...aChain(key, []), ...chain },
    ]),
  );
  return { spine, chains, chainOf: (key) => chains.get(key) ?? null };
}

/** An attempt that came back after `from` and `to` minutes. */
export function settled(id: string, from: number, to: number, patch: Partial<Attempt> = {}): Attempt {
  return anAttempt(id, {
    state: 'settled',
    dispatchedAt: minute(from),
    startedAt: minute(from),
    endedAt: minute(to),
    outcome: 'pass',
    ...patch,
  });
}

export function live(id: string, from: number): Attempt {
  return anAttempt(id, { state: 'running', dispatchedAt: minute(from), startedAt: minute(from) });
}

export function rowOf(node: string, attempt: Attempt, chain = ''): AttemptRow {
  return { attempt, run: 'r12', chain, node, checkpoint: null };
}

export function recordOf(
  chain: string,
  at: number,
  action: StoredRecord['record']['action'],
  more: { readonly step?: string; readonly details?: StoredRecord['record']['details']; readonly by?: string } = {},
): StoredRecord {
  const step = more.step === undefined ? null : { label: more.step, template: 'any' };
  return {
    run: 'r12',
    chain,
    at: minute(at),
    by: more.by ?? null,
    record: { action, chain, step, details: more.details ?? {} },
  };
}
