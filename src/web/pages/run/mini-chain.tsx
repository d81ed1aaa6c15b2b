import { hasBody, type Item, type Node, type Run } from '../../../engine/index.js';
import type { HomeReader, Spine } from '../../../store/index.js';
import { Mark, nodeSaid } from '../shared/status.js';
import { lineOf } from '../shared/text.js';
import { defsOf, nounsOf } from './run-view.js';

const shownSteps = 6;
const shownBefore = 2;

interface MiniChainProps {
  readonly reader: Pick<HomeReader, 'browsing'>;
  readonly spine: Spine;
}

/** The chain at work: a story's, else the run's. */
export function MiniChain({ reader, spine }: MiniChainProps) {
  const chain = spine.run.live[0]?.chain ?? '';
  const { count, over } = reader.browsing.chainLength(spine.run.id, chain);
  const from = Math.max(0, Math.min(over - shownBefore, count - shownSteps));
  const nodes = reader.browsing.chainNodes(spine.run.id, chain, from, shownSteps);
  if (nodes.length === 0) return null;
  return (
    <p class="mini-chain">
      {spine.items.length < 2 ? null : <Items items={spine.items} spine={spine} />}
      {nodes.map((node) => (
        <Step node={node} isLoop={isLoop(node, spine)} />
      ))}
      {count > from + nodes.length ? <span class="soft">{count - from - nodes.length} more</span> : null}
    </p>
  );
}

function isLoop(node: Node, spine: Spine): boolean {
  const def = defsOf(spine).get(node.template);
  return def !== undefined && hasBody(def);
}

function Step({ node, isLoop: isMany }: { readonly node: Node; readonly isLoop: boolean }) {
  const said = nodeSaid(node.state);
  return (
    <span class={`mini ${said.tone}${node.state === 'running' || node.state === 'needs_human' ? ' now' : ''}`}>
      <Mark {...said} /> {lineOf(isMany ? node.title : node.template, 24)}
    </span>
  );
}

function Items({ items, spine }: { readonly items: readonly Item[]; readonly spine: Spine }) {
  const done = items.filter(({ status }) => status === 'done').length;
  return (
    <span class="mini quiet num">
      {done} of {items.length} {nounsOf(spine)[1]}
    </span>
  );
}

const shownRuns = 10;
const barWidth = 8;

/** Oldest first. Failed ones are short, because colour alone tells nothing. */
export function RunHistory({ runs, name }: { readonly runs: readonly Run[]; readonly name: string }) {
  const ended = runs.filter(({ status }) => status === 'completed' || status === 'failed' || status === 'cancelled');
  const shown = ended.slice(0, shownRuns).toReversed();
  if (shown.length === 0) return null;
  const count = (status: Run['status']) => shown.filter((run) => run.status === status).length;
  const said = `${lineOf(name, 60)}: of the last ${shown.length} runs ${count('completed')} done, ${count('failed')} failed, ${count('cancelled')} aborted`;
  return (
    <svg class="run-bars" width={shownRuns * barWidth} height="18" role="img" aria-label={said}>
      {shown.map(({ status }, index) => (
        <Bar status={status} x={index * barWidth} />
      ))}
    </svg>
  );
}

function Bar({ status, x }: { readonly status: Run['status']; readonly x: number }) {
  if (status === 'completed') return <rect class="ok" x={x} y="2" width="6" height="14" rx="1" />;
  if (status === 'failed') return <rect class="bad" x={x} y="9" width="6" height="7" rx="1" />;
  return <rect class="quiet" x={x} y="8" width="6" height="2" rx="1" />;
}
