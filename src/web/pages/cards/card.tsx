// A card for an open interaction: what happened, what to decide, and how to look.
import { markdownOf, personName, withoutCodes } from '../../../bot/index.js';
import { nameInConfig } from '../../../config/index.js';
import type { Interaction, InteractionKind, Run } from '../../../engine/index.js';
import type { MessageReader, ThreadReader } from '../../../store/index.js';
import type { WebContext } from '../../context/web-context.js';
import { inPath, projectPath } from '../shared/paths.js';
import { Ago, askedSaid, Badge, Mark } from '../shared/status.js';
import { lineOf } from '../shared/text.js';
import { askedOf, awaitedNames, mayAnswer } from '../shared/work-state.js';
import { AnswerForm, FailedBefore } from './answer-form.js';
import { CardText } from './card-text.js';
import { CardPictures } from './pictures.js';

const maxFollowers = 5;

/** The posted card contains the evidence; it is the same in every thread. */
export function postedText(reader: MessageReader & ThreadReader, run: string, { id, text }: Interaction): string {
  for (const thread of reader.followers(run).slice(0, maxFollowers)) {
    const shown = reader.cardMessage(thread, id);
    if (shown !== null && shown.view.text !== '') return withoutCodes(shown.view.text);
  }
  return withoutCodes(text);
}

interface CardProps {
  readonly web: WebContext;
  readonly run: string;
  readonly interaction: Interaction;
}

/** What a card is called on the page; the state says whom it waits for. */
const kindNames: Readonly<Record<InteractionKind, string>> = {
  review: 'Review',
  question: 'Question',
  escalation: 'Failed',
  confirm: 'Go-ahead',
  choice: 'Choice',
  permission: 'Permission',
  budget: 'Budget',
};

interface Said {
  readonly kind: string;
  readonly title: string;
  /** The line of the text that says where the work is; empty: it has none. */
  readonly place: string;
  readonly text: string;
}

/** A posted card begins with its kind and its work; then comes the place. */
function wordsOf(reader: MessageReader & ThreadReader, run: Run, interaction: Interaction): Said {
  const text = postedText(reader, run.id, interaction);
  const isPosted = text !== withoutCodes(interaction.text);
  const [head = '', next = ''] = text.split('\n');
  const work = isPosted ? head.split(' · ').slice(1).join(' · ') : '';
  return {
    kind: kindNames[interaction.kind],
    title: lineOf(work || head || interaction.chain || run.task),
    place: isPosted && next.startsWith(run.project) ? next : '',
    text,
  };
}

/** Each open question in a line that leads to its card. */
export function CardIndex({ web, open }: { readonly web: WebContext; readonly open: readonly Open[] }) {
  const { reader } = web.services.runtime;
  return (
    <ol class="panel list index">
      {open.map(({ run: id, interaction }) => {
        const run = reader.run(id);
        if (run === null) return null;
        const said = askedSaid(askedOf(web, run, interaction));
        const { kind, title, place } = wordsOf(reader, run, interaction);
        return (
          <li>
            <a class="hit" href={`#card-${interaction.id}`}>
              <Mark {...said} />
              <span class="soft">
                <b class={`kind ${said.tone}`}>{said.tone === 'other' ? said.word : kind}</b> {lineOf(run.project, 40)}
              </span>
              <span class="soft num">
                <Ago at={interaction.openedAt} now={web.now()} />
              </span>
              <b class="work" dir="auto">
                {title}
              </b>
              <span class="soft where">{placeIn(place, run.project)}</span>
            </a>
          </li>
        );
      })}
    </ol>
  );
}

/** What waits for other people only, in a line each. */
export function WaitingForOthers({ web, open }: { readonly web: WebContext; readonly open: readonly Open[] }) {
  const { reader } = web.services.runtime;
  return (
    <ul class="panel list">
      {open.map(({ run: id, interaction }) => {
        const run = reader.run(id);
        if (run === null) return null;
        return (
          <li>
            <p class="row">
              <Badge {...askedSaid(askedOf(web, run, interaction))} />
              <a class="whole" href={`/runs/${inPath(id)}`} dir="auto">
                {wordsOf(reader, run, interaction).title}
              </a>
            </p>
            <p class="soft row">
              <a href={projectPath(run.project)}>{lineOf(run.project, 60)}</a>
              <span>{kindNames[interaction.kind]}</span>
              <Ago at={interaction.openedAt} now={web.now()} />
            </p>
          </li>
        );
      })}
    </ul>
  );
}

