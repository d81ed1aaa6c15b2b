// A list of runs.
import type { Run } from '../../../engine/index.js';
import { projectPath } from '../shared/paths.js';
import { Ago, Badge, Empty, runSaid } from '../shared/status.js';
import { costOf, durationOf, lineOf } from '../shared/text.js';

export function RunRows({
  runs,
  now,
  withProject,
}: {
  readonly runs: readonly Run[];
  readonly now: number;
  readonly withProject: boolean;
}) {
  if (runs.length === 0)
    return (
      <Empty title="No runs here">
        <p>
          Send a task in the <a href="/chat">chat</a>.
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
                {lineOf(run.task, 120) || run.id}
              </a>
            </div>
            <Badge {...runSaid(run)} />
          </div>
          <p class="soft row num">
            <span>{run.id}</span>
            {withProject ? <a href={projectPath(run.project)}>{lineOf(run.project, 60)}</a> : null}
            <span>{lineOf(run.workflow, 60)}</span>
            <Ago at={run.startedAt ?? run.createdAt} now={now} />
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
