// A card: the work so far, the decision, the links to look closer.
import type { Child } from 'hono/jsx';
import { markdownOf, personName, withoutCodes } from '../../../bot/index.js';
import { nameInConfig } from '../../../config/index.js';
import type { Interaction, InteractionKind, Run } from '../../../engine/index.js';
import type { MessageReader, ThreadReader } from '../../../store/index.js';
import type { WebContext } from '../../context/web-context.js';
import { inPath, projectPath } from '../shared/paths.js';
import { Ago, askedSaid, Badge, Mark } from '../shared/status.js';
import { lineOf } from '../shared/text.js';
import { type Attention, askedOf, attentionOf, awaitedNames, mayAnswer } from '../shared/work-state.js';
import { AnswerForm, FailedBefore } from './answer-form.js';
import { AttentionRow, SnoozedUntil } from './attention.js';
import { CardText } from './card-text.js';
import { CardPictures } from './pictures.js';

const maxFollowers = 5;

/** Includes the evidence; the same in every thread. */
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
  /** The line with the work's place; '' if none. */
  readonly place: string;
  readonly text: string;
}

/** A posted card begins with kind and work, then the place. */
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

/** A line per question, linked to its card. */
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

interface LinesProps {
  readonly web: WebContext;
  readonly open: readonly Open[];
}

export function SnoozedCards({ web, open }: LinesProps) {
  if (open.length === 0) return null;
  return (
    <>
      <h2>Snoozed</h2>
      <QuestionLines
        web={web}
        open={open}
        end={(interaction) => <SnoozedUntil web={web} interaction={interaction} />}
      />
    </>
  );
}

/** A line for each card that waits only for other people. */
export function WaitingForOthers(props: LinesProps) {
  return <QuestionLines {...props} end={() => null} />;
}

function QuestionLines({ web, open, end }: LinesProps & { readonly end: (interaction: Interaction) => Child }) {
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
              {end(interaction)}
            </p>
          </li>
        );
      })}
    </ul>
  );
}

interface OneCardProps extends CardProps, Pick<CardsProps, 'facts'> {
  readonly isPicked: boolean;
}

function Card({ web, run: id, interaction, isPicked, facts }: OneCardProps) {
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
      class={`card ${said.tone}${isPicked ? ' picked' : ''}`}
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
      <AttentionRow web={web} run={run} interaction={interaction} />
      {facts?.(run, interaction)}
    </article>
  );
}

/** Leaves out the project, which stands beside it. */
function placeIn(place: string, project: string): string {
  const parts = place.split(' · ').filter((part) => part !== project && !part.startsWith('for '));
  return lineOf(parts.join(' · '), 80);
}

/** `you or Bob`; '' for a lone user. */
function peopleOf(web: WebContext, run: Run, interaction: Interaction): string {
  const { handed } = interaction;
  const from = handed === undefined ? '' : `, from ${lineOf(personName(nameInConfig(handed.by)), 40)}`;
  const names = awaitedNames(web, run, interaction);
  const isMine = mayAnswer(web, run.project, interaction);
  const { who } = web;
  const others = names.filter((name) => who.kind !== 'person' || name !== personName(nameInConfig(who.name)));
  if (others.length === 0) return `${isMine ? '' : 'the owner'}${from}`.replace(/^, /, '');
  return `${isMine && handed === undefined ? 'you or ' : ''}${others.join(', ')}${from}`;
}

type Open = Omit<CardProps, 'web'>;

export interface Questions {
  readonly mine: readonly Open[];
  readonly others: readonly Open[];
  readonly snoozed: readonly Open[];
  /** Cards that wait for the viewer, shown or not. */
  readonly count: number;
}

/** More are not sorted by who may answer. */
const maxSorted = 300;

export function openQuestions(web: WebContext, limit: number, project: string | null = null): Questions {
  const { browsing } = web.services.runtime.reader;
  const open = browsing.openInteractions(project, maxSorted);
  const listed = open.map((one) => ({
    one,
    in: attentionOf(web, web.services.runtime.reader.run(one.run), one.interaction),
  }));
  const inList = (list: Attention) => listed.filter((each) => each.in === list).map(({ one }) => one);
  const mine = inList('theirs');
  // The owner may also answer cards beyond the limit.
  const isAll = web.who.kind !== 'home-owner' || open.length < maxSorted;
  const unseen = isAll ? 0 : browsing.countOpen(project) - open.length;
  return {
    mine: mine.slice(0, limit),
    others: inList('elsewhere').slice(0, limit),
    snoozed: inList('snoozed').slice(0, limit),
    count: mine.length + unseen,
  };
}

interface CardsProps {
  readonly web: WebContext;
  readonly open: readonly Open[];
  readonly facts?: ((run: Run, interaction: Interaction) => Child) | undefined;
  readonly picked?: string | undefined;
}

export function Cards({ web, open, picked, facts }: CardsProps) {
  return (
    <div class="grid">
      {open.map(({ run, interaction }) => (
        <Card web={web} run={run} interaction={interaction} isPicked={interaction.id === picked} facts={facts} />
      ))}
    </div>
  );
}
