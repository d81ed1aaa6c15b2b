// Simulates all operations on a copy, then applies all or none.

import { type DecisionDraft, findDef } from '../model/draft/draft.js';
import type { Item, Node } from '../model/model.js';
import type { EditOp, NewStep } from '../report/envelope.js';
import type { NodeDef, Workflow } from '../workflow/definition.js';
import { whyInvalidCall } from '../workflow/index.js';
import { hasBody, innerNodes, isEditable, runsJob } from '../workflow/node-kinds.js';
import { newNode } from './chain.js';

interface Edit {
  readonly ops: readonly EditOp[];
  readonly current: Node;
}

type Edited =
  | {
      readonly ok: true;
      readonly restart: { readonly reason: string; readonly description: string } | null;
      /** The last node inserted work before itself, so it runs again. */
      readonly isBeforeLast: boolean;
    }
  | { readonly ok: false; readonly error: string; readonly isRestartLimit: boolean };

export function mutateChain(tx: DecisionDraft, edit: Edit): Edited {
  const draft = new Draft(tx, edit);
  const refusal = draft.whyNot();
  if (refusal !== null) return refused(refusal, false);
  for (const op of [...edit.ops.filter(isNoRestart), ...edit.ops.filter(isRestart)]) {
    const error = draft.take(op);
    const position = `operation ${edit.ops.indexOf(op) + 1} (${op.operation})`;
    if (error !== null) return refused(`${position}: ${error}`, draft.isRestartLimit);
  }
  const worn = draft.whyTooMany();
  if (worn !== null) return refused(worn, false);
  draft.apply();
  return { ok: true, restart: draft.restart, isBeforeLast: draft.isBeforeLast };
}

export function stepTypes(workflow: Workflow, item: Item | null): readonly NodeDef[] {
  const loop = item && findDef(workflow, item.template);
  const known = loop ? innerNodes(loop) : workflow.chain;
  return known.filter((def) => def.insertBy === 'anyone' && !hasBody(def) && !def.pinLast);
}

function refused(error: string, isRestartLimit: boolean): Edited {
  return { ok: false, error, isRestartLimit };
}

const isRestart = (op: EditOp) => op.operation === 'restart';
const isNoRestart = (op: EditOp) => !isRestart(op);

interface Change {
  readonly op: EditOp;
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly added: readonly Node[];
  readonly oldDescription: string | null;
  readonly warning: string | null;
}

class Draft {
  restart: { readonly reason: string; readonly description: string } | null = null;
  isRestartLimit = false;
  readonly #step: DecisionDraft;
  readonly #edit: Edit;
  #nodes: readonly Node[];
  #added = 0;
  readonly #skipped = new Map<string, string>();
  readonly #history: Change[] = [];

  constructor(tx: DecisionDraft, edit: Edit) {
    this.#step = tx;
    this.#edit = edit;
    this.#nodes = tx.chain.nodes;
  }

