import type { Attempt, CheckResult, Interaction, Run } from '../../../engine/index.js';
import type { AttemptRow } from '../../../store/index.js';
import type { WebContext } from '../../context/web-context.js';
import { Icon } from '../shared/icons.js';
import { attemptPath, changesPath } from '../shared/paths.js';
import { Ago, outcomeSaid } from '../shared/status.js';
import { countOf, lineOf, shortened } from '../shared/text.js';

const maxLooked = 40;
const maxFiles = 30;
const maxFailing = 10;
const maxWarnings = 5;
const maxTailChars = 4_000;

interface EvidenceProps {
  readonly web: WebContext;
  readonly run: Run;
  readonly open: readonly Interaction[];
}

interface Found {
  readonly newest: AttemptRow;
  readonly tests: Attempt['tests'];
  readonly checks: readonly CheckResult[];
  readonly files: readonly string[];
  readonly stat: Attempt['diffStat'];
  readonly contradicted: readonly AttemptRow[];
  readonly warnings: readonly string[];
}

export function RunEvidence({ web, run, open }: EvidenceProps) {
  const { browsing } = web.services.runtime.reader;
  const review = open.find(({ kind }) => kind === 'review') ?? null;
  const found = evidenceOf(browsing.newestAttempts(run.id, maxLooked), review?.chain ?? null);
  if (found === null) return null;
  const { newest, tests, checks, stat, files, contradicted, warnings } = found;
  const { attempt, chain } = newest;
  const whole = review?.work?.whole?.stat ?? stat;
  const step = browsing.nodeName(run.id, newest.node) ?? newest.node;
  return (
    <>
      <div class="headline">
        <h2 id="evidence-title">Evidence</h2>
        <a class="soft" href={`${attemptPath(run.id, attempt.id)}?show=report`}>
          {chain === '' ? '' : `${lineOf(chain, 40)} `}
          {lineOf(step, 40)}, <Ago at={attempt.endedAt ?? attempt.dispatchedAt} now={web.now()} />
        </a>
      </div>
      <ul class="panel list evidence">
        {contradicted.map((row) => (
          <Contradicted run={run.id} row={row} />
        ))}
        {tests === null ? null : <Tests tests={tests} />}
        {checks.map((check) => (
          <CheckLine check={check} />
        ))}
        {tests === null && checks.length === 0 ? (
          <li>
            <p class="quiet">
              <Icon name="none" />
              <span>Tests</span>
            </p>
            <p class="soft">not checked</p>
          </li>
        ) : null}
        {whole === null ? null : (
          <li>
            <p>
              <Icon name="file" />
              <a href={changesPath(run.id, chain)}>{countOf(whole.files, 'file')}</a>
            </p>
            <p class="num">
              <b class="plus">+{whole.insertions}</b> <b class="minus">−{whole.deletions}</b>
            </p>
            {files.length === 0 ? null : (
              <details id="evidence-files">
                <summary class="soft">Which files</summary>
                <ul class="mono">
                  {files.slice(0, maxFiles).map((file) => (
                    <li>{lineOf(file, 200)}</li>
                  ))}
                  {files.length > maxFiles ? <li class="soft">and {files.length - maxFiles} more</li> : null}
                </ul>
              </details>
            )}
          </li>
        )}
        {warnings.map((warning) => (
          <li class="note" dir="auto">
            {lineOf(warning, 240)}
          </li>
        ))}
      </ul>
    </>
  );
}

/** From the newest attempt that measured it; null: none. */
function evidenceOf(newestFirst: readonly AttemptRow[], chain: string | null): Found | null {
  const settled = newestFirst.filter(({ attempt }) => attempt.outcome !== null && measured(attempt));
  const about = chain ?? settled[0]?.chain;
  const rows = settled.filter((row) => row.chain === about);
  const [newest] = rows;
  if (newest === undefined) return null;
  const checks = new Map<string, CheckResult>();
  for (const { attempt } of rows)
    for (const check of attempt.checks) if (!checks.has(check.command)) checks.set(check.command, check);
  // A later attempt answers an earlier one's.
  const latest = [...new Map(rows.toReversed().map((row) => [row.node, row])).values()];
  const changed = rows.find(({ attempt }) => attempt.diffStat !== null)?.attempt;
  return {
    newest,
    tests: rows.find(({ attempt }) => attempt.tests !== null)?.attempt.tests ?? null,
    checks: [...checks.values()].filter(({ tests, ok }) => tests === null || !ok),
    files: changed?.filesChanged ?? [],
    stat: changed?.diffStat ?? null,
    contradicted: latest.filter(({ attempt }) => attempt.claim !== null),
    warnings: newest.attempt.warnings.slice(0, maxWarnings),
  };
}

function measured({ tests, checks, diffStat, claim, warnings }: Attempt): boolean {
  return tests !== null || checks.length > 0 || diffStat !== null || claim !== null || warnings.length > 0;
}

function Contradicted({ run, row: { attempt } }: { readonly run: string; readonly row: AttemptRow }) {
  const found = attempt.outcome === null ? null : outcomeSaid(attempt.outcome).word;
  return (
    <li class="claim">
      <p class="bad">
        <Icon name="fail" />
        <span dir="auto">Claimed {lineOf(attempt.claim ?? '', 120)}</span>
      </p>
      <p>
        found <a href={`${attemptPath(run, attempt.id)}?show=report`}>{found}</a>
      </p>
    </li>
  );
}

function Tests({ tests }: { readonly tests: NonNullable<Attempt['tests']> }) {
  const { pass, fail, skip, failing } = tests;
  return (
    <li>
      <p class={fail === 0 ? 'ok' : 'bad'}>
        <Icon name={fail === 0 ? 'done' : 'fail'} />
        <span>Tests</span>
      </p>
      <p class="num">
        <b>{pass}</b> passed · {fail} failed{skip > 0 ? ` · ${skip} skipped` : ''}
      </p>
      {failing.length === 0 ? null : (
        <ul class="mono bad">
          {failing.slice(0, maxFailing).map((one) => (
            <li>{lineOf(one, 200)}</li>
          ))}
          {failing.length > maxFailing ? <li class="soft">and {failing.length - maxFailing} more</li> : null}
        </ul>
      )}
    </li>
  );
}

function CheckLine({ check: { command, ok, exit, timedOut, tail } }: { readonly check: CheckResult }) {
  const end = ok ? 'passed' : timedOut ? 'timed out' : `exit ${exit ?? 'killed'}`;
  return (
    <li>
      <p class={ok ? 'ok' : 'bad'}>
        <Icon name={ok ? 'done' : 'fail'} />
        <code>{lineOf(command, 80)}</code>
      </p>
      <p>{end}</p>
      {ok || tail.trim() === '' ? null : (
        <details id={`evidence-${command.replace(/\W+/g, '-').slice(0, 60)}`}>
          <summary class="soft">Its last words</summary>
          <pre class="block">{shortened(tail.slice(-maxTailChars), maxTailChars)}</pre>
        </details>
      )}
    </li>
  );
}
