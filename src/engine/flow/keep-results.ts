import type { DecisionDraft } from '../model/draft/draft.js';
import type { Digest, Resolved, SettledNode } from '../model/model.js';
import type { Envelope } from '../report/envelope.js';
import { fill } from '../text/template.js';
import type { JobDef } from '../workflow/definition.js';
import { runsAgent } from '../workflow/node-kinds.js';
import { readItem } from './loops/loop.js';
import { keepStories } from './loops/story-list.js';

export function keepResults(tx: DecisionDraft, node: SettledNode, envelope: Envelope, outcome: Resolved): void {
  dropCarried(tx, node);
  keepValues(tx, allowedValues(tx, node, outcome.keys));
  keepDigest(tx, node, envelope);
  keepStories(tx, node, outcome);
  nameNext(tx, node, outcome);
}

/** An old complaint would mislead the next walk. */
function dropCarried(tx: DecisionDraft, node: SettledNode): void {
  const known = Object.entries(tx.chain.context);
  if (known.length === 0) return;
  const { onFail, onStatus } = tx.job(node);
  const routes = [...Object.values(onFail), ...Object.values(onStatus)];
  const names = new Set(routes.flatMap((route) => (route.type === 'goto' ? Object.keys(route.carry) : [])));
  const kept = known.filter(([key]) => !names.has(key));
  if (kept.length < known.length) tx.setChain({ context: Object.fromEntries(kept) });
}

function keepValues(tx: DecisionDraft, values: Readonly<Record<string, string>>): void {
  if (Object.keys(values).length === 0) return;
  if (tx.chain.key !== '') {
    tx.setChain({ context: { ...tx.chain.context, ...values } });
    return;
  }
  tx.setRun({ context: { ...tx.run.context, ...values } });
  // A reported value replaces one that a route carried here.
  const carried = Object.entries(tx.chain.context).filter(([key]) => !Object.hasOwn(values, key));
  tx.setChain({ context: Object.fromEntries(carried) });
}

function keepDigest(tx: DecisionDraft, node: SettledNode, envelope: Envelope): void {
  const front = envelope.handoff?.front;
  const text = envelope.output.keys['REVIEW_DIGEST'] ?? front?.reviewDigest ?? null;
  const printed = envelope.output.keys['QUESTIONS'];
  const questions = printed === undefined ? (front?.questions ?? []) : listOf(printed);
  const digests = tx.chain.digests.filter((digest) => digest.step !== node.template);
  const shown = { ...shownBy(envelope), ...previewsOf(tx, node) };
  const digest = { step: node.template, text, questions, files: node.last.filesChanged, ...shown };
  tx.setChain({ digests: [...digests, digest] });
}

function shownBy({ pictures = [] }: Envelope): Pick<Digest, 'pictures'> {
  return pictures.length === 0 ? {} : { pictures };
}

function previewsOf(tx: DecisionDraft, node: SettledNode): Pick<Digest, 'previews'> {
  const values = { ...tx.run.context, ...tx.chain.context };
  const said = (tx.def(node).shows ?? []).map((one) => fill(one, values).text.trim());
  const previews = said.filter((one) => /^https?:\/\/[^\s\p{Cc}]{1,500}$/u.test(one)).slice(0, maxPreviews);
  return previews.length === 0 ? {} : { previews };
}

const maxPreviews = 4;

function listOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])\s+/, '').trim());
  return lines.filter((line) => line !== '');
}

function nameNext(tx: DecisionDraft, { template }: SettledNode, outcome: Resolved): void {
  const { outputs, mayNameStory = false } = tx.job({ template });
  const mayName = outputs === null ? mayNameStory : outputs.includes('NEXT_STORY');
  const next = mayName ? readItem(outcome.keys['NEXT_STORY'] ?? '') : null;
  if (!next || !tx.item || tx.items.some((item) => item.key === next.key)) return;
  tx.raise({ type: 'next_named', run: tx.run.id, chain: '', at: tx.at, item: next });
}

/** Declared outputs, or any if none are declared. Reserved names never pass, inputs only if declared. */
const reserved =
  /^(task|run_id|project|status|current_story.*|completed_stories|stories_remaining|progress|stories_json|prd_file)$/;
const reservedUnlessDeclared = new Set(['repo', 'branch']);

function allowedValues(tx: DecisionDraft, node: SettledNode, keys: Resolved['keys']): Record<string, string> {
  const def = tx.job(node);
  const inputs = new Set(Object.keys(tx.workflow.inputs).map((name) => name.toLowerCase()));
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(keys)) {
    const key = name.toLowerCase();
    const declared = [...(def.outputs ?? []), ...(def.decisionKey === null ? [] : [def.decisionKey])];
    const isDeclared = declared.some((output) => output.toLowerCase() === key);
    const isGiven = inputs.has(key) || reservedUnlessDeclared.has(key);
    if (reserved.test(key) || (isGiven && !isDeclared && !isAskedFor(tx, def, name))) continue;
    if (def.outputs === null || isDeclared) values[key] = value;
  }
  return values;
}

/** antfarm prompts declare in prose (`BRANCH: a name`); the first answer stays. */
function isAskedFor({ workflow, run }: DecisionDraft, def: JobDef, name: string): boolean {
  const key = name.toLowerCase();
  const isFilled = Object.hasOwn(workflow.inputs, key) || Object.hasOwn(run.context, key);
  if (def.outputs !== null || isFilled || !reservedUnlessDeclared.has(key)) return false;
  return new RegExp(`^[ \\t]*${name}:[ \\t]*[^\\s{]`, 'm').test((runsAgent(def) && def.prompt) || '');
}
