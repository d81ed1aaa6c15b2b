// Checks override reports.
import type { Attempt, CheckResult, Envelope } from '../../../engine/index.js';
import { inPath } from '../shared/paths.js';
import { Badge, outcomeSaid } from '../shared/status.js';
import { countOf, durationOf, lineOf, shortened } from '../shared/text.js';

const maxFiles = 200;
const maxOthers = 40;

export function Evidence({ attempt, envelope }: { readonly attempt: Attempt; readonly envelope: Envelope | null }) {
  const { outcome, reason, claim, warnings, filesChanged, diffStat, checks, team, notes } = attempt;
  return (
    <div class="grid">
      <dl class="panel facts">
        <dt>Outcome</dt>
        <dd>
          {outcome === null ? 'running' : <Badge {...outcomeSaid(outcome)} />}
          {reason === null ? null : <> {lineOf(reason, 100)}</>}
        </dd>
        {claim === null ? null : (
          <>
            <dt>Claimed</dt>
            <dd>{lineOf(claim, 200)}</dd>
          </>
        )}
        {attempt.tests === null ? null : (
          <>
            <dt>Tests</dt>
            <dd class="num">
              {attempt.tests.pass} passed, {attempt.tests.fail} failed, {attempt.tests.skip} skipped
            </dd>
          </>
        )}
        {diffStat === null ? null : (
          <>
            <dt>Changes</dt>
            <dd class="num">
              {countOf(diffStat.files, 'file')} +{diffStat.insertions} −{diffStat.deletions}
            </dd>
          </>
        )}
        <dt>Took</dt>
        <dd>{durationOf(attempt.durationMs)}</dd>
        {attempt.worker === null ? null : (
          <>
            <dt>Worker</dt>
            <dd>{lineOf(attempt.worker, 100)}</dd>
          </>
        )}
      </dl>
      <Words title="Messages from people" text={notes.map(({ by, text }) => `${by}: ${text}`).join('\n')} isOpen />
      <Words title="Report" text={attempt.summary ?? ''} isOpen />
      {checks.map((check) => (
        <Check check={check} />
      ))}
      <Words title="Warnings" text={warnings.slice(0, maxOthers).join('\n')} isOpen />
      <Words title={`Files (${filesChanged.length})`} text={filesChanged.slice(0, maxFiles).join('\n')} />
      {team.slice(0, maxOthers).map((member) => (
        <Words
          title={`${lineOf(member.role, 60)}: ${lineOf(member.status ?? 'no status', 60)}`}
          text={member.summary ?? ''}
        />
      ))}
      <Words title="Hand-off" text={envelope?.handoff?.body ?? ''} />
      <Words title="End of the output" text={envelope?.output.tail ?? ''} />
    </div>
  );
}

function Words({
  title,
  text,
  isOpen = false,
}: {
  readonly title: string;
  readonly text: string;
  readonly isOpen?: boolean;
}) {
  if (text.trim() === '') return null;
  return (
    <details id={`words-${title.replace(/\W+/g, '-')}`} open={isOpen} class="panel words">
      <summary>{title}</summary>
      <pre dir="auto">{shortened(text, 10_000)}</pre>
    </details>
  );
}

function Check({ check }: { readonly check: CheckResult }) {
  const { name, command, ok, exit, timedOut, tests, tail } = check;
  const end = ok ? 'ok' : timedOut ? 'timed out' : `exit ${exit ?? 'killed'}`;
  return (
    <details id={`check-${inPath(name)}`} open={!ok} class="panel words">
      <summary>
        <strong>{lineOf(name, 60)}</strong> <Badge tone={ok ? 'ok' : 'bad'} word={end} />{' '}
        <code>{lineOf(command, 100)}</code>
        {tests && tests.failing.length > 0 ? (
          <span class="soft">
            {' '}
            failing:{' '}
            {tests.failing
              .slice(0, maxOthers)
              .map((one) => lineOf(one, 80))
              .join(', ')}
          </span>
        ) : null}
      </summary>
      <pre class="block tall" tabindex={0}>
        {shortened(tail, 10_000)}
      </pre>
    </details>
  );
}
