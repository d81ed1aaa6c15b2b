import { type Log, type LogFields, logAbout } from '../../base/index.js';
import type { Event, Item, State } from '../../engine/index.js';
import type { StoredRecord } from '../../store/index.js';
import type { Committed } from '../plans/commit-listener.js';

export function logCommitted(log: Log, { batch }: Committed): void {
  const states = new Map<string, State>();
  for (const { after } of batch.states) states.set(key(after.run.id, after.chain.key), after);
  for (const event of batch.events) logEvent(log, event, states.get(key(event.run, event.chain)) ?? null);
  for (const one of batch.records ?? []) logRecord(log, one, states.get(key(one.run, one.record.chain)) ?? null);
  logStories(log, batch.states);
  for (const { before, after } of batch.states) logStatus(log, before, after);
}

function key(run: string, chain: string): string {
  return `${run} ${chain}`;
}

function logEvent(log: Log, event: Event, state: State | null): void {
  const attempt = 'attempt' in event ? event.attempt : undefined;
  const node = attempt === undefined ? undefined : nodeOf(state, attempt);
  const last = node?.last?.id === attempt ? node?.last : null;
  const agent = node?.live?.worker ?? last?.worker;
  const said = logAbout(log, {
    ...about(event, state),
    event: event.type,
    ...(attempt && { attempt }),
    ...(node && { node: node.id, step: node.template }),
    ...(agent && { agent }),
  });
  if (event.type === 'attempt_started') said(`${node?.template ?? 'an attempt'} started on ${event.worker}`);
  else if (event.type === 'attempt_settled' && last?.outcome) {
    const why = last.reason === null ? '' : ` (${last.reason})`;
    said(`${node?.template} ended: ${last.outcome}${why}`, last.outcome === 'crashed' ? { level: 'warn' } : {});
  } else said(event.type, { level: 'debug' });
}

/** Attempts log their own ends. */
function logRecord(log: Log, { run, record }: StoredRecord, state: State | null): void {
  const { action, chain, step, details } = record;
  if (action !== 'story_merged' && action !== 'workflow_edit') return;
  const operation = typeof details['operation'] === 'string' ? ` ${details['operation']}` : '';
  const lately = lastStep(state, step?.label);
  log(`${chain} ${action}${operation}`.trim(), { ...about({ run, chain }, state), event: action, ...lately });
}

const storyEvents: Partial<Readonly<Record<Item['status'], string>>> = {
  running: 'story_claimed',
  done: 'story_completed',
  failed: 'story_failed',
  blocked: 'story_blocked',
};

/** Each chain's state carries all items, so dedupe by run and story. */
function logStories(log: Log, states: Committed['batch']['states']): void {
  const told = new Set<string>();
  for (const { before, after } of states) {
    if (before === null || before.items === after.items) continue;
    const statuses = new Map(before.items.map((item) => [item.key, item.status]));
    for (const { key: story, status } of after.items) {
      const event = storyEvents[status];
      const was = statuses.get(story);
      const isNew = was !== undefined && was !== status && !told.has(key(after.run.id, story));
      if (!isNew || event === undefined) continue;
      told.add(key(after.run.id, story));
      const own = states.find((one) => one.after.run.id === after.run.id && one.after.chain.key === story);
      const said = { ...about({ run: after.run.id, chain: story }, after), event, ...lastStep(own?.after ?? null) };
      log(`${story} is ${status}`, said);
    }
  }
}

/** Defaults to the last dispatched step. */
function lastStep(state: State | null, label?: string): LogFields {
  const nodes = state?.chain.nodes ?? [];
  const node = nodes.find((one) => one.label === label) ?? newest(nodes);
  const attempt = node?.live ?? node?.last;
  if (!node || !attempt) return {};
  const agent = attempt.worker;
  return { node: node.id, step: node.template, attempt: attempt.id, ...(agent !== null && { agent }) };
}

function newest(nodes: State['chain']['nodes']): State['chain']['nodes'][number] | undefined {
  const dispatched = nodes.filter(({ live, last }) => live !== null || last !== null);
  const at = ({ live, last }: State['chain']['nodes'][number]) => (live ?? last)?.dispatchedAt ?? 0;
  return dispatched.reduce<(typeof nodes)[number] | undefined>(
    (best, one) => (best !== undefined && at(best) > at(one) ? best : one),
    undefined,
  );
}

function about({ run, chain }: Pick<Event, 'run' | 'chain'>, state: State | null): LogFields {
  return { ...(state && { project: state.run.project }), run, ...(chain !== '' && { item: chain, story: chain }) };
}

function nodeOf(state: State | null, attempt: string) {
  return state?.chain.nodes.find(({ live, last }) => live?.id === attempt || last?.id === attempt);
}

function logStatus(log: Log, before: State | null, { run }: State): void {
  if (before?.run.status === run.status) return;
  const why = run.pauseReason === null ? '' : ` (${run.pauseReason})`;
  log(`${run.id} is ${run.status}${why}`, { project: run.project, run: run.id });
}
