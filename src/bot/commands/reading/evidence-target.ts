// The evidence of the card in question, else of the current work.
import { type ProjectConfig, projectNamed } from '../../../config/index.js';
import { emptyPlan, type Plan, shownRun } from '../../../dispatch/index.js';
import type { Interaction } from '../../../engine/index.js';
import type { AttemptRow, HomeReader, Message, Spine } from '../../../store/index.js';
import type { Parsed } from '../../grammar/index.js';
import { view } from '../../views/view.js';
import {
  answer,
  besideMeant,
  type EvidenceTarget,
  type MessageContext,
  roleIn,
  say,
  sayError,
} from '../message-context.js';
import { findTarget } from '../targets.js';

export type EvidenceKind = 'diff' | 'log';

export function showEvidence(ctx: MessageContext, target: EvidenceTarget): Plan {
  const { aside } = ctx;
  if (aside.kind === 'looking') {
    aside.found(target);
    return emptyPlan;
  }
  if (aside.kind === 'evidence' && aside.of === JSON.stringify(target)) {
    const repliesTo = target.about === null ? {} : { repliesTo: target.about };
    return { ...emptyPlan, messages: [answer(ctx, { ...aside.shown, ...repliesTo })] };
  }
  return sayError(ctx, 'That changed just now. Ask again.');
}

export function tellOf(what: EvidenceKind) {
  return (ctx: MessageContext, project: ProjectConfig, parsed: Parsed): Plan => {
    const replied = parsed.target === null ? evidenceOfReply(ctx, what) : null;
    if (replied !== null) return replied;
    const named = parsed.target === null ? null : mayRead(ctx, parsed.target.toLowerCase());
    if (named !== null) return ofRun(ctx, what, named, { chain: null, about: null });
    const run = besideMeant(ctx, project) ?? shownRun(ctx.now.reader, project.name);
    const spine = run && ctx.now.spine(run.id);
    if (!spine) return say(ctx, view('answer', `${project.name} has no run.`));
    if (parsed.target !== null) return ofNamed(ctx, what, spine, parsed.target);
    const open = spine.interactions.findLast(({ state, work }) => state === 'open' && work !== undefined);
    if (open !== undefined && what === 'diff') return showEvidence(ctx, ofCard(spine, open, { about: null }));
    return ofRun(ctx, what, spine, { chain: null, about: null });
  };
}

/** `@diff i12-3`, `@diff i12-3 since`, `@log r12`. */
export function pressedEvidence(
  ctx: MessageContext,
  what: EvidenceKind,
  [id = '', more = '']: readonly string[],
  message: Message,
): Plan {
  const about = message.edits ?? message.id;
  if (id.startsWith('i')) return ofInteraction(ctx, what, { id, about, isSince: more === 'since' });
  const spine = mayRead(ctx, id);
  return spine === null ? sayError(ctx, noLongerThere) : ofRun(ctx, what, spine, { chain: more || null, about });
}

const noLongerThere = 'There is nothing to show any more.';

/** Null: not a reply to a card. */
export function evidenceOfReply(ctx: MessageContext, what: EvidenceKind, isSince = false): Plan | null {
  const { repliesTo } = ctx;
  if (repliesTo === null) return null;
  const about = repliesTo.edits ?? repliesTo.id;
  if (repliesTo.interaction !== null) return ofInteraction(ctx, what, { id: repliesTo.interaction, about, isSince });
  const spine = repliesTo.run === null ? null : mayRead(ctx, repliesTo.run);
  return spine === null ? null : ofRun(ctx, what, spine, { chain: null, about });
}

const asksDiff =
  /^(?:(?:(?:please |can you |could you )?(?:show|send|give)(?: me| us)?(?: please)?|(?:can|could|may) (?:i|we) (?:see|have|get|look at)) (?:the |a |all |your )?(?:whole |full )?(?:diff|changes|patch))(?: please)?[.!?\s]*$/i;
