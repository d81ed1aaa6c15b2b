// The progress lines of the terminal, the page and `say --json`, with step ids as scripts know them.
import {
  definitions,
  type Node,
  type Notice,
  type OutcomeKind,
  type State,
  type TestCounts,
} from '../../../engine/index.js';
import { firstLines, spaced } from '../facts.js';
import { clock } from '../view.js';

export function executing(state: State, at: number): string {
  const node = state.chain.nodes.find((one) => one.state === 'queued' || one.state === 'running');
  if (!node) return `${place(state)}: nothing runs.`;
  return `${state.run.project}: executing ${nameOf(state, node)} (attempt ${node.attempt})${node.state === 'queued' ? `, queued${untilWhen(node, at)}` : ''}`;
}

function untilWhen({ live, last }: Node, at: number): string {
  const notBefore = live?.notBefore ?? 0;
  if (notBefore <= at) return '';
  return ` until ${clock(notBefore)}${last?.reason ? ` (${spaced(last.reason)})` : ''}`;
}

/** Edited at once, so it keeps the last step's result. */
export function lastEnded(state: State): string {
  const past = state.chain.nodes.flatMap(({ template, last }) =>
    last?.endedAt == null ? [] : [{ template, last, at: last.endedAt }],
  );
  const newest = past.reduce<(typeof past)[number] | null>(
    (best, one) => (best !== null && best.at > one.at ? best : one),
    null,
  );
  const story = lastStory(state);
  if (story !== null && story.endedAt > (newest?.at ?? 0)) return `${story.key} ${story.status}`;
  if (!newest?.last.outcome) return '';
  const { template, last } = newest;
  const attempt = last.outcome === 'pass' ? '' : ` (attempt ${last.number})`;
  return [`${template} ${words[newest.last.outcome]}${attempt}`, testLine(last.tests)]
    .filter((one) => one !== '')
    .join(', ');
}

function lastStory({ chain, items }: State): { key: string; status: string; endedAt: number } | null {
  const ended = items.flatMap(({ key, status, parent, endedAt }) =>
    parent === chain.key && endedAt !== null ? [{ key, status, endedAt }] : [],
  );
  return ended.reduce<(typeof ended)[number] | null>(
    (best, one) => (best !== null && best.endedAt > one.endedAt ? best : one),
    null,
  );
}

/** `42/44, 2 failing`. */
function testLine(tests: TestCounts | null): string {
  if (!tests) return '';
  const all = tests.pass + tests.fail;
  if (all === 0) return tests.skip > 0 ? `no tests, ${tests.skip} skipped` : 'no tests';
  const skipped = tests.skip > 0 ? `, ${tests.skip} skipped` : '';
  return tests.fail > 0 ? `${tests.pass}/${all}, ${tests.fail} failing${skipped}` : `${tests.pass}/${all}${skipped}`;
}

const words: Readonly<Record<OutcomeKind, string>> = {
  pass: 'complete',
  failing: 'failing',
  timeout: 'timed out',
  crashed: 'crashed',
  needs_human: 'has a question',
  cancelled: 'stopped',
};

export function settled(notice: Extract<Notice, { type: 'settled' }>, state: State, at: number): string {
  const node = state.chain.nodes.find((one) => one.id === notice.node);
  if (!node) return place(state);
  const tests = testLine(node.last?.tests ?? null);
  const attempt = notice.outcome === 'pass' ? '' : ` (attempt ${node.last?.number ?? node.attempt})`;
  const leads = whereTo(notice, state, node, at);
  const why = notice.outcome === 'pass' || !node.last?.summary ? '' : `\n${firstLines(node.last.summary)}`;
  // The reason says more than "crashed".
  const how = node.last?.retryAt != null && node.last.reason ? spaced(node.last.reason) : words[notice.outcome];
  const came = notice.decision === undefined ? how : `decided ${notice.decision}`;
  // Part of the report may be lost, or a setting does not hold.
  const slip =
    node.last?.warnings.find((one) => /^the front matter of HANDOFF\.md| could not ask a person /.test(one)) ?? '';
  const warned = slip === '' || why.includes(slip) ? '' : `\nWarning: ${slip.slice(0, 300)}`;
  return `${state.run.project}: ${[`${nameOf(state, node)} ${came}${attempt}`, tests, leads].filter((one) => one !== '').join(', ')}${why}${warned}`;
}

export function whereTo(notice: Extract<Notice, { type: 'settled' }>, state: State, node: Node, at: number): string {
  const { leadsTo } = notice;
  if (leadsTo === null || leadsTo === 'finish') return '';
  // A step held back by a level or a person must not read as running.
  const notBefore = node.live?.notBefore ?? 0;
  if (leadsTo === 'retry' && notBefore > at) return `trying again at ${clock(notBefore)}`;
  if (leadsTo === 'retry') return node.state === 'ready' ? 'to be tried again' : 'trying again';
  const { nodes } = state.chain;
  const here = nodes.findIndex((one) => one.id === node.id);
  const isBack = leadsTo !== 'next' && nodes.findIndex((one) => one.template === leadsTo) <= here;
  if (isBack) return `back to ${leadsTo}`;
  const next = leadsTo === 'next' ? nodes[here + 1] : nodes.find((one) => one.template === leadsTo);
  if (!next) return '';
  return next.state === 'waiting' || next.state === 'ready' ? `next is ${next.template}` : `entering ${next.template}`;
}

export function maxAttempts({ workflow }: State, node: Node): number {
  return Math.max(node.attempt, definitions(workflow).find(({ id }) => id === node.template)?.maxAttempts ?? 1);
}

export function nameOf(state: State, node: Node): string {
  return state.chain.key === '' ? node.template : `${state.chain.key} ${node.template}`;
}

function place(state: State): string {
  return state.chain.key === '' ? state.run.project : `${state.run.project} ${state.chain.key}`;
}
