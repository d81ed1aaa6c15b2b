// Compares measured changes with the files that the step may write.

import { checkoutOf } from '../model/draft/checkout-use.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { Attempt, Node } from '../model/model.js';
import { templateValues } from '../prompts/prompt.js';
import type { Envelope } from '../report/envelope.js';
import { matcher } from '../text/globs.js';
import { fill, type Values } from '../text/template.js';
import type { JobDef, Team } from '../workflow/definition.js';
import { runsAgent } from '../workflow/node-kinds.js';

export interface Scope {
  /** Null: any file. */
  readonly globs: readonly string[] | null;
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** Globs of steps in the same checkout at the same time. */
  readonly others: readonly string[];
  /** False: warns only, because another step may have written the file. */
  readonly fails: boolean;
}

interface OutOfScope {
  readonly text: string;
  readonly fails: boolean;
}

export function scopeOf(tx: DecisionDraft, node: Node, live: Attempt): Scope {
  const def = tx.job(node);
  const values = templateValues(tx.state, node);
  const beside = besideIt(tx, node, live).map((one) => mayWrite(tx, tx.job(one), values));
  return {
    globs: mayWrite(tx, def, values),
    roles: rolesOf(def, values),
    others: beside.flatMap((globs) => globs ?? []),
    fails: tx.workflow.policy.writes === 'check' && !beside.includes(null),
  };
}

export function outOfScope(envelope: Envelope, scope: Scope): OutOfScope | null {
  const { strays = [], touchedRules = [] } = envelope;
  if (touchedRules.length > 0) return { text: touchedText(touchedRules), fails: true };
  if (strays.length > 0) {
    return { text: `Links were left that lead out of the checkout: ${listed(strays)}. Remove them.`, fails: true };
  }
  const outside = [...new Set([...outsideOf(envelope, scope), ...outsideRoles(envelope, scope)])];
  if (outside.length === 0) return null;
  const meant = [...new Set([...(scope.globs ?? []), ...Object.values(scope.roles).flat()])];
  const may = meant.length === 0 ? 'It may write none' : `It may write ${listed(meant)}`;
  const text = `Files were changed that this step is not meant to write: ${listed(outside)}. ${may}. Undo what does not belong here.`;
  return { text, fails: scope.fails };
}

/** A person may have edited the rules meanwhile. */
function touchedText(files: readonly string[]): string {
  return `Rules that this project's work is judged by changed while the step was at work: ${listed(files)}. A step must not change them: put them back as they were. If a person changed them, an owner accepts them ("bosun rules accept PROJECT"), and the step is tried again.`;
}

/** Null: any file, or a placeholder is unfilled. */
function mayWrite({ workflow }: DecisionDraft, def: JobDef, values: Values): readonly string[] | null {
  const { role, writes } = def;
  const isReader = role !== null && workflow.roles[role]?.access === 'read';
  const members = Object.values(teamRoles(def));
  if (members.some((member) => member.writes.length === 0)) return null;
  const all = [...writes, ...members.flatMap((member) => member.writes)];
  return all.length > 0 ? filled(all, values) : isReader ? [] : null;
}

function teamRoles(def: JobDef): Team['roles'] {
  return (runsAgent(def) && def.team?.roles) || {};
}

function rolesOf(def: JobDef, values: Values): Scope['roles'] {
  const own = Object.entries(teamRoles(def)).map(([name, { writes }]) => [name, filled(writes, values) ?? []] as const);
  return Object.fromEntries(own.filter(([, globs]) => globs.length > 0));
}

function filled(globs: readonly string[], values: Values): readonly string[] | null {
  const all = globs.map((glob) => fill(glob, values));
  return all.some(({ missing }) => missing.length > 0) ? null : all.map(({ text }) => text);
}

/** Includes steps that only may have run at the same time. */
function besideIt(tx: DecisionDraft, node: Node, live: Attempt): readonly Node[] {
  if (checkoutOf(tx, tx.chain.key) !== '') return [];
  const own = tx.def(node);
  const { nodes } = tx.chain;
  const isFirst = node.firstAttempt === live.id;
  return nodes.filter((other, index) => {
    const isLater = index > nodes.findIndex((one) => one.id === node.id);
    // The later neighbour's `needs` allow it beside the earlier one.
    const later = isLater ? tx.def(other) : own;
    if (other.id === node.id || later.needs === null) return false;
    if (other.live !== null || other.last === null) return other.live !== null;
    return !isFirst || Number(other.last.endedAt) > live.dispatchedAt;
  });
}

function outsideOf(envelope: Envelope, { globs, others }: Scope): readonly string[] {
  if (globs === null) return [];
  const isMeant = meant([...ownFiles, ...globs, ...others]);
  return measured(envelope).filter((file) => !isMeant(file));
}

/** Members run in parallel, so only their reports tell them apart. */
function outsideRoles(envelope: Envelope, { roles }: Scope): readonly string[] {
  const changed = new Set(measured(envelope));
  return envelope.team.flatMap(({ role, filesChanged }) => {
    const globs = Object.hasOwn(roles, role) ? roles[role] : undefined;
    if (globs === undefined) return [];
    const reported = filesChanged.map((file) => file.replace(/^(\.\/)+/, '')).filter((file) => changed.has(file));
    const isMeant = meant([...ownFiles, ...globs]);
    return reported.filter((file) => !isMeant(file)).map((file) => `${file} (${role})`);
  });
}

/** Includes files that an earlier attempt left. */
function measured({ filesKept, filesChanged }: Pick<Envelope, 'filesChanged' | 'filesKept'>): readonly string[] {
  return filesKept ?? filesChanged;
}

/** Ignores files that belong to Bosun or that it asks for. */
export function changesFiles(envelope: Pick<Envelope, 'filesChanged' | 'filesKept'>): boolean {
  const isOwn = meant(ownFiles);
  return measured(envelope).some((file) => !isOwn(file));
}

function meant(globs: readonly string[]): (file: string) => boolean {
  const isMatched = matcher(globs);
  return (file) => !file.startsWith('../') && isMatched(file);
}

const ownFiles = [
  ...['.ai/', '.workflow/', 'workflow_edits/', 'workflow_state.json', 'progress.txt'],
  ...['archive/r*/**', 'logs/*/step-*.jsonl'],
];

const maxListed = 10;

function listed(names: readonly string[]): string {
  const more = names.length - maxListed;
  return `${names.slice(0, maxListed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