/** In later rounds: since the request for changes. */
const asksSince =
  /^(?:so )?what(?:'s| is| was| has| have you| did you)?(?: been)? changed?(?: since(?: then| the last (?:time|review|round))?)?[.!?\s]*$/i;
const asksLog =
  /^(?:please )?(?:show|send|give)(?: me| us)? (?:the |a )?(?:whole |full )?logs?(?: please)?[.!?\s]*$|^(?:what happened|why did (?:it|this) fail)[.!?\s]*$/i;

/** Words that ask to look; they decide nothing. */
export function evidenceAskedFor(text: string): { readonly what: EvidenceKind; readonly isSince: boolean } | null {
  const said = text.trim().replaceAll('’', "'");
  if (asksSince.test(said)) return { what: 'diff', isSince: true };
  if (asksDiff.test(said)) return { what: 'diff', isSince: false };
  return asksLog.test(said) ? { what: 'log', isSince: false } : null;
}

/** Null: no card here, or several. */
export function evidenceOfOnlyCard(
  ctx: MessageContext,
  what: EvidenceKind,
  open: readonly { readonly interaction: Interaction }[],
): Plan | null {
  const [only, ...others] = open.filter(({ interaction }) => interaction.work !== undefined);
  if (only === undefined || others.length > 0) return null;
  return ofInteraction(ctx, what, { id: only.interaction.id, about: null, isSince: false });
}

/** A cheap test for words that may need git or a file. */
export function mayAskForEvidence(text: string): boolean {
  return text.length < 200 && /diff|logs?\b|chang|patch|happened|fail/i.test(text);
}

interface CardMeant {
  readonly id: string;
  readonly about: string | null;
  readonly isSince: boolean;
}

function ofInteraction(ctx: MessageContext, what: EvidenceKind, { id, about, isSince }: CardMeant): Plan {
  const found = ctx.now.interaction(id);
  const spine = found && mayRead(ctx, found.run);
  if (!found || !spine) return sayError(ctx, noLongerThere);
  const { interaction } = found;
  if (what === 'diff') return showEvidence(ctx, ofCard(spine, interaction, { about, isSince }));
  const row = attemptOfCard(ctx.now.reader, spine, interaction);
  return row === null ? nothingYet(ctx, spine) : showEvidence(ctx, ofAttempt(row, 'log', about));
}

function ofCard(
  { run }: Spine,
  { id, chain, work, state }: Interaction,
  { about, isSince = false }: { readonly about: string | null; readonly isSince?: boolean },
): EvidenceTarget {
  // Earlier versions' cards have no range: use the checkout.
  const range = (isSince ? work?.since : undefined) ?? work ?? null;
  const fixed = range && { from: range.from, to: range.to };
  const card = state === 'open' || fixed !== null ? id : null;
  return { kind: 'diff', run: run.id, about, chain, range: fixed, card, isSince: isSince && work?.since !== undefined };
}

function ofAttempt({ run, attempt }: AttemptRow, kind: 'log' | 'attempt_diff', about: string | null): EvidenceTarget {
  return { kind, run, about, attempt: attempt.id };
}

/** The card's attempt, not a later one. */
function attemptOfCard(reader: HomeReader, { run }: Spine, card: Interaction): AttemptRow | null {
  const nodes = reader.nodes(run.id).filter(({ chain }) => chain === card.chain);
  const own = nodes.filter(({ id }) => id === card.node);
  const until = card.state === 'open' ? Number.POSITIVE_INFINITY : card.openedAt;
  return newest(reader, run.id, own, until) ?? newest(reader, run.id, nodes, until);
}

function newest(
  reader: HomeReader,
  run: string,
  nodes: readonly { readonly id: string }[],
  until = Number.POSITIVE_INFINITY,
): AttemptRow | null {
  const rows = nodes
    .flatMap(({ id }) => reader.attempts(run, id))
    .filter(({ attempt }) => (attempt.endedAt ?? attempt.dispatchedAt) <= until);
  const timeOf = ({ attempt }: AttemptRow) => attempt.endedAt ?? attempt.dispatchedAt;
  return rows.reduce<AttemptRow | null>(
    (best, one) => (best !== null && timeOf(best) > timeOf(one) ? best : one),
    null,
  );
}

function ofNamed(ctx: MessageContext, what: EvidenceKind, spine: Spine, said: string): Plan {
  const target = findTarget(ctx.now, spine, said);
  if ('unknown' in target) return sayError(ctx, target.unknown);
  if ('item' in target) return ofRun(ctx, what, spine, { chain: target.item.key, about: null });
  const row = newest(ctx.now.reader, spine.run.id, [target.node]);
  if (row === null) return nothingYet(ctx, spine);
  return showEvidence(ctx, ofAttempt(row, what === 'log' ? 'log' : 'attempt_diff', null));
}

function ofRun(
  ctx: MessageContext,
  what: EvidenceKind,
  spine: Spine,
  { chain, about }: { readonly chain: string | null; readonly about: string | null },
): Plan {
  const { id } = spine.run;
  const nodes = ctx.now.reader.nodes(id).filter((node) => chain === null || node.chain === chain);
  const row = newest(ctx.now.reader, id, nodes);
  if (row === null) return nothingYet(ctx, spine);
  if (what === 'log') return showEvidence(ctx, ofAttempt(row, 'log', about));
  const target = { kind: 'diff', run: id, about, chain: chain ?? '', range: null, card: null, isSince: false } as const;
  return showEvidence(ctx, target);
}

function nothingYet(ctx: MessageContext, { run }: Spine): Plan {
  return say(ctx, view('answer', `${run.project}: nothing has run yet.`));
}

function mayRead(ctx: MessageContext, run: string): Spine | null {
  const spine = ctx.now.spine(run);
  const project = spine && projectNamed(ctx.config, spine.run.project);
  return project && roleIn(ctx, project) !== null ? spine : null;
}