  whyNot(): string | null {
    const { current } = this.#edit;
    return isEditable(this.#def(current)) ? null : `${current.template} may not edit the workflow`;
  }

  take(op: EditOp): string | null {
    const before = this.#nodes;
    const oldDescription = 'description' in op ? this.#describe(op.target) : null;
    const error = this.#simulate(op);
    if (error !== null) return error;
    const added = this.#nodes.filter((node) => !before.some((old) => old.id === node.id));
    const warning = this.#guardBefore(before) === null ? this.#guardBefore(this.#nodes) : null;
    this.#history.push({ op, before: labels(before), after: labels(this.#nodes), added, oldDescription, warning });
    return null;
  }

  get isBeforeLast(): boolean {
    return this.#def(this.#edit.current).pinLast && this.#added > 0;
  }

  whyTooMany(): string | null {
    const { run, workflow } = this.#step;
    const most = workflow.limits.nodesPerItem;
    if (this.#added > 0 && this.#nodes.length > most) {
      return `it would make ${this.#nodes.length} steps; at most ${most} are allowed`;
    }
    const isWorn = this.#added > 0 && run.counters.insertions >= run.insertionLimit;
    return isWorn ? `the run's ${run.insertionLimit} insertions are used up` : null;
  }

  apply(): void {
    const tx = this.#step;
    const { counters } = tx.run;
    tx.setChain({ nodes: this.#nodes, labels: tx.chain.labels + this.#added });
    for (const [id, reason] of this.#skipped) tx.moveNode(id, 'skipped', { skipReason: { type: 'edit', reason } });
    const insertions = counters.insertions + (this.#added > 0 ? 1 : 0);
    tx.setRun({ counters: { ...counters, nodes: counters.nodes + this.#added, insertions } });
    for (const change of this.#history) this.#keep(change);
  }

  #keep({ op, before, after, added, oldDescription, warning }: Change): void {
    const { operation, reason } = op;
    const steps = added.map((node) => ({ id: node.label, type: node.template, description: node.description }));
    this.#step.record('workflow_edit', this.#edit.current, {
      operation,
      target_step_id: 'target' in op ? op.target : null,
      reason,
      ...('description' in op ? { new_description: op.description, old_description: oldDescription } : {}),
      ...(steps.length > 0 ? { new_steps: steps } : {}),
      before,
      after,
      ...(warning === null ? {} : { warning }),
    });
  }

  #describe(label: string): string | null {
    const node = this.#nodes.find((one) => one.label === label);
    return node ? (node.description ?? node.title) : null;
  }

  #simulate(op: EditOp): string | null {
    switch (op.operation) {
      case 'add_after':
        return this.#addAfter(op.target, op.steps);
      case 'split':
        return this.#split(op.target, op.steps);
      case 'skip':
        return this.#skip(op.target, op.reason);
      case 'reorder':
        return this.#reorder(op.order);
      case 'edit_description':
        return this.#describeAnew(op.target, op.description);
      case 'restart':
        return this.#restartCurrent(op);
    }
  }

  #addAfter(target: string, steps: readonly NewStep[]): string | null {
    const at = this.#find(target);
    if (typeof at === 'string') return at;
    if (this.#def(at).pinLast) return `nothing may come after ${at.template}`;
    const made = this.#make(steps);
    if (typeof made === 'string') return made;
    const index = this.#nodes.indexOf(at) + 1;
    this.#nodes = [...this.#nodes.slice(0, index), ...made, ...this.#nodes.slice(index)];
    return null;
  }

  #split(target: string, steps: readonly NewStep[]): string | null {
    const at = this.#pending(target, 'split');
    if (typeof at === 'string') return at;
    if (this.#isKept(at)) return `${at.template} is mandatory and may not be split`;
    const made = this.#make(steps);
    if (typeof made === 'string') return made;
    this.#nodes = this.#nodes.flatMap((node) => (node === at ? made : [node]));
    return null;
  }

  #skip(target: string, reason: string): string | null {
    const at = this.#pending(target, 'skipped');
    if (typeof at === 'string') return at;
    if (this.#isKept(at)) return `${at.template} is mandatory and may not be skipped`;
    this.#skipped.set(at.id, reason);
    return null;
  }

  #reorder(order: readonly string[]): string | null {
    const pending = this.#nodes.filter((node) => this.#isPending(node));
    const listed = order.map((label) => pending.find((node) => node.label === label));
    const known = listed.filter((node) => node !== undefined);
    const isExact =
      known.length === order.length && new Set(known).size === pending.length && order.length === pending.length;
    if (!isExact) return `new_order must name each step that is not begun once: ${labels(pending).join(', ')}`;
    const last = pending.find((node) => this.#def(node).pinLast);
    if (last && known.at(-1) !== last) return `${last.template} must stay last`;
    const guard = this.#guardBefore(known);
    if (guard !== null && this.#guardBefore(pending) === null) return guard;
    const places = pending.map((node) => this.#nodes.indexOf(node));
    this.#nodes = this.#nodes.map((node, index) => known[places.indexOf(index)] ?? node);
    return null;
  }

  /** A guard must follow the last step that it guards; else returns the error. */
  #guardBefore(list: readonly Node[]): string | null {
    for (const guarded of new Set(list.flatMap((node) => this.#def(node).afterAny))) {
      const lastGuarded = list.findLastIndex((node) => node.template === guarded);
      const lastGuard = list.findLastIndex((node) => this.#def(node).afterAny.includes(guarded));
      const guard = list[lastGuard];
      if (guard && lastGuarded > lastGuard) return `${guard.template} must come after ${guarded}`;
    }
    return null;
  }

  #describeAnew(target: string, description: string): string | null {
    const at = this.#pending(target, 'described anew');
    if (typeof at === 'string') return at;
    this.#replace(at, { ...at, description });
    return null;
  }

  #restartCurrent({
    target,
    reason,
    description,
  }: Extract<EditOp, { operation: 'edit_description' | 'restart' }>): string | null {
    const { current } = this.#edit;
    if (current.label !== target) return `only the step that runs may restart, and that is ${current.label}`;
    if (this.restart) return 'a step restarts once at a time';
    const most = this.#step.job(current).maxRestarts;
    if (current.restarts >= most) {
      this.isRestartLimit = true;
      return `${current.label} was restarted ${most} times already`;
    }
    this.restart = { reason, description };
    return null;
  }

  #make(steps: readonly NewStep[]): readonly Node[] | string {
    const made: Node[] = [];
    for (const { type, description } of steps) {
      const def = this.#stepType(type);
      if (typeof def === 'string') return def;
      this.#added += 1;
      const node = newNode(def, this.#step.run.counters.nodes + this.#added, this.#step.chain.labels + this.#added);
      made.push({ ...node, description, insertedBy: this.#edit.current.id });
    }
    return made;
  }

  #stepType(type: string): NodeDef | string {
    const { item, workflow } = this.#step;
    const known = stepTypes(workflow, item);
    const found = known.find((def) => def.id === type);
    const wrong = found ? null : this.#wrongCall(type, known);
    if (wrong !== null) return wrong;
    return found ?? `there is no step type "${type}" to add; there are ${known.map((def) => def.id).join(', ')}`;
  }

  /** Accepts a skill call (`$maestro-verify 1`) as a step type. */
  #wrongCall(type: string, known: readonly NodeDef[]): string | null {
    const [, name = '', args = ''] = /^\$?(\S*)(?:\s+([\s\S]*))?$/.exec(type) ?? [];
    if (!type.startsWith('$') && args === '') return null;
    const named = known.find((one) => runsJob(one) && one.call === name);
    const why = whyInvalidCall(name, args) ?? (named ? null : `Unknown skill "${name.slice(0, 60)}"`);
    return why ?? `name the step and not its call: "type": "${named?.id}"`;
  }

  #pending(label: string, what: string): Node | string {
    const node = this.#find(label);
    if (typeof node === 'string' || this.#isPending(node)) return node;
    const hint = node.id === this.#edit.current.id ? '; use restart' : '';
    return `${label} is ${this.#skipped.has(node.id) ? 'skipped' : node.state} and cannot be ${what}${hint}`;
  }

  #find(label: string): Node | string {
    const known = this.#nodes.find((node) => node.label === label);
    return known ?? `there is no step "${label}"; there are ${labels(this.#nodes).join(', ')}`;
  }

  #isPending(node: Node): boolean {
    return (node.state === 'waiting' || node.state === 'ready') && !this.#skipped.has(node.id);
  }

  /** No edit may remove guards, decisions of people and gates, or whole stories. */
  #isKept(node: Node): boolean {
    const def = this.#def(node);
    return def.mandatory || def.pinLast || !runsJob(def);
  }

  #def(node: Node): NodeDef {
    return this.#step.def(node);
  }

  #replace(old: Node, node: Node): void {
    this.#nodes = this.#nodes.map((one) => (one === old ? node : one));
  }
}

function labels(nodes: readonly Node[]): readonly string[] {
  return nodes.map((node) => node.label);
}
