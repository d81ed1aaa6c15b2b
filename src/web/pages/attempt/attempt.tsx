import type { WebContext } from '../../context/web-context.js';
import { DiffView } from '../diff/diff-view.js';
import { Icon } from '../shared/icons.js';
import { Tabs } from '../shared/layout.js';
import { attemptPath, projectPath } from '../shared/paths.js';
import { RunActions } from '../shared/run-actions.js';
import { Badge, markOf, Since } from '../shared/status.js';
import { countOf, durationOf, lineOf, moneyOf, shortened, tokensOf } from '../shared/text.js';
import { failureWords, isFailed, saidOf } from './attempt-said.js';
import type { AttemptShown, Show } from './attempt-shown.js';
import { Comparison } from './comparison.js';
import { Evidence } from './evidence.js';
import { isFailure } from './log-entries.js';
import { LogPanel } from './log-panel.js';

export function AttemptPage({ web, shown }: { readonly web: WebContext; readonly shown: AttemptShown }) {
  const { row, spine, step, show, others } = shown;
  const { run } = spine;
  const { attempt } = row;
  const path = attemptPath(run.id, attempt.id);
  const tabs: Readonly<Record<Exclude<Show, 'compare'>, string>> = {
    log: 'Log',
    report: 'Report',
    diff: 'Changes',
    prompt: 'Prompt',
  };
  return (
    <>
      <div id="head" data-live class="title">
        <p class="crumbs">
          <a href={projectPath(run.project)}>{lineOf(run.project)}</a> <span aria-hidden="true">/</span>
          <a href={`/runs/${run.id}`} dir="auto">
            {run.id} {lineOf(run.task, 60)}
          </a>
          {row.chain === '' ? null : (
            <>
              <span aria-hidden="true">/</span> <span>{lineOf(row.chain, 60)}</span>
            </>
          )}
        </p>
        <div class="headline">
          <div class="row">
            <h1>
              {lineOf(step, 60)}, attempt {tryOf(shown)}
            </h1>
            <Badge {...saidOf(attempt)} />
          </div>
          {attempt.outcome !== null && attempt.outcome !== 'pass' && attempt.id === others.at(-1)?.attempt.id ? (
            <RunActions web={web} run={run} />
          ) : null}
        </div>
        <div class="row dots">
          <span class="soft num">
            {attempt.endedAt === null && attempt.startedAt !== null ? (
              <>
                for <Since at={attempt.startedAt} now={web.now()} />
              </>
            ) : (
              durationOf(attempt.durationMs)
            )}
          </span>
          {attempt.costUsd || attempt.isUnpriced ? (
            <span class="soft num">{attempt.isUnpriced ? 'cost unknown' : moneyOf(attempt.costUsd ?? 0)}</span>
          ) : null}
          {attempt.tokensOut ? (
            <span class="soft num">{tokensOf((attempt.tokensIn ?? 0) + attempt.tokensOut)} tokens</span>
          ) : null}
          {attempt.program === null ? null : <span class="soft">{lineOf(attempt.program, 80)}</span>}
        </div>
        {attempt.summary === null || isFailed(attempt) ? null : (
          <p dir="auto" class="soft">
            {lineOf(attempt.summary, 240)}
          </p>
        )}
        {others.length > 1 ? (
          <nav class="steps" aria-label="Other attempts of this step">
            {others.map((other, index) => (
              <a
                class={`step ${saidOf(other.attempt).tone}`}
                href={`${attemptPath(run.id, other.attempt.id)}?show=${show}`}
                aria-current={other.attempt.id === attempt.id ? 'page' : undefined}
              >
                <Icon name={markOf(saidOf(other.attempt))} /> attempt {index + 1}
                <span class="hidden">: {saidOf(other.attempt).word}</span>
              </a>
            ))}
            <CompareLink shown={shown} path={path} />
          </nav>
        ) : null}
        <Tabs
          label="This attempt"
          tabs={Object.fromEntries(Object.entries(tabs).map(([name, label]) => [pathOf(path, name), label]))}
          current={pathOf(path, show)}
        />
      </div>
      <div id="failure" data-live>
        {isFailed(attempt) ? <FailureNote shown={shown} /> : null}
      </div>
      <section id="shown" data-live aria-label={show === 'compare' ? 'Comparison' : tabs[show]}>
        <Shown shown={shown} path={path} />
      </section>
    </>
  );
}

