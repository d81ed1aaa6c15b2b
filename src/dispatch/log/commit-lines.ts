// What was committed, as lines of the log: how attempts and runs went, and at level debug every event.
import type { Event, State } from '../../engine/index.js';
import type { Committed } from '../committed.js';
import { type Log, type LogFields, logAbout } from './log.js';

export function logCommitted(log: Log, { batch }: Committed): void {
  const states = new Map<string, State>();
  for (const { after } of batch.states) states.set(key(after.run.id, after.chain.key), after);
  for (const event of batch.events) logEvent(log, event, states.get(key(event.run, event.chain)) ?? null);
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
  if (event.type === 'attempt_started') said(`${node?.template ?? 'an attempt'} began on ${event.worker}`);
  else if (event.type === 'attempt_settled' && last?.outcome) {
    const why = last.reason === null ? '' : ` (${last.reason})`;
    said(`${node?.template} came back: ${last.outcome}${why}`, last.outcome === 'crashed' ? { level: 'warn' } : {});
  } else said(event.type, { level: 'debug' });
}

function about({ run, chain }: Event, state: State | null): LogFields {
  return { ...(state && { project: state.run.project }), run, ...(chain !== '' && { item: chain }) };
}

function nodeOf(state: State | null, attempt: string) {
  return state?.chain.nodes.find(({ live, last }) => live?.id === attempt || last?.id === attempt);
}

function logStatus(log: Log, before: State | null, { run }: State): void {
  if (before?.run.status === run.status) return;
  const why = run.pauseReason === null ? '' : ` (${run.pauseReason})`;
  log(`${run.id} is ${run.status}${why}`, { project: run.project, run: run.id });
}
