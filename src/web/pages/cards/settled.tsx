// A decided card in one line: about what, who, where, when, words.
import { personName } from '../../../bot/index.js';
import { nameInConfig } from '../../../config/index.js';
import type { Interaction, Run } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { inPath, projectPath } from '../shared/paths.js';
import { Ago, Mark } from '../shared/status.js';
import { capital, lineOf } from '../shared/text.js';
import { postedText } from './card.js';

/** Limits on runs, and on interactions of each. */
const maxRuns = 20;
const maxLooked = 12;

interface Settled {
  readonly run: Run;
  readonly interaction: Interaction;
}

interface AnsweredWanted {
  readonly limit: number;
  /** Or later. */
  readonly since: number;
  /** Includes go-aheads. */
  readonly withStarts: boolean;
}

/** Newest first. */
export function answeredQuestions(
  { services }: WebContext,
  { limit, since, withStarts }: AnsweredWanted,
): readonly Settled[] {
  const { reader } = services.runtime;
  const runs = reader.browsing.runs({ project: null, status: null, before: null, limit: maxRuns });
  return runs
    .flatMap((run) =>
      newestOf(run)
        .flatMap((id) => reader.interaction(id)?.interaction ?? [])
        .map((interaction) => ({ run, interaction })),
    )
    .filter(
      ({ interaction: { answer, kind } }) =>
        answer !== null && answer.at >= since && (withStarts || kind !== 'confirm'),
    )
    .sort((a, b) => (b.interaction.answer?.at ?? 0) - (a.interaction.answer?.at ?? 0))
    .slice(0, limit);
}

/** Ids count up. */
function newestOf({ number, counters }: Run): readonly string[] {
  const first = Math.max(1, counters.interactions - maxLooked + 1);
  return Array.from({ length: counters.interactions - first + 1 }, (_, n) => `i${number}-${first + n}`);
}

export function SettledLines({ web, settled }: { readonly web: WebContext; readonly settled: readonly Settled[] }) {
  return (
    <ul class="panel list settled">
      {settled.map(({ run, interaction }) => (
        <SettledLine web={web} run={run} interaction={interaction} />
      ))}
    </ul>
  );
}

const toneOf = (option: string) =>
  option === 'changes'
    ? ({ tone: 'quiet', mark: 'comment' } as const)
    : /^(reject|for-|abort|cancel|deny|end)/.test(option)
      ? ({ tone: 'quiet', mark: 'stop' } as const)
      : ({ tone: 'ok' } as const);

function SettledLine({ web, run, interaction }: Settled & { readonly web: WebContext }) {
  const { answer, options, chain } = interaction;
  if (answer === null) return null;
  const title = postedText(web.services.runtime.reader, run.id, interaction).split('\n', 1)[0] ?? '';
  const [head = '', ...rest] = title.split(' · ');
  const work = rest.join(' · ') || chain || run.task;
  // Begins with a mark and the decision.
  const decided = rest.length === 0 ? '' : head.replace(/^[^\p{L}]+/u, '');
  const word = decided || (options.find(({ id }) => id === answer.option)?.label ?? answer.option);
  return (
    <li id={`settled-${interaction.id}`}>
      <p dir="auto">
        <Mark {...toneOf(answer.option)} word="decided" />{' '}
        <a class="whole" href={`/runs/${inPath(run.id)}`}>
          {lineOf(work, 120)}
        </a>
      </p>
      <p class="soft row">
        <a href={projectPath(run.project)}>{lineOf(run.project, 60)}</a>
        <span dir="auto">
          {capital(lineOf(word, 40))} by {lineOf(personName(nameInConfig(answer.by)), 40)}
          {channelOf(answer.where)}
          {answer.text?.trim() ? `: “${lineOf(answer.text, 160)}”` : ''}
        </span>
        <Ago at={answer.at} now={web.now()} />
      </p>
    </li>
  );
}

function channelOf(where: string | undefined): string {
  if (where === undefined) return '';
  return `, ${where === 'web' ? 'page' : lineOf(capital(where), 40)}`;
}
