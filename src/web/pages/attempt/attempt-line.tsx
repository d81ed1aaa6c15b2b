import type { Child } from 'hono/jsx';
import { definitions, type LiveAttempt, type Run, type Workflow } from '../../../engine/index.js';
import type { AttemptRow } from '../../../store/index.js';
import type { WebContext, WebRuntime } from '../../context/web-context.js';
import { Icon } from '../shared/icons.js';
import { attemptPath } from '../shared/paths.js';
import { Badge, Since } from '../shared/status.js';
import { dotted, durationOf, lineOf, moneyOf, tokensOf } from '../shared/text.js';

const quietAfterMs = 60_000;

export interface AttemptKnown {
  readonly row: AttemptRow;
  readonly run: Run;
  readonly step: string;
}

/** Null: not stored (yet). */
export function attemptKnown({ services }: Pick<WebContext, 'services'>, id: string): AttemptKnown | null {
  const { reader } = services.runtime;
  const row = reader.attempt(id);
  const run = row && reader.run(row.run);
  return row && run ? { row, run, step: reader.browsing.nodeName(row.run, row.node) ?? row.node } : null;
}

interface AttemptLineProps {
  readonly web: WebContext;
  readonly known: AttemptKnown;
  readonly since: number | null;
  readonly children?: Child;
}

export function AttemptLine({ web, known, since, children }: AttemptLineProps) {
  const { row, run, step } = known;
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
      <LastAction sign={web.services.runtime.lastSign(row.attempt.id)} />
    </li>
  );
}

function LastAction({ sign }: { readonly sign: ReturnType<WebRuntime['lastSign']> }) {
  const doing = sign === null ? '' : lineOf(sign.action) || lineOf(sign.text) || lineOf(sign.line);
  if (doing === '') return null;
  return (
    <p class="soft mono" dir="auto">
      {doing}
    </p>
  );
}

interface AtWorkProps {
  readonly web: WebContext;
  readonly run: Run;
  readonly live: LiveAttempt;
  /** Null: workflow unknown. */
  readonly workflow: Workflow | null;
}

export function AtWork({ web, run, live, workflow }: AtWorkProps) {
  const { reader } = web.services.runtime;
  const sign = web.services.runtime.lastSign(live.attempt);
  const waits = live.startedAt === null ? web.services.runtime.waitsFor(live.attempt) : null;
  const row = reader.attempt(live.attempt);
  const most = workflow === null ? undefined : definitions(workflow).find(({ id }) => id === live.step)?.maxAttempts;
  const number = row?.attempt.number ?? 1;
  const spent = dotted([
    sign?.costUsd ? moneyOf(sign.costUsd) : '',
    sign && sign.tokensOut > 0 ? `${tokensOf(sign.tokensIn + sign.tokensOut)} tokens` : '',
  ]);
  return (
    <li>
      <div class="row">
        <a class="whole" href={attemptPath(run.id, live.attempt)}>
          {live.chain === '' ? '' : `${lineOf(live.chain, 60)} `}
          {lineOf(live.step, 60)}
        </a>
        <span class="soft">
          attempt {number}
          {most === undefined ? '' : ` of ${Math.max(most, number)}`}
        </span>
        {live.startedAt === null ? (
          <Badge tone="quiet" word="queued" mark="queue" />
        ) : (
          <span class="badge run">
            <Icon name="work" />
            <Since at={live.startedAt} now={web.now()} />
          </span>
        )}
        {spent === '' ? null : <span class="soft num">{spent}</span>}
        {sign !== null && sign.silentMs >= quietAfterMs ? (
          <Badge tone="wait" word={`no sign for ${durationOf(sign.silentMs)}`} />
        ) : null}
      </div>
      {waits === null ? null : <p class="soft">waits for {lineOf(waits, 300)}</p>}
      <LastAction sign={sign} />
    </li>
  );
}
