import { BosunError } from '../../../base/index.js';
import { checkWorkflow, listWorkflows } from '../../../config/index.js';
import { definitions, describeWorkflow, formatProblem, type Run, type Workflow } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { RunHead } from '../run/run.js';
import { inPath } from '../shared/paths.js';
import { countOf, lineOf, shortened } from '../shared/text.js';
import { type Box, boxSize, type Edge, type FrameBox, graphOf } from './graph.js';

const maxListed = 200;

export function Workflows({ web }: { readonly web: WebContext }) {
  const projects = web.services.config().projects;
  const found = new Map(
    [null, ...projects.map(({ root }) => root)].flatMap((root) =>
      listWorkflows({ root, home: web.services.home.dir }).map((one) => [one.name, one] as const),
    ),
  );
  return (
    <>
      <h1>Workflows</h1>
      <ul class="panel list">
        {[...found.keys()]
          .sort()
          .slice(0, maxListed)
          .map((name) => {
            const users = projects.filter(({ workflow }) => workflow === name).map((one) => lineOf(one.name, 60));
            return (
              <li>
                <div class="headline">
                  <a class="whole" href={`/workflows/${inPath(name)}`}>
                    {lineOf(name, 80)}
                  </a>
                  {users.length > 0 ? <span class="soft">used by {users.join(', ')}</span> : null}
                </div>
                <p class="soft" dir="auto">
                  {describedIn(web, name)}
                </p>
              </li>
            );
          })}
      </ul>
    </>
  );
}

const maxSteps = 8;

/** `Plan, build, review: plan → stories → review`; the title alone says little. */
function describedIn(web: WebContext, name: string): string {
  try {
    const { title, chain } = workflowNamed(web, name);
    const steps = chain.slice(0, maxSteps).map(({ id }) => lineOf(id, 40));
    const all = [...steps, ...(chain.length > steps.length ? ['…'] : [])].join(' → ');
    return title === name || title === '' ? all : `${lineOf(title, 120)}: ${all}`;
  } catch {
    return 'It has a problem: open it to see which.';
  }
}

/** Security: by name, because a path could read others' files. */
export function workflowNamed({ services }: WebContext, name: string): Workflow {
  const roots = [null, ...services.config().projects.map(({ root }) => root)];
  const root = roots.find((one) =>
    listWorkflows({ root: one, home: services.home.dir }).some((found) => found.name === name),
  );
  if (root === undefined)
    throw new BosunError('not_found', `No workflow "${lineOf(name, 80)}"`, {
      hint: 'The page Workflows lists all of them.',
    });
  const loaded = checkWorkflow(name, {
    root,
    cwd: root ?? '/',
    home: services.home.dir,
    opens: 'listed',
  });
  if (loaded.ok) return loaded.workflow;
  const [first] = loaded.problems;
  throw new BosunError('bad_workflow', `The workflow ${name} has ${countOf(loaded.problems.length, 'problem')}`, {
    hint: first ? formatProblem(first) : 'See "bosun workflow check".',
  });
}

export function WorkflowPage({
  web,
  workflow,
  run,
}: {
  readonly web: WebContext;
  readonly workflow: Workflow;
  readonly run: Run | null;
}) {
  return (
    <>
      {run === null ? (
        <div class="title">
          <p class="crumbs">
            <a href="/workflows">Workflows</a>
          </p>
          <h1>{lineOf(workflow.name, 80)}</h1>
          <p class="soft">
            {lineOf(workflow.title, 200)} · {countOf(definitions(workflow).length, 'step')}
          </p>
        </div>
      ) : (
        <RunHead web={web} run={run} path="/workflow" />
      )}
      <section aria-labelledby="graph-title">
        <div class="headline">
          <h2 id="graph-title">As a graph</h2>
          <p class="soft">solid: next step · dashed: back, around, or added when needed</p>
        </div>
        <GraphView workflow={workflow} />
      </section>
      <section aria-labelledby="words-title">
        <h2 id="words-title">In words</h2>
        <pre class="block" tabindex={0}>
          {shortened(describeWorkflow(workflow), 20_000)}
        </pre>
      </section>
    </>
  );
}

