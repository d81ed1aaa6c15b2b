// Random edits of random chains: what is refused changes nothing, and what is taken comes out as a plain list says.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mutateChain } from '../../src/engine/chain/mutate.js';
import { type EditOp, type Envelope, innerNodes, type Node, type State } from '../../src/engine/index.js';
import { DecisionDraft } from '../../src/engine/model/draft/draft.js';
import { experimentSize } from '../size.js';
import { crash, failing, item, Player, pass, workflow } from './builders.js';
import { defsOf } from './chain-invariants.js';
import type { Picker } from './random-gates.js';
import { choices, randomOps } from './random-run.js';
import { makeLoop, makeSteps, pickerOf } from './random-workflow.js';

const key = 'US-1';

/** One story in the midst of its steps, some of which it may have changed already. */
function makeStory(pick: Picker): Player {
  const loop = makeLoop(pick, makeSteps(pick), 'items');
  const limits = { ...workflow([]).limits, nodesPerItem: pick(30, 30, 9), insertions: pick(100, 100, 2), perItem: 0 };
  const player = Player.start(workflow([loop], { limits }), { items: [item(key)] });
  for (let turn = pick(0, 1, 2, 3, 5, 8); turn > 0; turn--) settle(player, pass, pick(null, opsFor(player, pick)));
  return player;
}

function currentOf(player: Player): Node | null {
  if (player.run.ops.length > 0) player.worked();
  const [live] = player.run.live;
  return player.nodes(key).find((node) => node.id === live?.node) ?? null;
}

function opsFor(player: Player, pick: Picker): readonly EditOp[] {
  return randomOps(player.nodes(key), currentOf(player)?.label ?? '', pick);
}

function settle(player: Player, envelope: Envelope, ops: readonly EditOp[] | null): void {
  if (currentOf(player)) player.settle({ ...envelope, edits: ops && { ok: true, ops } });
}

/** A chain as people see it. */
interface Line {
  readonly label: string;
  readonly template: string;
  readonly description: string | null;
  readonly isPending: boolean;
  readonly isSkipped: boolean;
}

function lineOf({ label, template, description, state }: Node): Line {
  return {
    label,
    template,
    description,
    isPending: state === 'waiting' || state === 'ready',
    isSkipped: state === 'skipped',
  };
}

/** The same edits on a plain list; null where one of them may not be. */
class Plain {
  #lines: readonly Line[];
  #labels: number;
  #hasRestarted = false;
  readonly #defs: ReturnType<typeof defsOf>;
  readonly #types: ReadonlySet<string>;
  readonly #current: Node;

  constructor(player: Player, { chain }: State, current: Node) {
    this.#lines = chain.nodes.map(lineOf);
    this.#labels = chain.labels;
    this.#defs = defsOf(player);
    this.#current = current;
    const known = player.workflow.chain.flatMap(innerNodes);
    this.#types = new Set(known.filter((def) => def.insertBy === 'anyone' && !def.pinLast).map((def) => def.id));
  }

  take(ops: readonly EditOp[]): readonly Line[] | null {
    if (!this.#defs.get(this.#current.template)?.editable) return null;
    const isRestart = (op: EditOp) => op.operation === 'restart';
    const ordered = [...ops.filter((op) => !isRestart(op)), ...ops.filter(isRestart)];
    return ordered.every((op) => this.#takeOne(op)) ? this.#lines : null;
  }

  #takeOne(op: EditOp): boolean {
    if (op.operation === 'reorder') return this.#reorder(op.order);
    const at = this.#lines.findIndex((line) => line.label === op.target);
    const line = this.#lines[at];
    if (!line) return false;
    if (op.operation === 'restart') return this.#restart(line);
    const isOver = op.operation === 'add_after' ? this.#is(line, 'pinLast') : !line.isPending;
    const isKept = this.#is(line, 'mandatory') || this.#is(line, 'pinLast');
    const takesOut = op.operation === 'skip' || op.operation === 'split';
    if (isOver || (takesOut && isKept)) return false;
    if ('steps' in op && !op.steps.every(({ type }) => this.#types.has(type))) return false;
    this.#replace(at, this.#linesFor(line, op));
    return true;
  }

  #linesFor(line: Line, op: Exclude<EditOp, { operation: 'reorder' }>): readonly Line[] {
    if (op.operation === 'skip') return [{ ...line, isPending: false, isSkipped: true }];
    if (!('steps' in op)) return [{ ...line, description: op.description }];
    const added = op.steps.map(({ type, description }) => {
      this.#labels += 1;
      const label = `step-${String(this.#labels).padStart(3, '0')}`;
      return { label, template: type, description, isPending: true, isSkipped: false };
    });
    return op.operation === 'split' ? added : [line, ...added];
  }

  #replace(at: number, lines: readonly Line[]): void {
    this.#lines = [...this.#lines.slice(0, at), ...lines, ...this.#lines.slice(at + 1)];
  }

  #restart(line: Line): boolean {
    const isOwn = line.label === this.#current.label && !this.#hasRestarted;
    this.#hasRestarted = true;
    return isOwn && this.#current.restarts < (this.#defs.get(line.template)?.maxRestarts ?? 0);
  }

