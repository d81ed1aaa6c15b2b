import type { NoticeContext, ProjectAudience } from '../../dispatch/index.js';
import {
  definitions,
  hasBody,
  type Interaction,
  type Item,
  type Node,
  type Notice,
  type State,
  sideBySide,
  unreachable,
} from '../../engine/index.js';
import type { View } from '../../store/index.js';
import { askCard, settledCard, silentCard } from './cards.js';
import { shortSummary } from './chain-summary.js';
import { firstLines } from './facts.js';
import { escalatedCard, nudgedCard, remindedCard } from './recalls.js';
import { bar, costNote, lines, type Offer, oneLine, personName, stepName, view } from './view.js';
import { timesOf } from './work/ask-words.js';
import { abortCard, calledBy, doneCard, progressKey } from './work/card-keys.js';
import { titleOf } from './work/card-text.js';
import { doneText, isLastOfRun } from './work/done-story.js';
import { endedText, isPhase, landedText } from './work/ended.js';
import { executorText } from './work/executor-text.js';
import { endedLine, lastTry, liveLine, queuedLine } from './work/live-lines.js';
import { itemOffers, landedOffers, runOffers } from './work/offers.js';
import { executing, lastEnded, maxAttempts, settled, whereTo } from './work/progress-text.js';
import { sessionText } from './work/session-text.js';
import { wordsLine } from './work/spoken-words.js';

export interface NoticeShown {
  readonly view: View;
  readonly card: string | null;
  readonly interaction: string | null;
  readonly live?: string;
  /** The card of those lines in a chat, if it is another one. */
  readonly liveCard?: string;
}

interface Known {
  readonly audience?: ProjectAudience | null;
  /** Remote workers that still run an agent. */
  readonly workers?: readonly string[];
  readonly session?: NoticeContext['session'];
}

export function noticeView(
  notice: Notice,
  state: State,
  at: number,
  { audience = null, workers = [], session }: Known = {},
): NoticeShown | null {
  switch (notice.type) {
    case 'asked':
      return about(notice.interaction, askCard(notice.interaction, state, audience));
    case 'decided':
      return about(notice.interaction, settledCard(notice.interaction, state));
    case 'voted':
      return about(notice.interaction, silentCard(notice.interaction, state, audience));
    case 'task_edited':
      return null;
    case 'reworded':
    case 'handed':
      return about(notice.interaction, silentCard(notice.interaction, state, audience));
    case 'nudged':
      return about(notice.interaction, nudgedCard(notice.interaction, state, at, audience));
    case 'snooze_over':
    case 'reminded':
      return about(notice.interaction, remindedCard(notice.interaction, state, at, audience));
    case 'escalated':
      return about(notice.interaction, escalatedCard(notice.interaction, state, at, audience));
    case 'progress':
      return progress(state, lines(executing(state, at), lastEnded(state)), liveNow(state, at));
    case 'settled':
      return progress(state, settled(notice, state, at), settledLive(notice, state, at));
    case 'item_done':
      return {
        ...report(doneText(notice.item, state), doneRings(notice.item, state), itemOffers(state, notice.item)),
        card: doneCard(state.run.id, notice.item),
      };
    case 'item_failed':
      return report(itemFailed(notice.item, state), false);
    case 'waits_for_go':
      return waitsForGo(notice, state);
    case 'executor_replaced':
    case 'executor_back':
      return report(`${state.run.project}: ${executorText(notice)}`, false);
    case 'words':
      return { ...report(wordsLine(notice, state), false), card: `words:${notice.key}` };
    case 'session':
      return { ...report(sessionText(notice, state), false), card: `session:${notice.key}` };
    case 'left_settled':
      return { ...report(endedText(state, notice.note), false, runOffers(state)), card: abortCard(state.run) };
    case 'landed':
      return { ...report(landedText(notice, state), false, landedOffers(notice, state)), card: notice.card };
    case 'ended':
      if (state.run.status === 'cancelled' && state.run.startedAt === null) return null;
      return endedShown(state, notice.note ?? '', { workers, session });
    case 'approval_skipped': {
      const said = `Skipped by ${personName(notice.by)}: “${oneLine(notice.reason, 300)}”`;
      return report(lines(`⏭ ${notice.title} · ${said}`, `${state.run.project} · It was not approved.`), true);
    }
    case 'told': {
      const decision = notice.decision && `◆ Decision: ${notice.decision}`;
      return {
        ...report(lines(`${state.run.project}: ${notice.text}`, decision), false),
        live: lines(oneLine(notice.text, 300), decision),
        liveCard: progressCard(state),
      };
    }
    default:
      return unreachable(notice);
  }
}

/** A finished story notifies people only if they decide about the next one. */
function doneRings(item: string, state: State): boolean {
  return state.run.afterStory === 'propose' && !isLastOfRun(item, state);
}

function about({ id }: Interaction, shown: View): NoticeShown {
  return { view: shown, card: id, interaction: id };
}