function GraphView({ workflow }: { readonly workflow: Workflow }) {
  const graph = graphOf(workflow);
  const { width, height } = graph;
  return (
    <section class="panel scroll figure" tabindex={0} aria-label={`${lineOf(workflow.name, 60)} as a graph`}>
      <svg
        class="picture"
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label="The section below describes the graph in words"
      >
        {graph.frames.map((frame) => (
          <Frame frame={frame} />
        ))}
        {graph.edges.map((edge, index) => (
          <EdgeLine edge={edge} index={index} nth={nthInsertion(graph.edges, index)} />
        ))}
        {graph.boxes.map((box) => (
          <BoxShape box={box} />
        ))}
      </svg>
    </section>
  );
}

function Frame({ frame }: { readonly frame: FrameBox }) {
  return (
    <g>
      <rect class="frame" x={frame.x} y={frame.y} width={frame.width} height={frame.height} rx={12} />
      {frame.title === '' ? null : (
        <text class="small" x={frame.x + 12} y={frame.y + 17}>
          fragment {lineOf(frame.title, 22)}
        </text>
      )}
    </g>
  );
}

function BoxShape({ box }: { readonly box: Box }) {
  const { width, height } = boxSize;
  const radius = box.shape === 'end' || box.shape === 'stadium' ? height / 2 : 8;
  return (
    <g class={box.tone}>
      <rect class="box" x={box.x} y={box.y} width={width} height={height} rx={radius} />
      {box.shape === 'end' ? null : (
        <rect class="strip" x={box.x + 10} y={box.y + 10} width={4} height={height - 20} rx={2} />
      )}
      {box.shape === 'end' ? (
        <text x={box.x + width / 2} y={box.y + height / 2 + 4} text-anchor="middle">
          {box.title}
        </text>
      ) : (
        <>
          <text x={box.x + 24} y={box.y + 20}>
            {lineOf(box.title, 22)}
          </text>
          <text class="small" x={box.x + 24} y={box.y + 36}>
            {lineOf(box.note, 26)}
          </text>
        </>
      )}
    </g>
  );
}

interface Numbered {
  readonly edge: Edge;
  readonly index: number;
}

/** Its rank at the box, to stack labels. */
function nthInsertion(edges: readonly Edge[], index: number): number {
  const from = edges[index]?.from.id;
  return edges.slice(0, index).filter(({ kind, from: { id } }) => kind === 'insert' && id === from).length;
}

function EdgeLine({ edge, index, nth }: Numbered & { readonly nth: number }) {
  if (edge.kind === 'on') return <Onward edge={edge} />;
  if (edge.kind === 'insert') return <Insertion edge={edge} index={index} nth={nth} />;
  return <Back edge={edge} index={index} />;
}

function Onward({ edge }: { readonly edge: Edge }) {
  const x = edge.from.x + boxSize.width / 2;
  const [y1, y2] = [edge.from.y + boxSize.height, edge.to.y];
  return (
    <>
      <path class="edge" d={`M${x} ${y1}V${y2 - 5}`} />
      <path class="head" d={`M${x} ${y2}l-4 -7h8z`} />
    </>
  );
}

/** Lanes keep edges from overlapping. */
function Back({ edge, index }: Numbered) {
  const { from, to } = edge;
  const [y1, y2] = [
    from.y + boxSize.height / 2 + 6,
    to.y + boxSize.height / 2 - (from.id === ('id' in to ? to.id : '') ? 8 : 0),
  ];
  const reach = 34 + Math.min(70, Math.abs(y1 - y2) / 6) + (index % 3) * 9;
  const x = from.x;
  return (
    <>
      <path class="edge aside" d={`M${x} ${y1}C${x - reach} ${y1} ${x - reach} ${y2} ${to.x - 5} ${y2}`} />
      <path class="head" d={`M${to.x} ${y2}l-7 -4v8z`} />
      <text class="small" x={x - reach * 0.76 - 3} y={(y1 + y2) / 2 + 3} text-anchor="end">
        {lineOf(edge.label, 24)}
      </text>
    </>
  );
}

function Insertion({ edge, index, nth }: Numbered & { readonly nth: number }) {
  const { from, to } = edge;
  const [x1, y1] = [from.x + boxSize.width, from.y + 14 + (nth % 3) * 14];
  const [x2, y2] = [to.x, to.y + 24 + (index % 4) * 8];
  const middle = (x1 + x2) / 2;
  return (
    <>
      <path class="edge aside" d={`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2 - 5} ${y2}`} />
      <path class="head" d={`M${x2} ${y2}l-7 -4v8z`} />
      <text class="small" x={x1 + 8} y={y1 - 4}>
        {lineOf(edge.label, 24)}
      </text>
    </>
  );
}
