import type { Run } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { projectPath } from '../shared/paths.js';
import { Ago, Badge, Empty } from '../shared/status.js';
import { costOf, durationOf, lineOf } from '../shared/text.js';
import { stateOfRun } from '../shared/work-state.js';

export function RunRows({
  web,
  runs,
  withProject,
  words = '',
}: {
  readonly web: WebContext;
  readonly runs: readonly Run[];
  readonly withProject: boolean;
  readonly words?: string;
}) {
  if (runs.length === 0)
    return (
      <Empty title="No runs here">
        <p>
          Give Bosun a <a href="#new">new task</a>.
        </p>
      </Empty>
    );
  return (
    <ul class="panel list">
      {runs.map((run) => (
        <li>
          <div class="headline">
            <div class="row">
              <a class="whole" href={`/runs/${run.id}`} dir="auto">
                <Marked text={lineOf(run.task, 120) || run.id} words={words} />
              </a>
            </div>
            <Badge {...stateOfRun(web, run)} />
          </div>
          <p class="soft row num">
            <span>{run.id}</span>
            {withProject ? <a href={projectPath(run.project)}>{lineOf(run.project, 60)}</a> : null}
            <span>{lineOf(run.workflow, 60)}</span>
            <Ago at={run.startedAt ?? run.createdAt} now={web.now()} />
            {run.startedAt !== null && run.endedAt !== null && run.endedAt >= run.startedAt ? (
              <span>took {durationOf(run.endedAt - run.startedAt)}</span>
            ) : null}
            {run.costUsd > 0 || run.unpriced ? <span>{costOf(run)}</span> : null}
          </p>
        </li>
      ))}
    </ul>
  );
}

/** Ignores case, like the search. */
export function Marked({ text, words }: { readonly text: string; readonly words: string }) {
  const at = words === '' ? -1 : text.toLowerCase().indexOf(words.toLowerCase());
  if (at < 0) return <>{text}</>;
  const end = at + words.length;
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  );
}
