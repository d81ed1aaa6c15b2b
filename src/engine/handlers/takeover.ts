import { layChain, positionOf, skipIfOpen } from '../chain/chain.js';
import { addItems } from '../flow/loops/loop.js';
import { ask, option } from '../interactions/interaction.js';
import { type DecisionDraft, findDef } from '../model/draft/draft.js';
import { noteForStory } from '../model/draft/scratch-notes.js';
import type { NewItem } from '../model/event.js';
import type { Chain, Item, Node } from '../model/model.js';
import type { SkipReason } from '../model/skip.js';
import type { FoundChain, FoundStep, Resume, ResumeLeft, Takeover } from '../model/takeover-data.js';
import type { NodeDef } from '../workflow/definition.js';
import { hasBody } from '../workflow/node-kinds.js';

export function askTakeover(tx: DecisionDraft, takeover: Takeover): void {
  ask(tx, {
    kind: 'choice',
    subject: { type: 'takeover', takeover },
    node: null,
    text: takeover.words.join('\n'),
    options: [
      ...(takeover.resume === null ? [] : [option('resume', 'Resume there')]),
      option('afresh', 'Start afresh, keep a copy'),
      option('cancel', 'Cancel'),
    ],
  });
}

/** Idempotent. */
export function applyResume(tx: DecisionDraft, resume: Resume): void {
  tx.setRun({ context: { ...tx.run.context, ...resume.context }, ...(resume.prd && { prd: resume.prd }) });
  const chains = takeStories(tx, resume);
  const first = resume.session && placeOwnSteps(tx, resume.session);
  const left: ResumeLeft = { chains, first: first ?? null, isPlaced: resume.session !== null };
  tx.setRun({ resume: left });
}

export function isPlaced({ run }: DecisionDraft): boolean {
  return run.resume?.isPlaced === true;
}

/** Finished stories first, then begun ones, then others, each in order. */
function takeStories(tx: DecisionDraft, { stories }: Resume): ResumeLeft['chains'] {
  const loop = tx.chain.nodes.find(hasBody);
  if (!loop || stories.length === 0) return {};
  const isKnown = ({ key }: NewItem) => tx.items.some((item) => item.key === key);
  const missing = stories.filter(({ item }) => !isKnown(item));
  addItems(
    tx,
    loop,
    missing.map(({ item }) => item),
    { isGiven: true },
  );
  const statusOf = new Map(stories.map(({ item, status }) => [item.key, status]));
  const rank = ({ key, status }: Item) => (status === 'done' ? 0 : statusOf.get(key) === 'begun' ? 1 : 2);
  const taken = tx.items.map((item): Item => {
    const isDone = statusOf.get(item.key) === 'done' && item.status === 'ready';
    return isDone ? { ...item, status: 'done' } : item;
  });
  tx.items = [...taken].sort((a, b) => rank(a) - rank(b)).map((item, order) => ({ ...item, order }));
  const begun = stories.flatMap(({ item, chain }) => (chain === null ? [] : [[item.key, chain] as const]));
  // The steps before the loop produced the stories, so they are done.
  if (begun.length > 0 || stories.some(({ status }) => status === 'done')) skipBefore(tx, loop.template);
  return Object.fromEntries(begun);
}

function placeOwnSteps(tx: DecisionDraft, found: FoundChain): FoundChain | null {
  const isOwn = ({ template }: FoundStep) => positionOf(tx.chain, template) >= 0;
  const inner = found.steps.filter((one) => !isOwn(one));
  const open = found.steps.find(({ state }) => state === 'open');
  const loop = tx.chain.nodes.find(hasBody);
  if (open && isOwn(open)) skipBefore(tx, open.template);
  else if (loop && inner.length > 0) skipBefore(tx, loop.template);
  const isInnerOpen = inner.some(({ state }) => state === 'open');
  tx.setRun({ position: tx.run.position ?? (open?.template || 'taken over') });
  return isInnerOpen ? { ...found, steps: inner } : null;
}

function skipBefore(tx: DecisionDraft, template: string): void {
  const until = positionOf(tx.chain, template);
  for (const node of tx.chain.nodes.slice(0, until)) skipIfOpen(tx, node, { type: 'inferred' });
}

/** False: the state has no chain for this story. */
export function layFound(tx: DecisionDraft, item: Item): boolean {
  const { resume } = tx.run;
  const found = resume && (resume.chains[item.key] ?? resume.first);
  if (!resume || !found) return false;
  const { [item.key]: used, ...chains } = resume.chains;
  tx.setRun({ resume: { ...resume, chains, first: used === undefined ? null : resume.first } });
  const { body } = tx.loop(item);
  const defs = defsOf(tx, found.steps);
  if (defs !== null && isWhole(defs, body)) {
    layChain(tx, defs);
    markFound(tx, found.steps);
  } else {
    layChain(tx, body);
    skipBefore(tx, found.steps.find(({ state }) => state === 'open')?.template ?? found.begin ?? '');
  }
  const due = firstOpen(tx.chain);
  if (due) {
    const { maxAttempts } = tx.def(due);
    tx.setNode(due.id, { attempt: Math.max(1, Math.min(found.attempt, maxAttempts)) });
  }
  if (found.evidence) tx.setChain({ evidence: found.evidence });
  noteForStory(tx, found.notes);
  return true;
}

function defsOf(tx: DecisionDraft, steps: readonly FoundStep[]): readonly NodeDef[] | null {
  const defs = steps.flatMap(({ template }) => findDef(tx.workflow, template) ?? []);
  return steps.length > 0 && defs.length === steps.length ? defs : null;
}

/** A list that lacks a step of the workflow would skip it. */
function isWhole(defs: readonly NodeDef[], body: readonly NodeDef[]): boolean {
  return body.every(({ id, when }) => when !== null || defs.some((def) => def.id === id));
}

function markFound(tx: DecisionDraft, steps: readonly FoundStep[]): void {
  for (const [index, { state, skipReason, notes, description, args, retry }] of steps.entries()) {
    const node = tx.chain.nodes[index];
    if (!node) continue;
    const more = { ...(description && { description }), ...(args && { args }), ...(retry && { retry }) };
    const marked = tx.setNode(node.id, more);
    if (state !== 'open') skipIfOpen(tx, marked, reasonOf(state, skipReason, notes));
  }
}

function reasonOf(state: 'done' | 'skipped', reason: string | undefined, notes: string | undefined): SkipReason {
  return state === 'done'
    ? { type: 'inferred', ...(notes && { notes }) }
    : { type: 'edit', reason: reason ?? 'skipped before' };
}

function firstOpen({ nodes }: Chain): Node | null {
  return nodes.find(({ state }) => state === 'waiting') ?? null;
}
