// Running attempts of a run: what each does, for how long and at what cost.
import { definitions, type LiveAttempt, type Run, type Workflow } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { attemptPath } from '../shared/paths.js';
import { Badge, Since } from '../shared/status.js';
import { durationOf, lineOf, moneyOf, tokensOf } from '../shared/text.js';

const quietAfterMs = 60_000;

export interface AtWorkProps {
  readonly web: WebContext;
  readonly run: Run;
  readonly live: LiveAttempt;
  /** The run's own workflow; null: unknown. */
  readonly workflow: Workflow | null;
}

export function AtWork({ web, run, live, workflow }: AtWorkProps) {
  const { reader } = web.services.runtime;
  const sign = web.services.runtime.lastSign(live.attempt);
  const waits = live.startedAt === null ? web.services.runtime.waitsFor(live.attempt) : null;
  const row = reader.attempt(live.attempt);
  const most = workflow === null ? undefined : definitions(workflow).find(({ id }) => id === live.step)?.maxAttempts;
  const number = row?.attempt.number ?? 1;
  const doing = sign === null ? '' : lineOf(sign.action) || lineOf(sign.text) || lineOf(sign.line);
  const spent = [
    sign?.costUsd ? moneyOf(sign.costUsd) : '',
    sign && sign.tokensOut > 0 ? `${tokensOf(sign.tokensIn + sign.tokensOut)} tokens` : '',
  ].filter((one) => one !== '');
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
          <Badge tone="run" word="queued" />
        ) : (
          <span class="badge run">
            <Since at={live.startedAt} now={web.now()} />
          </span>
        )}
        {spent.length > 0 ? <span class="soft num">{spent.join(' · ')}</span> : null}
        {sign !== null && sign.silentMs >= quietAfterMs ? (
          <Badge tone="wait" word={`quiet for ${durationOf(sign.silentMs)}`} />
        ) : null}
      </div>
      {waits === null ? null : <p class="soft">waits for {lineOf(waits, 300)}</p>}
      {doing === '' ? null : (
        <p class="soft mono" dir="auto">
          {doing}
        </p>
      )}
    </li>
  );
}