function Card({ web, run: id, interaction }: CardProps) {
  const { reader } = web.services.runtime;
  const run = reader.run(id);
  if (run === null) return null;
  const { project } = run;
  const { text, title, place } = wordsOf(reader, run, interaction);
  const { kind, generation } = interaction;
  const said = askedSaid(askedOf(web, run, interaction));
  const key = interaction.id;
  return (
    <article
      class={`card ${said.tone}`}
      id={`card-${key}`}
      tabindex={-1}
      data-key={key}
      aria-labelledby={`title-${key}`}
    >
      <header>
        <p class="soft row">
          <span class={`kind ${said.tone}`}>
            <Mark {...said} /> {kindNames[kind]}
          </span>
          <a href={projectPath(project)}>{lineOf(project, 60)}</a>
          <a href={`/runs/${inPath(id)}`}>{id}</a>
          {generation > 1 && kind === 'review' ? <span>round {generation}</span> : null}
          <span>{placeIn(place, project)}</span>
          <Ago at={interaction.openedAt} now={web.now()} />
          <span>{peopleOf(web, run, interaction)}</span>
        </p>
        <h3 id={`title-${key}`} dir="auto">
          {title}
        </h3>
      </header>
      <CardText
        text={text}
        markdown={markdownOf(interaction)}
        title={text.split('\n', 1)[0] ?? ''}
        without={kind === 'review' ? ['Files'] : []}
        isShown={(line) => line === place && place !== ''}
      />
      <CardPictures interaction={interaction} />
      {kind === 'escalation' ? <FailedBefore web={web} run={run} interaction={interaction} /> : null}
      <AnswerForm web={web} run={id} project={project} interaction={interaction} />
    </article>
  );
}

/** The story and the step, without the project that stands beside it. */
function placeIn(place: string, project: string): string {
  const parts = place.split(' · ').filter((part) => part !== project && !part.startsWith('for '));
  return lineOf(parts.join(' · '), 80);
}

/** `you or Bob`; whoever is alone at home is not told that it is for them. */
function peopleOf(web: WebContext, run: Run, interaction: Interaction): string {
  const names = awaitedNames(web, run, interaction);
  const isMine = mayAnswer(web, run.project, interaction);
  const { who } = web;
  const others = names.filter((name) => who.kind !== 'person' || name !== personName(nameInConfig(who.name)));
  if (others.length === 0) return isMine ? '' : 'the owner';
  return `${isMine ? 'you or ' : ''}${others.join(', ')}`;
}

type Open = Omit<CardProps, 'web'>;

export interface Questions {
  /** Those that this viewer may answer, oldest first. */
  readonly mine: readonly Open[];
  readonly others: readonly Open[];
  /** How many the viewer may answer, shown or not. */
  readonly count: number;
}

/** Up to this many are sorted by who may answer them. */
const maxSorted = 300;

export function openQuestions(web: WebContext, limit: number, project: string | null = null): Questions {
  const { browsing } = web.services.runtime.reader;
  if (web.who.kind === 'home-owner') {
    const mine = browsing.openInteractions(project, limit);
    return { mine, others: [], count: mine.length < limit ? mine.length : browsing.countOpen(project) };
  }
  const isMine = ({ run, interaction }: Open) =>
    mayAnswer(web, web.services.runtime.reader.run(run)?.project ?? '', interaction);
  const open = browsing.openInteractions(project, maxSorted);
  const mine = open.filter(isMine);
  return { mine: mine.slice(0, limit), others: open.filter((one) => !isMine(one)).slice(0, limit), count: mine.length };
}

export function Cards({ web, open }: { readonly web: WebContext; readonly open: readonly Open[] }) {
  return (
    <div class="grid">
      {open.map(({ run, interaction }) => (
        <Card web={web} run={run} interaction={interaction} />
      ))}
    </div>
  );
}
