// The page of one attempt: log, prompt, report, evidence and changes.
import type { Context } from 'hono';
import { projectNamed } from '../../../config/index.js';
import { type Changes, changesOf } from '../../../dispatch/index.js';
import { type Envelope, renderPrompt, runsAgent } from '../../../engine/index.js';
import type { AttemptRow, HistoryReader, HomeReader, Spine } from '../../../store/index.js';
import { type Env, inSlot, type WebContext } from '../../context/web-context.js';
import { envelopeOf, logPlaceOf } from '../../http/attempt-record.js';
import { problem } from '../../http/problem.js';
import { DiffView } from '../diff/diff-view.js';
import { Icon } from '../shared/icons.js';
import { type Freshness, Tabs } from '../shared/layout.js';
import { attemptPath, projectPath } from '../shared/paths.js';
import { maxReplayed, replayed } from '../shared/replay.js';
import { RunActions } from '../shared/run-actions.js';
import { Badge, markOf, Since } from '../shared/status.js';
import { countOf, durationOf, lineOf, moneyOf, shortened, sizeOf, tokensOf } from '../shared/text.js';
import { failureWords, isFailed, saidOf } from './attempt-said.js';
import { Evidence } from './evidence.js';
import { type LogEnd, longTailBytes, readLogEnd, streamLog, tailBytes } from './log-file.js';
import { isFailure, LogView } from './log-view.js';

type Show = 'log' | 'prompt' | 'diff' | 'report';

interface AttemptShown {
  readonly row: AttemptRow;
  readonly spine: Spine;
  readonly step: string;
  readonly show: Show;
  readonly isMore: boolean;
  readonly find: string;
  readonly only: '' | 'errors';
  readonly others: readonly AttemptRow[];
  readonly log: LogEnd | null;
  readonly prompt: string | null;
  readonly changes: Changes | null;
  readonly envelope: Envelope | null;
}

interface AttemptWanted {
  readonly run: string;
  readonly attempt: string;
  readonly show: Show;
  readonly isMore: boolean;
  /** Only lines with these words; empty: all. */
  readonly find: string;
  readonly only: '' | 'errors';
}

/** Reads only the tab that is shown. */
export async function attemptShown(web: WebContext, wanted: AttemptWanted): Promise<AttemptShown | null> {
  const { services } = web;
  const { reader } = services.runtime;
  const { show, isMore, find, only } = wanted;
  const row = reader.attempt(wanted.attempt);
  const spine = row?.run === wanted.run ? reader.spine(row.run) : null;
  if (!row || !spine) return null;
  const step = reader.browsing.nodeName(row.run, row.node) ?? row.node;
  const project = projectNamed(services.config(), spine.run.project);
  return {
    ...{ row, spine, step, show, isMore, find, only },
    others: reader.attempts(row.run, row.node),
    log: show === 'log' ? await readLogEnd(logPlaceOf(web, row), isMore ? longTailBytes : tailBytes) : null,
    prompt: show === 'prompt' ? await inSlot(web, () => promptOf(reader, spine, row)) : null,
    changes: show === 'diff' && project ? await inSlot(web, () => changesOf(reader, spine, project, row)) : null,
    envelope: show === 'report' ? envelopeOf(reader, row) : null,
  };
}

/** Prompts are not stored: rebuilds this one by replaying the run's events. */
async function promptOf(
  reader: HistoryReader & Pick<HomeReader, 'browsing' | 'homeId' | 'path'>,
  { run, workflow }: Spine,
  row: AttemptRow,
): Promise<string | null> {
  const { id } = row.attempt;
  const count = Math.min(maxReplayed, reader.browsing.countEvents(run.id));
  const { world } = await replayed({
    ...{ reader, run: run.id, workflow, count },
    until: ({ chains }) => chains.get(row.chain)?.nodes.some(({ live }) => live?.id === id) ?? false,
  });
  const chain = world.chains.get(row.chain);
  const node = chain?.nodes.find(({ live }) => live?.id === id);
  if (world.state === null || !chain || !node) return null;
  return runsAgent(node) ? renderPrompt({ ...world.state, chain }, node.id).text : '';
}