export function progress(state: State, headline: string, live: string, soFarUsd = 0): NoticeShown {
  const { run, chain } = state;
  const itemsOf = (loop: Node) => state.items.filter((one) => one.loop === loop.id);
  const steps = chain.nodes.length > 1 && bar(chain.nodes, itemsOf);
  const titled = chain.nodes.length > 1 && bar(chain.nodes, itemsOf, stepName);
  const costUsd = run.costUsd + soFarUsd;
  // An unknown cost is told at the end only.
  const cost = costUsd > 0 && costNote({ ...run, costUsd });
  const text = lines(headline, steps, cost);
  return {
    live: lines(live, titled, cost),
    view: view('progress', text),
    card: progressCard(state),
    interaction: null,
  };
}

function progressCard(state: State): string {
  const { run, chain } = state;
  // While a question is open this message stays above it; the next begins with the answer.
  const asked = state.interactions.filter((one) => one.state === 'open').length;
  return `${progressKey(run, run.counters.interactions - asked)}${isBesideOthers(state) ? `:${chain.key}` : ''}`;
}

/** Parallel stories have a message each, or they would overwrite each other's. */
function isBesideOthers({ chain, items, run, workflow }: State): boolean {
  const item = items.find((one) => one.key === chain.key);
  const loop = item && definitions(workflow).find(({ id }) => id === item.template);
  return loop !== undefined && hasBody(loop) && sideBySide(run, loop) > 1;
}

function report(text: string, rings: boolean, offers: readonly Offer[] = []): NoticeShown {
  return { view: { ...view('report', text, offers), rings }, card: null, interaction: null };
}

function liveNow(state: State, at: number): string {
  const node = state.chain.nodes.find((one) => one.state === 'queued' || one.state === 'running');
  if (!node) return '';
  return lines(
    node.state === 'queued' ? queuedLine(node, at) : liveLine(node, maxAttempts(state, node), []),
    lastTry(node),
  );
}

function settledLive(notice: Extract<Notice, { type: 'settled' }>, state: State, at: number): string {
  const node = state.chain.nodes.find((one) => one.id === notice.node);
  if (!node) return '';
  return endedLine(node, notice.outcome, notice.decision ?? '', whereTo(notice, state, node, at));
}

function itemFailed(key: string, state: State): string {
  const { run, chain, items } = state;
  const node = chain.nodes.findLast((one) => one.state === 'failed' || one.state === 'cancelled');
  const behind = new Set([key]);
  // Each pass finds one more, or ends.
  for (let found = 0; found !== behind.size; ) {
    found = behind.size;
    for (const item of items) if (item.dependsOn.some((one) => behind.has(one))) behind.add(item.key);
  }
  const blocked = [...behind].slice(1);
  return lines(
    `❌ ${key} failed · ${titleOf(items.find((one) => one.key === key)?.title ?? '')}`,
    `${run.project}${node ? ` · failed at ${stepName(node)}` : ''}`,
    node?.last?.summary && firstLines(node.last.summary),
    blocked.length > 0 && `Blocked by it: ${blocked.join(', ')}.`,
  );
}

function waitsForGo(notice: Extract<Notice, { type: 'waits_for_go' }>, state: State): NoticeShown {
  const { project } = state.run;
  const node = state.chain.nodes.find((one) => one.template === notice.step);
  const count = node?.last && node.last.outcome !== 'pass' ? node.last.number : 0;
  const step = node === undefined ? notice.step : stepName(node);
  const item = state.items.find(({ key }) => key === notice.item);
  const work = item === undefined ? (state.run.task.split('\n', 1)[0] ?? '') : item.title || item.key;
  const failed = count === 0 ? '' : `, failed ${timesOf(count)} so far`;
  const text = lines(
    `Next · ${titleOf(work)}`,
    [project, notice.item, `${step}${failed}`].filter((one) => one !== '').join(' · '),
    `Say "continue ${calledBy(state.run)}".`,
  );
  const offers = [{ label: 'Continue', says: `continue ${calledBy(state.run)}` }];
  return { view: { ...view('report', text, offers), rings: true }, card: null, interaction: null };
}

function endedShown(state: State, note: string, { workers = [], session }: Known): NoticeShown {
  if (state.run.status === 'completed' && state.workflow.exports.includes('session')) {
    return report(lines(endedText(state, note), session && shortSummary(session())), true, runOffers(state));
  }
  if (state.run.status !== 'cancelled') return report(endedText(state, note), true, runOffers(state));
  const [agents, they] = workers.length === 1 ? ['agent ends', 'worker'] : ['agents end', 'workers'];
  const rest = `Its ${agents} as soon as the ${they} ${workers.join(' and ')} ${workers.length === 1 ? 'hears' : 'hear'} of it.`;
  const said = workers.length === 0 ? note : rest;
  return { ...report(endedText(state, said), true, runOffers(state)), card: abortCard(state.run) };
}

/** Replaces the abort card that named a running worker. */
export function abortHeardShown(state: State, worker: string, isLost: boolean): NoticeShown {
  const rest = `The worker ${worker} gives no sign any more: its agent is ended where Bosun can reach it.`;
  return {
    ...report(endedText(state, isLost ? rest : 'Nothing runs any more.'), false, runOffers(state)),
    card: abortCard(state.run),
  };
}

export function itemNoun({ workflow }: State, item: Item): string {
  return isPhase(workflow, item) ? 'phase' : 'story';
}
