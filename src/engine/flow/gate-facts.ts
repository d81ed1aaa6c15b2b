// Evidence files as facts for expressions, and as text for people.

import { nodesBefore } from '../chain/chain.js';
import type { NextStep } from '../chain/route.js';
import type { DecisionDraft } from '../model/draft/draft.js';
import type { EvidenceFile, Node, WorkspaceResult } from '../model/model.js';
import { surveyFactsFor } from '../survey/survey-facts.js';
import type { Gate, Insert, NodeDef } from '../workflow/definition.js';
import type { Facts } from '../workflow/index.js';
import { asksPerson, judgesFiles } from '../workflow/node-kinds.js';
import { startOp } from './finish.js';

export type GateFacts = Extract<WorkspaceResult, { ok: true }>;

/** Files by name (an unnamed one by fields) and declared inputs. Printed words are claims, so they stay out. */
export function factsOf(tx: DecisionDraft, gate: Gate, found: GateFacts): Facts {
  const { run, item, workflow } = tx;
  const inputs = Object.keys(workflow.inputs).map((name) => [name, run.context[name]] as const);
  const facts: { [key: string]: unknown } = { ...Object.fromEntries(inputs), ...item?.values };
  for (const { file, as } of gate.evidence) {
    const value =
      file === 'survey' ? (found.survey ? surveyFactsFor(run, found.survey) : {}) : contentOf(found.evidence?.[file]);
    if (as !== '') facts[as] = value;
    else if (typeof value === 'object' && value !== null) Object.assign(facts, value);
  }
  return facts;
}

function contentOf(file: EvidenceFile | undefined): unknown {
  return file?.found ? file.value : null;
}

export function missingOf(gate: Gate, evidence: Readonly<{ [file: string]: EvidenceFile }>): readonly string[] {
  return gate.evidence.flatMap(({ file, isOptional }) => {
    const read = evidence[file];
    return file === 'survey' || isOptional || read?.found ? [] : [read?.why ?? `no result file ${file}`];
  });
}

/** Another run or stage left them: no step before the gate wrote them. */
export function staleOf(
  tx: DecisionDraft,
  node: Node,
  gate: Gate,
  evidence: GateFacts['evidence'] = {},
): readonly string[] {
  const before = stepsSince(tx, node);
  return gate.evidence.flatMap(({ file }) => {
    const read = evidence[file];
    const path = read?.found ? read.path : undefined;
    return path === undefined || before.some((one) => mayHaveWritten(tx, one, path)) ? [] : [file];
  });
}

/** Since the gate's last verdict. */
function stepsSince({ chain }: DecisionDraft, gate: Node): readonly Node[] {
  const before = nodesBefore(chain, gate);
  return before.slice(before.findLastIndex((one) => one.template === gate.template) + 1);
}

/** Attempts of an earlier version recorded no files: trust a pass. */
function mayHaveWritten(tx: DecisionDraft, { id, last }: Node, path: string): boolean {
  if (tx.items.some((item) => item.loop === id && item.wrote?.includes(path))) return true;
  return last !== null && (last.wrote?.includes(path) ?? last.outcome === 'pass');
}

/** `silence`: used if the files have no value. */
export function carriedFrom({ carry }: Insert, facts: Facts, silence: string): Readonly<Record<string, string>> {
  const carried = Object.entries(carry).map(([key, path]) => [key, wordOf(lookUp(facts, path)) || silence]);
  return Object.fromEntries(carried);
}

const maxShownChars = 800;

export function foundBy(tx: DecisionDraft, gate: string): readonly string[] {
  const known = { ...tx.run.context, ...tx.chain.context };
  const def = tx.def({ template: gate });
  const keys = Object.keys((judgesFiles(def) && def.gate.onEscalate?.carry) || {});
  return keys.flatMap((key) => shownOf(known[key]));
}

function shownOf(value: unknown): readonly string[] {
  const text = wordOf(value).trim();
  return text === '' ? [] : [text.slice(0, maxShownChars)];
}

function lookUp(facts: Facts, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => {
    const isMap = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
    return isMap ? (value as Facts)[name] : null;
  }, facts);
}

const maxLines = 50;
const maxChars = 4_000;

export function wordOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value))
    return value
      .slice(0, maxLines)
      .map((one) => `- ${lineOf(one)}`)
      .join('\n')
      .slice(0, maxChars);
  return lineOf(value).slice(0, maxChars);
}

function lineOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const words = Object.values(value).filter((one) => typeof one === 'string' || typeof one === 'number');
  return words.length > 0 ? words.join(' · ') : JSON.stringify(value);
}

/** The gate is judged when the result arrives. */
export function readEvidence(tx: DecisionDraft, node: Node, isConfirmed: boolean): void {
  const gate = gateOf(tx, node);
  const files = gate.evidence.map((one) => one.file).filter((file) => file !== 'survey');
  const survey = tx.workflow.survey;
  const phase = tx.item?.values['phase'] ?? null;
  startOp(tx, (id) => ({
    id,
    kind: 'read',
    chain: tx.chain.key,
    node: node.id,
    files,
    survey,
    phase,
    isConfirmed,
  }));
}

/** "retry" judges again. */
export function wayOn(def: NodeDef, chosen: string): NextStep | null {
  if (!asksPerson(def)) return null;
  const word = chosen === 'retry' ? 'continue' : chosen;
  const way = Object.entries({ ...def.onAnswer }).find(([answer]) => answer === word)?.[1];
  const leads = way?.type === 'goto' || way?.type === 'insert' || way?.type === 'finish';
  if (leads) return way;
  return way?.type === 'next' && word === 'continue' ? way : null;
}

export function gateOf(tx: DecisionDraft, node: Node): Gate {
  const def = tx.def(node);
  // An earlier version stored no gate.
  if (!judgesFiles(def) || !def.gate) throw new Error(`${node.template} is no gate`);
  return def.gate;
}
