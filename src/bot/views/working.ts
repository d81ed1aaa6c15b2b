import type { RunningContext, Stall } from '../../dispatch/index.js';
import type { Node, State } from '../../engine/index.js';
import type { View } from '../../store/index.js';
import { itemNoun, type NoticeShown, progress } from './notices.js';
import { lines, oneLine, span, testsInWords, view } from './view.js';
import { titleOf } from './work/card-text.js';
import { lastTry, liveLine } from './work/live-lines.js';
import { lastEnded, maxAttempts, nameOf } from './work/progress-text.js';

type Sign = Stall['sign'];

const doingMark = '▸';

const quietAfterMs = 60_000;

export function workingView({ state, lastSign, at }: Pick<RunningContext, 'state' | 'lastSign' | 'at'>): NoticeShown {
  const live = state.chain.nodes.filter((node) => node.live !== null && node.state === 'running');
  const told = live.map((node) => oneAtWork(state, node, node.live && lastSign(node.live.id), at));
  const ended = lastEnded(state);
  const soFarUsd = state.run.live.reduce((sum, { attempt }) => sum + (lastSign(attempt)?.costUsd ?? 0), 0);
  const text = lines(...told, ended, lastTests(state, ended), whereItIs(state, live[0]));
  return progress(state, text, lines(...live.map((node) => liveOf(state, node, lastSign, at))), soFarUsd);
}

function oneAtWork(state: State, node: Node, sign: Sign | null, at: number): string {
  const elapsedMs = Math.max(0, at - (node.live?.startedAt ?? at));
  const isQuiet = sign !== null && sign.silentMs >= quietAfterMs;
  const doing = [doingOf(sign), span(elapsedMs), isQuiet ? `quiet for ${span(sign.silentMs)}` : ''];
  return lines(
    `${state.run.project}: executing ${nameOf(state, node)} (attempt ${node.attempt} of ${maxAttempts(state, node)})`,
    `${doingMark} ${doing.filter((one) => one !== '').join(' · ')}`,
  );
}

function liveOf(state: State, node: Node, lastSign: RunningContext['lastSign'], at: number): string {
  const sign = node.live && lastSign(node.live.id);
  const isQuiet = sign !== null && sign.silentMs >= quietAfterMs;
  const elapsedMs = Math.max(0, at - (node.live?.startedAt ?? at));
  const doing = [doingOf(sign), span(elapsedMs), isQuiet ? `quiet for ${span(sign.silentMs)}` : ''];
  return lines(liveLine(node, maxAttempts(state, node), doing), lastTry(node));
}

/** Agents without actions show their last words or line. */
function doingOf(sign: Pick<Sign, 'action' | 'text' | 'line'> | null): string {
  if (sign === null) return '';
  return oneLine(sign.action) || oneLine(sign.text) || oneLine(sign.line);
}

function lastTests(state: State, told: string): string {
  const counted = state.chain.nodes.flatMap(({ last }) => (last?.tests ? [last] : []));
  const newest = counted.sort((a, b) => Number(b.endedAt) - Number(a.endedAt))[0];
  return /\d\/\d/.test(told) ? '' : testsInWords(newest?.tests ?? null);
}

function whereItIs(state: State, node: Node | undefined): string {
  const { chain, items } = state;
  const item = items.find((one) => one.key === chain.key);
  const beside = items.filter((one) => one.loop === item?.loop);
  const story = item ? `${itemNoun(state, item)} ${beside.indexOf(item) + 1} of ${beside.length}` : '';
  const step = node && chain.nodes.length > 1 ? `step ${chain.nodes.indexOf(node) + 1} of ${chain.nodes.length}` : '';
  return [story, step].filter((one) => one !== '').join(', ');
}

export function stallCard({ attempt, number }: Stall): string {
  return `stall:${attempt}:${number}`;
}

export function stallView(stall: Stall): View {
  const { about, attempt, kind, sign } = stall;
  const title = titleOf(about.work.split('\n', 1)[0] ?? '');
  const place = [about.project, about.chain, about.step].filter((one) => one !== '').join(' · ');
  if (kind !== 'silent') return view('report', lines(`${past[kind][0]} · ${title}`, `${place}${past[kind][1]}`));
  const last = doingOf({ ...sign, action: '' });
  const doing = oneLine(sign.action);
  return {
    ...view(
      'report',
      lines(
        `⚠️ No sign of life · ${title}`,
        `${place}, silent for ${span(sign.silentMs)}, still running`,
        doing && (doing.startsWith('waits ') ? `It ${doing}` : `Last action: ${doing}`),
        last ? `Last words: ${last}` : 'It said nothing yet.',
      ),
      [
        { label: 'Kill and retry', says: `@again ${attempt}` },
        { label: 'Keep waiting', says: `@wait ${attempt}` },
      ],
    ),
    rings: true,
  };
}

const past: Readonly<Record<Exclude<Stall['kind'], 'silent'>, readonly [word: string, rest: string]>> = {
  back: ['✅ Active again', ''],
  over: ['✅ Ended', ' was silent for a while'],
  again: ['Still silent', ' · the alert is in a new message'],
};