export async function sendLog(c: Context<Env>, web: WebContext): Promise<Response> {
  const { reader } = web.services.runtime;
  const row = reader.attempt((c.req.param('attempt') ?? '').slice(0, 200));
  const stream = row && row.run === c.req.param('run') ? await streamLog(logPlaceOf(web, row)) : null;
  if (!row || stream === null)
    return problem(
      404,
      'not_found',
      'There is no log of this attempt',
      'The attempt may not have started yet, or its log was deleted.',
    );
  const name = `${row.attempt.id.replace(/[^\w.-]+/g, '-')}.jsonl`;
  const headers = {
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="${name}"`,
  };
  if (c.req.method === 'HEAD') {
    // A HEAD response has no body: close the file at once.
    await stream.cancel();
    return new Response(null, { headers });
  }
  return new Response(stream, { headers });
}

/**
 * A prompt never changes, and a finished attempt does not either. For a running one, a diff or a long log is expensive.
 */
export function freshnessOf({ row, show, isMore }: AttemptShown): Freshness {
  const isDear = show === 'diff' || isMore;
  if (show === 'prompt' || (isDear && row.attempt.endedAt !== null)) return 'still';
  return isDear ? 'slow' : 'quick';
}

export function AttemptPage({ web, shown }: { readonly web: WebContext; readonly shown: AttemptShown }) {
  const { row, spine, step, show, others } = shown;
  const { run } = spine;
  const { attempt } = row;
  const path = attemptPath(run.id, attempt.id);
  const tabs: Readonly<Record<Show, string>> = {
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
        <div class="row">
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
      <section id="shown" data-live aria-label={tabs[show]}>
        <Shown shown={shown} path={path} />
      </section>
    </>
  );
}

/** Counted over all rounds of the step. */
function tryOf({ others, row }: AttemptShown): number {
  return others.findIndex(({ attempt }) => attempt.id === row.attempt.id) + 1 || row.attempt.number;
}

/** Why it failed, where the log says so, and whether the tries before failed alike. */
function FailureNote({ shown }: { readonly shown: AttemptShown }) {
  const { row, others, log } = shown;
  const words = failureWords(row.attempt);
  const last = lineOf(log?.lines.findLast(isFailure)?.text ?? '', 240);
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
      {log === null || log.lines.find(isFailure) === undefined ? null : (
        <a class="button line" href="#first-error">
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
        <Log log={log} path={path} shown={shown} />
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
    case 'report':
      return <Evidence attempt={row.attempt} envelope={shown.envelope} />;
  }
}

interface LogProps {
  readonly log: LogEnd;
  readonly path: string;
  readonly shown: AttemptShown;
}

function Log({ log, path, shown: { isMore, find, only, row } }: LogProps) {
  const words = find.trim().toLowerCase();
  const errors = log.lines.filter(isFailure);
  const looked = only === 'errors' ? errors : log.lines;
  const lines = words === '' ? looked : looked.filter(({ text }) => text.toLowerCase().includes(words));
  const link = (of: 'errors' | '') => {
    const set = new URLSearchParams(
      Object.entries({ only: of, find: words, more: isMore ? '1' : '' }).filter(([, value]) => value !== ''),
    );
    return set.size === 0 ? path : `${path}?${set}`;
  };
  return (
    <>
      <form class="log-search" method="get" action={path} data-key="log-search">
        <label for="find">
          <span class="hidden">Search this log</span>
          <input
            id="find"
            type="search"
            name="find"
            maxlength={100}
            value={lineOf(find, 100)}
            placeholder="Search this log"
            data-first
          />
        </label>
        {isMore ? <input type="hidden" name="more" value="1" /> : null}
        <button type="submit">Search</button>
        <div class="row">
          {errors.length === 0 ? null : (
            <span class="seg">
              <a href={link('')} aria-current={only === '' ? 'true' : undefined}>
                All <b class="num">{log.lines.length}</b>
              </a>
              <a href={link('errors')} aria-current={only === '' ? undefined : 'true'}>
                Errors <b class="num">{errors.length}</b>
              </a>
            </span>
          )}
        </div>
        <p class="soft row">
          {words === '' ? null : (
            <span class="num" role="status">
              {lines.length} of {countOf(log.lines.length, 'line')}
            </span>
          )}
          {words === '' ? null : <a href={isMore ? `${path}?more=1` : path}>All lines</a>}
          <span class="num">{log.isCut ? `The end of ${sizeOf(log.sizeBytes)}` : sizeOf(log.sizeBytes)}</span>
          {log.isCut && !isMore ? (
            <a href={`${path}?${new URLSearchParams({ more: '1', ...(words === '' ? {} : { find }) })}`}>Show more</a>
          ) : null}
          <a href={`${path}/log`} download>
            Download
          </a>
        </p>
      </form>
      {lines.length === 0 ? (
        <p class="panel empty">{words === '' ? 'No output.' : 'No line has these words.'}</p>
      ) : (
        <LogView log={{ ...log, lines, firstError: errors[0] }} from={row.attempt.startedAt} words={words} />
      )}
    </>
  );
}
