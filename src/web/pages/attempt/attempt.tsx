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
import { type Freshness, Tabs } from '../shared/layout.js';
import { type LogEnd, longTailBytes, readLogEnd, streamLog, tailBytes } from '../shared/log-file.js';
import { LogView } from '../shared/log-view.js';
import { attemptPath, projectPath } from '../shared/paths.js';
import { maxReplayed, replayed } from '../shared/replay.js';
import { Badge, Since } from '../shared/status.js';
import { countOf, durationOf, lineOf, moneyOf, shortened, sizeOf, tokensOf } from '../shared/text.js';
import { saidOf } from './attempt-said.js';
import { Evidence } from './evidence.js';

type Show = 'log' | 'prompt' | 'diff' | 'report';

interface AttemptShown {
  readonly row: AttemptRow;
  readonly spine: Spine;
  readonly step: string;
  readonly show: Show;
  readonly isMore: boolean;
  readonly find: string;
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
}

/** Reads only the tab that is shown. */
export async function attemptShown(web: WebContext, wanted: AttemptWanted): Promise<AttemptShown | null> {
  const { services } = web;
  const { reader } = services.runtime;
  const { show, isMore, find } = wanted;
  const row = reader.attempt(wanted.attempt);
  const spine = row?.run === wanted.run ? reader.spine(row.run) : null;
  if (!row || !spine) return null;
  const step = reader.browsing.nodeName(row.run, row.node) ?? row.node;
  const project = projectNamed(services.config(), spine.run.project);
  return {
    ...{ row, spine, step, show, isMore, find },
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
          <a href={`/runs/${run.id}`}>{run.id}</a> <span aria-hidden="true">/</span>
          <span>{row.chain === '' ? 'main chain' : lineOf(row.chain, 60)}</span>
        </p>
        <h1>
          {lineOf(step, 60)}, attempt {attempt.number}
        </h1>
        <div class="row">
          <Badge {...saidOf(attempt)} />
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
        {attempt.summary === null ? null : (
          <p dir="auto" class="soft">
            {lineOf(attempt.summary, 240)}
          </p>
        )}
        {others.length > 1 ? (
          <nav class="steps" aria-label="Other attempts of this step">
            {others.map((other) => (
              <a
                class={`step ${saidOf(other.attempt).tone}`}
                href={`${attemptPath(run.id, other.attempt.id)}?show=${show}`}
                aria-current={other.attempt.id === attempt.id ? 'page' : undefined}
              >
                attempt {other.attempt.number}
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
      <section id="shown" data-live aria-label={tabs[show]}>
        <Shown shown={shown} path={path} />
      </section>
    </>
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
        <Log log={log} path={path} isMore={shown.isMore} find={shown.find} />
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
  readonly isMore: boolean;
  readonly find: string;
}

function Log({ log, path, isMore, find }: LogProps) {
  const words = find.trim().toLowerCase();
  const lines = words === '' ? log.lines : log.lines.filter(({ text }) => text.toLowerCase().includes(words));
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
        <LogView log={{ ...log, lines }} />
      )}
    </>
  );
}
