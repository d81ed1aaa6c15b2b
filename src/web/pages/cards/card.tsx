// A card: the work so far, the decision, the links to look closer.
import type { Child } from 'hono/jsx';
import { markdownOf } from '../../../bot/index.js';
import type { Interaction, Run } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { inPath, projectPath } from '../shared/paths.js';
import { Ago, askedSaid, Mark } from '../shared/status.js';
import { lineOf } from '../shared/text.js';
import { type Attention, askedOf, attentionOf } from '../shared/work-state.js';
import { AnswerForm, FailedBefore } from './answer-form.js';
import { AttentionRow } from './attention/attention.js';
import { CardText } from './card-text.js';
import { kindNames, peopleOf, placeIn, wordsOf } from './card-words.js';
import { CardPictures } from './pictures.js';

interface CardProps {
  readonly web: WebContext;
  readonly run: string;
  readonly interaction: Interaction;
}

interface OneCardProps extends CardProps, Pick<CardsProps, 'facts'> {
  readonly isPicked: boolean;
}

function Card({ web, run: id, interaction, isPicked, facts }: OneCardProps) {
  const { reader } = web.services.runtime;
  const run = reader.run(id);
  if (run === null) return null;
  const { project } = run;
  const { text, title, place } = wordsOf(web, run, interaction);
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

export type Open = Omit<CardProps, 'web'>;

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