function CompareLink({ shown, path }: { readonly shown: AttemptShown; readonly path: string }) {
  const first = Math.max(0, tryOf(shown) - 2);
  return (
    <a href={pathOf(path, 'compare')} aria-current={shown.show === 'compare' ? 'page' : undefined}>
      Compare {first + 1} and {first + 2}
    </a>
  );
}

/** Counts over all rounds. */
function tryOf({ others, row }: AttemptShown): number {
  return others.findIndex(({ attempt }) => attempt.id === row.attempt.id) + 1 || row.attempt.number;
}

/** The log's reason, and a note if earlier tries failed alike. */
function FailureNote({ shown }: { readonly shown: AttemptShown }) {
  const { row, others, log } = shown;
  const words = failureWords(row.attempt);
  const failures = log?.lines.filter(isFailure) ?? [];
  // The agent's words tell more than a command's.
  const told = failures.findLast(({ source }) => source !== 'tool') ?? failures.at(-1);
  const last = lineOf((told?.text ?? '').replace(/^(?:SUMMARY|REASON): /, ''), 240);
  const alike = others.filter(
    (other) => other !== row && isFailed(other.attempt) && failureWords(other.attempt) === words,
  );
  const isAlike = alike.filter(({ attempt }) => attempt.id !== row.attempt.id).length;
  return (
    <div class="notice bad">
      <Icon name="fail" />
      <div>
        <p dir="auto">
          <strong>{last || words || 'It failed without any output.'}</strong>
        </p>
        {last === '' || last.includes(words) ? null : (
          <p class="soft" dir="auto">
            {words}
          </p>
        )}
        {isAlike === 0 ? null : <p class="soft">{countOf(isAlike, 'other attempt')} failed with the same words.</p>}
      </div>
      {failures[0] === undefined ? null : (
        <a class="button line" href={`#L${failures[0].n}`}>
          First error
        </a>
      )}
    </div>
  );
}

function pathOf(attempt: string, tab: string): string {
  return tab === 'log' ? attempt : `${attempt}?show=${tab}`;
}

function Shown({ shown, path }: { readonly shown: AttemptShown; readonly path: string }) {
  const { log, prompt, changes, row } = shown;
  switch (shown.show) {
    case 'log':
      return log === null ? (
        <p class="panel empty">There is no log: the attempt has not started yet, or its project has moved.</p>
      ) : (
        <LogPanel log={log} path={path} shown={shown} />
      );
    case 'prompt':
      return prompt === null || prompt === '' ? (
        <p class="panel empty">
          {prompt === ''
            ? 'A check has no prompt: it runs a command.'
            : "The run's history is too long to rebuild the prompt here."}
        </p>
      ) : (
        <>
          <p class="soft">Rebuilt from the run's history.</p>
          <pre class="block" dir="auto" tabindex={0}>
            {shortened(prompt, 60_000)}
          </pre>
        </>
      );
    case 'diff':
      if (changes === null || changes.kind === 'none')
        return <p class="panel empty">{lineOf(changes?.why ?? 'Its project is no longer configured.', 300)}</p>;
      return changes.patch === '' ? (
        <p class="panel empty">This attempt changed nothing.</p>
      ) : (
        <>
          {changes.untilNow ? <p class="soft">Changes up to now: no later attempt worked in this checkout.</p> : null}
          <DiffView patch={changes.patch} />
        </>
      );
    case 'compare':
      return shown.compared === null ? (
        <p class="panel empty">There is only one attempt of this step.</p>
      ) : (
        <Comparison run={row.run} compared={shown.compared} />
      );
    case 'report':
      return <Evidence attempt={row.attempt} envelope={shown.envelope} />;
  }
}