  #reorder(order: readonly string[]): boolean {
    const pending = this.#lines.filter((line) => line.isPending);
    const wanted = order.flatMap((label) => pending.filter((line) => line.label === label));
    const isSame =
      [...order].toSorted().join() ===
      pending
        .map((line) => line.label)
        .toSorted()
        .join();
    const last = pending.find((line) => this.#is(line, 'pinLast'));
    if (!isSame || (last && wanted.at(-1) !== last)) return false;
    if (this.#isMixedUp(wanted) && !this.#isMixedUp(pending)) return false;
    const rest = [...wanted];
    this.#lines = this.#lines.map((line) => (line.isPending ? (rest.shift() ?? line) : line));
    return true;
  }

  /** Code after the last check of it. */
  #isMixedUp(lines: readonly Line[]): boolean {
    const checks = lines.findLastIndex((line) => this.#defs.get(line.template)?.afterAny.includes('b1'));
    return checks >= 0 && lines.slice(checks).some((line) => line.template === 'b1');
  }

  #is(line: Line, what: 'mandatory' | 'pinLast'): boolean {
    return this.#defs.get(line.template)?.[what] ?? false;
  }
}

/** What is wanted, and whether there is room for it. */
function expectedOf(player: Player, state: State, current: Node, ops: readonly EditOp[]): readonly Line[] | null {
  const lines = new Plain(player, state, current).take(ops);
  const isGrown = ops.some((op) => 'steps' in op);
  const { run, workflow: flow } = player.state;
  const isFull = (lines?.length ?? 0) > flow.limits.nodesPerItem || run.counters.insertions >= run.insertionLimit;
  return isGrown && isFull ? null : lines;
}

const story = fc.tuple(
  fc.array(fc.nat(1_000), { minLength: 60, maxLength: 120, size: 'max' }),
  fc.nat(10_000),
  fc.nat(10_000),
);

const taken = { count: 0, refused: 0 };

describe('edits of a chain', { timeout: 60_000 * experimentSize }, () => {
  it('have the same result as on a plain list, or change nothing at all', () => {
    fc.assert(
      fc.property(story, ([numbers, one, other]) => {
        const player = makeStory(pickerOf(numbers));
        const current = currentOf(player);
        if (!current) return;
        const ops = opsFor(player, choices(one, other));
        const state = player.stateOf(key);
        const tx = new DecisionDraft(state, player.now);
        const edited = mutateChain(tx, { ops, current });
        const expected = expectedOf(player, state, current, ops);
        expect(edited.ok, JSON.stringify([ops, edited])).toBe(expected !== null);
        if (expected === null) {
          taken.refused += 1;
          expect([tx.chain, tx.run, tx.items, tx.effects]).toEqual([state.chain, state.run, state.items, []]);
          return;
        }
        taken.count += 1;
        expect(tx.chain.nodes.map(lineOf)).toEqual(expected);
        expect(
          tx.effects.filter((effect) => effect.type === 'record' && effect.record.action === 'workflow_edit'),
        ).toHaveLength(ops.length);
        const added = tx.chain.labels - state.chain.labels;
        expect(tx.run.counters.nodes - state.run.counters.nodes).toBe(added);
        expect(tx.run.counters.insertions - state.run.counters.insertions).toBe(Number(added > 0));
      }),
      { numRuns: 1_500 * experimentSize },
    );
    expect(taken.count, 'edits that were taken').toBeGreaterThan(100);
    expect(taken.refused, 'edits that were refused').toBeGreaterThan(100);
  });

  it('apply once, and only with a pass or a restart of the step that requested them', () => {
    fc.assert(
      fc.property(story, ([numbers, one, other]) => {
        const player = makeStory(pickerOf(numbers));
        const current = currentOf(player);
        if (!current) return;
        const pick = choices(one, other);
        const ops = opsFor(player, pick);
        const state = player.stateOf(key);
        const envelope = pick(pass, pass, failing, crash);
        const restart = ops.flatMap((op) => (op.operation === 'restart' ? [op] : []))[0];
        const counts = envelope === pass || (envelope === failing && restart);
        const expected = counts ? expectedOf(player, state, current, ops) : null;
        settle(player, envelope, ops);
        const named = ({ label, template, description }: Line) => `${label} ${template} ${description}`;
        const wanted = (expected ?? state.chain.nodes.map(lineOf)).map((line) =>
          expected && restart && line.label === current.label ? { ...line, description: restart.description } : line,
        );
        expect(player.nodes(key).map(lineOf).map(named)).toEqual(wanted.map(named));
        const before = player.world;
        const [event] = player.events.filter((each) => each.type === 'attempt_settled').slice(-1);
        if (event) player.do(event);
        expect(player.world.chains.get(key)).toEqual(before.chains.get(key));
      }),
      { numRuns: 1_000 * experimentSize },
    );
  });
});
