import { hasBody, type Item, isRunOver, type Node, type NodeDef, nodeKinds, skipText } from '../../../engine/index.js';
import { Icon } from '../shared/icons.js';
import { attemptPath, inPath } from '../shared/paths.js';
import { Badge, itemSaid, markOf, nodeSaid, outcomeSaid, type Said, Since } from '../shared/status.js';
import { capital, countOf, durationOf, lineOf, moneyOf } from '../shared/text.js';
import { DependencyPicture } from './dependencies.js';
import { itemNouns, itemsShown, type RunView, wavesOf } from './run-view.js';

interface ChainProps {
  readonly view: RunView;
  readonly now: number;
  readonly itemsFrom: number | null;
}

export function Chain({ view, now, itemsFrom }: ChainProps) {
  const { nodes, from, count } = view.stretch('');
  if (nodes.length === 0)
    return (
      <p class="panel empty">
        {isRunOver(view.spine.run.status)
          ? 'The run ended before it had any steps.'
          : 'The steps are laid out when the run starts.'}
      </p>
    );
  const groups = besideOf(nodes, view);
  return (
    <>
      <Pager view={view} what="steps" label="Steps" from={from} shown={nodes.length} count={count} />
      <ol class="chain">
        {groups.map((group, index) => (
          <li class={group.some(hasBody) || group.length > 1 ? 'full' : undefined}>
            {index === 0 ? null : <Arrow />}
            <Group group={group} view={view} now={now} itemsFrom={itemsFrom} />
          </li>
        ))}
      </ol>
    </>
  );
}

interface PagerProps {
  readonly view: RunView;
  readonly what: 'steps' | 'items';
  readonly label: string;
  readonly from: number;
  readonly shown: number;
  readonly count: number;
}

/** '': all of the list is shown. */
function Pager({ view, what, label, from, shown, count }: PagerProps) {
  if (count <= shown) return null;
  const path = `/runs/${view.spine.run.id}?${what}=`;
  return (
    <p class="soft row">
      <span>
        {label} {from + 1} to {from + shown} of {count}
      </span>
      {view.hasAttempts && from > 0 ? <a href={`${path}${Math.max(0, from - shown)}#chain`}>Earlier</a> : null}
      {view.hasAttempts && from + shown < count ? <a href={`${path}${from + shown}#chain`}>Later</a> : null}
    </p>
  );
}

function Arrow() {
  return (
    <svg class="arrow" viewBox="0 0 20 12" width="20" height="12" aria-hidden="true">
      <path d="M1 6h16M12.5 1.5 17.5 6l-5 4.5" fill="none" stroke="currentColor" stroke-width="1.6" />
    </svg>
  );
}

function besideOf(nodes: readonly Node[], { defs }: RunView): readonly (readonly Node[])[] {
  const groups: Node[][] = [];
  for (const node of nodes) {
    const before = groups.at(-1);
    const last = before?.at(-1);
    if (before && last && isBeside(defs.get(last.template), defs.get(node.template))) before.push(node);
    else groups.push([node]);
  }
  return groups;
}

function isBeside(first: NodeDef | undefined, next: NodeDef | undefined): boolean {
  if (!first || !next || next.barrier || first.barrier) return false;
  return next.needs !== null && !next.needs.includes(first.id);
}

