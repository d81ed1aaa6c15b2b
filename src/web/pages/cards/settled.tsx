// A decided card in one line: subject, person, place, time, words.
import { personName } from '../../../bot/index.js';
import { nameInConfig } from '../../../config/index.js';
import type { Interaction, Run } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { inPath, projectPath } from '../shared/paths.js';
import { Ago, Mark } from '../shared/status.js';
import { capital, channelName, lineOf } from '../shared/text.js';
import { postedText } from './card-words.js';

/** Limits on runs, and on interactions of each. */
const maxRuns = 20;
const maxLooked = 12;

interface Settled {
  readonly run: Run;
  readonly interaction: Interaction;
}

interface AnsweredWanted {
  readonly limit: number;
  readonly since: number;
  readonly withStarts: boolean;
}

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

/** Earlier answers of the same story or run, newest first. */
export function answeredBefore({ services }: WebContext, run: Run, asked: Interaction): readonly Interaction[] {
  return newestOf(run)
    .flatMap((id) => services.runtime.reader.interaction(id)?.interaction ?? [])
    .filter(
      ({ id, kind, chain, answer }) =>
        id !== asked.id && kind !== 'confirm' && chain === asked.chain && answer !== null,
    )
    .toReversed()
    .slice(0, maxBefore);
}

const maxBefore = 3;

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
  const { answer } = interaction;
  if (answer === null) return null;
  return (
    <li id={`settled-${interaction.id}`}>
      <p dir="auto">
        <Mark {...toneOf(answer.option)} word="decided" />{' '}
        <a class="whole" href={`/runs/${inPath(run.id)}`}>
          {lineOf(workOf(web, run, interaction), 120)}
        </a>
      </p>
      <p class="soft row">
        <a href={projectPath(run.project)}>{lineOf(run.project, 60)}</a>
        <span dir="auto">{decisionOf(web, run, interaction)}</span>
        <Ago at={answer.at} now={web.now()} />
      </p>
    </li>
  );
}

/** A posted title begins with a mark and the decision. */
function titleOf(web: WebContext, run: Run, interaction: Interaction): readonly string[] {
  return (postedText(web, run.id, interaction).split('\n', 1)[0] ?? '').split(' · ');
}

export function workOf(web: WebContext, run: Run, interaction: Interaction): string {
  const [, ...work] = titleOf(web, run, interaction);
  return work.join(' · ') || interaction.chain || run.task;
}

/** `Approved by Ada, page: “30 seconds”`. */
export function decisionOf(web: WebContext, run: Run, interaction: Interaction): string {
  const { answer, options } = interaction;
  if (answer === null) return '';
  const [head = '', ...work] = titleOf(web, run, interaction);
  // The card of a task tells its end.
  const isTask = interaction.subject.type === 'proposal' && answer.option === 'start';
  const decided = isTask ? 'Started' : work.length === 0 ? '' : head.replace(/^[^\p{L}]+/u, '');
  const word = decided || (options.find(({ id }) => id === answer.option)?.label ?? answer.option);
  const by = lineOf(personName(nameInConfig(answer.by)), 40);
  const words = answer.text?.trim() ? `: “${lineOf(answer.text, 160)}”` : '';
  const where = answer.where === undefined ? '' : `, ${channelName(answer.where)}`;
  return `${capital(lineOf(word, 40))} by ${by}${where}${words}`;
}
