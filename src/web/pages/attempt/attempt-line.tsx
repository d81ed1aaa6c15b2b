// One attempt as a line in a list that spans several runs.
import type { Child } from 'hono/jsx';
import type { Run } from '../../../engine/index.js';
import type { AttemptRow } from '../../../store/index.js';
import type { WebContext } from '../../context/web-context.js';
import { attemptPath } from '../shared/paths.js';
import { Since } from '../shared/status.js';
import { lineOf } from '../shared/text.js';

export interface AttemptKnown {
  readonly row: AttemptRow;
  readonly run: Run;
  readonly step: string;
}

/** null: the attempt is not in the store, or not yet. */
export function attemptKnown({ services }: Pick<WebContext, 'services'>, id: string): AttemptKnown | null {
  const { reader } = services.runtime;
  const row = reader.attempt(id);
  const run = row && reader.run(row.run);
  return row && run ? { row, run, step: reader.browsing.nodeName(row.run, row.node) ?? row.node } : null;
}

export function AttemptLine({
  web,
  known,
  since,
  children,
}: {
  readonly web: WebContext;
  readonly known: AttemptKnown;
  readonly since: number | null;
  readonly children?: Child;
}) {
  const { row, run, step } = known;
  const sign = web.services.runtime.lastSign(row.attempt.id);
  const doing = sign === null ? '' : lineOf(sign.action) || lineOf(sign.text) || lineOf(sign.line);
  return (
    <li class="attempt-line">
      <div class="row">
        <a class="whole" href={attemptPath(run.id, row.attempt.id)}>
          {row.chain === '' ? '' : `${lineOf(row.chain, 60)} `}
          {lineOf(step, 60)}
        </a>
        <span class="soft">
          <a href={`/runs/${run.id}`}>{`${lineOf(run.project, 60)} ${run.id}`}</a> · attempt {row.attempt.number}
        </span>
        {since === null ? null : (
          <span class={`badge ${row.attempt.state === 'running' ? 'run' : 'quiet'}`}>
            <Since at={since} now={web.now()} />
          </span>
        )}
      </div>
      {children === undefined || children === null || children === '' ? null : <p class="soft">{children}</p>}
      {doing === '' ? null : (
        <p class="soft mono" dir="auto">
          {doing}
        </p>
      )}
    </li>
  );
}