function Group({ group, view, now, itemsFrom }: ChainProps & { readonly group: readonly Node[] }) {
  const [first] = group;
  if (!first) return null;
  if (group.length === 1 && hasBody(first)) return <Loop node={first} view={view} now={now} itemsFrom={itemsFrom} />;
  if (group.length === 1) return <NodeBox node={first} view={view} now={now} />;
  return (
    <div class="beside">
      <p class="soft">Side by side</p>
      <ul class="items">
        {group.map((node) => (
          <li>
            <NodeBox node={node} view={view} now={now} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function saidOfNode({ spine, saidOf }: RunView, node: Node): Said {
  const open = spine.interactions.find((one) => one.node === node.id && one.state === 'open');
  return node.state === 'needs_human' && open !== undefined ? saidOf(open) : nodeSaid(node.state);
}

function NodeBox({ node, view, now }: { readonly node: Node; readonly view: RunView; readonly now: number }) {
  const said = saidOfNode(view, node);
  const { tone } = said;
  const attempt = node.live ?? node.last;
  const { tag } = nodeKinds[node.kind];
  const inserted = node.insertedBy !== null || node.description !== null ? ' inserted' : '';
  const inner = (
    <>
      <span class="row">
        <span class="name">{lineOf(node.template, 60)}</span>
        {tag === '' ? null : <span class="tag">{tag}</span>}
        {inserted === '' ? null : <span class="tag">added</span>}
      </span>
      <span>
        <Badge {...said} />
      </span>
      <span class="facts-line num">{factsOf(node, view, now)}</span>
      {node.description === null ? null : <span class="soft">{lineOf(node.description, 90)}</span>}
    </>
  );
  if (attempt === null || !view.hasAttempts) return <div class={`node ${tone}${inserted}`}>{inner}</div>;
  return (
    <a class={`node ${tone}${inserted}`} href={attemptPath(view.spine.run.id, attempt.id)}>
      {inner}
    </a>
  );
}

function factsOf(node: Node, { defs }: RunView, now: number) {
  const most = defs.get(node.template)?.maxAttempts ?? 1;
  const { last, live } = node;
  const facts = [
    node.attempt > 1 || (most > 1 && (last !== null || live !== null))
      ? `attempt ${node.attempt} of ${Math.max(most, node.attempt)}`
      : '',
    node.verdict === null ? '' : `decided: ${node.verdict}`,
    node.retry > 0 ? `fixed ${countOf(node.retry, 'time')}` : '',
    node.state === 'skipped' && node.skipReason ? lineOf(skipText(node.skipReason), 40) : '',
    last !== null && last.outcome !== null && last.outcome !== 'pass' && live === null
      ? outcomeSaid(last.outcome).word
      : '',
    last?.tests ? `tests ${last.tests.pass}/${last.tests.pass + last.tests.fail}` : '',
    last !== null && live === null && last.durationMs > 0 ? durationOf(last.durationMs) : '',
    last?.costUsd ? moneyOf(last.costUsd) : '',
  ].filter((one) => one !== '');
  return (
    <>
      {facts.map((fact) => (
        <span>{fact}</span>
      ))}
      {live?.startedAt ? <Since at={live.startedAt} now={now} /> : null}
    </>
  );
}

function Loop({ node, view, now, itemsFrom }: ChainProps & { readonly node: Node }) {
  const all = view.spine.items.filter(({ loop }) => loop === node.id);
  const { items, from } = itemsShown(all, itemsFrom);
  const def = view.defs.get(node.template);
  const parallel = def && hasBody(def) ? def.parallel : 1;
  const hasOrder = all.some(({ dependsOn }) => dependsOn.length > 0) || parallel > 1;
  const waves = hasOrder ? wavesOf(items) : [items];
  const done = all.filter(({ status }) => status === 'done').length;
  const [one, many] = itemNouns([def]);
  return (
    <div class="loop">
      <div class="headline">
        <div class="row">
          <strong>{lineOf(node.title, 80)}</strong>
          <Badge {...saidOfLoop(view, node, all)} />
        </div>
        <span class="soft num">
          {all.length === 0 ? `no ${many} yet` : `${done} of ${countOf(all.length, one, many)} done`}
          {parallel > 1 ? ` · ${parallel} side by side` : ''}
        </span>
      </div>
      {all.length > 1 ? <progress max={all.length} value={done} aria-label={`${capital(many)} done`}></progress> : null}
      {items.some(({ dependsOn }) => dependsOn.length > 0) ? <DependencyPicture waves={waves} /> : null}
      {waves.map((wave, index) => (
        <div class="wave">
          {waves.length > 1 ? (
            <p class="soft">
              Wave {index + 1}
              {wave.length > 1 ? `, ${wave.length} ${many} independent of each other` : ''}
            </p>
          ) : null}
          <ul class="items">
            {wave.map((item) => (
              <ItemBox item={item} view={view} now={now} />
            ))}
          </ul>
        </div>
      ))}
      <Pager view={view} what="items" label={capital(many)} from={from} shown={items.length} count={all.length} />
    </div>
  );
}

/** A loop works while a story does. */
function saidOfLoop(view: RunView, node: Node, items: readonly Item[]): Said {
  const said = items.map((item) => saidOfItem(view, item));
  const waits = said.find(({ tone }) => tone === 'wait' || tone === 'other');
  const isWorking = said.some(({ tone }) => tone === 'run');
  return node.state === 'running' && waits !== undefined && !isWorking ? waits : nodeSaid(node.state);
}

/** A question counts more than its work. */
export function saidOfItem(view: Pick<RunView, 'spine' | 'saidOf'>, item: Item): Said {
  const open = view.spine.interactions.find(({ chain, state }) => chain === item.key && state === 'open');
  return open === undefined ? itemSaid(item) : view.saidOf(open);
}

function ItemBox({ item, view, now }: { readonly item: Item; readonly view: RunView; readonly now: number }) {
  const { nodes, count } = view.stretch(item.key);
  return (
    <li class="item" id={`item-${inPath(item.key)}`}>
      <div class="row">
        <h3>{lineOf(item.key, 60)}</h3>
        <Badge {...saidOfItem(view, item)} />
        {item.startedAt !== null && item.endedAt === null && item.status === 'running' ? (
          <span class="soft">
            <Since at={item.startedAt} now={now} />
          </span>
        ) : null}
      </div>
      <p dir="auto">{lineOf(item.title, 120)}</p>
      {item.dependsOn.length > 0 ? (
        <p class="soft">
          after{' '}
          {item.dependsOn.slice(0, 8).map((key, index) => (
            <>
              {index > 0 ? ', ' : ''}
              <a href={`#item-${inPath(key)}`}>{lineOf(key, 60)}</a>
            </>
          ))}
        </p>
      ) : null}
      {nodes.length > 0 ? (
        <ol class="steps" aria-label={`Steps of ${lineOf(item.key, 60)}`}>
          {nodes.map((node) => (
            <li>
              <Step node={node} view={view} />
            </li>
          ))}
          {count > nodes.length ? (
            <li class="soft">
              <a href={`/api/runs/${view.spine.run.id}/nodes?item=${encodeURIComponent(item.key)}`}>
                {count - nodes.length} more
              </a>
            </li>
          ) : null}
        </ol>
      ) : null}
    </li>
  );
}

function Step({ node, view }: { readonly node: Node; readonly view: RunView }) {
  const said = saidOfNode(view, node);
  const { tone, word } = said;
  const attempt = node.live ?? node.last;
  const tries = node.attempt > 1 ? ` ×${node.attempt}` : '';
  const inserted = node.insertedBy !== null || node.description !== null;
  const inner = (
    <>
      <Icon name={markOf(said)} /> {lineOf(node.template, 40)}
      {tries}
      <span class="hidden">
        , {inserted ? 'added, ' : ''}
        {word}
      </span>
    </>
  );
  const look = `step ${tone}${inserted ? ' inserted' : ''}`;
  if (attempt === null || !view.hasAttempts) return <span class={look}>{inner}</span>;
  return (
    <a class={look} href={attemptPath(view.spine.run.id, attempt.id)}>
      {inner}
    </a>
  );
}
