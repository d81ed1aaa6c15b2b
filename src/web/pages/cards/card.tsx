// A card for an open interaction: the question, its context, a text field and the buttons.
import { permit, projectNamed, requiredAction, requiredActionFor } from '../../../config/index.js';
import type { Interaction, InteractionKind } from '../../../engine/index.js';
import type { MessageReader, ThreadReader } from '../../../store/index.js';
import type { WebContext } from '../../context/web-context.js';
import { changesPath, inPath, projectPath } from '../shared/paths.js';
import { Ago, askedSaid, Badge } from '../shared/status.js';
import { lineOf } from '../shared/text.js';
import { mayAnswer } from '../shared/work-state.js';
import { CardText } from './card-text.js';

const hints: Readonly<Record<InteractionKind, string>> = {
  review: 'A remark, a change request, or a reason',
  question: 'Your answer',
  escalation: 'What to do differently',
  confirm: 'A remark',
  choice: 'A remark',
  permission: 'A remark',
  budget: 'A remark',
};

const maxFollowers = 5;
const maxNamed = 5;

/** The posted card contains the evidence; it is the same in every thread. */
export function postedText(reader: MessageReader & ThreadReader, run: string, { id, text }: Interaction): string {
  for (const thread of reader.followers(run).slice(0, maxFollowers)) {
    const shown = reader.cardMessage(thread, id);
    if (shown !== null && shown.view.text !== '') return shown.view.text;
  }
  return text;
}

interface CardProps {
  readonly web: WebContext;
  readonly run: string;
  readonly interaction: Interaction;
}

function Card({ web, run, interaction }: CardProps) {
  const { reader } = web.services.runtime;
  const project = reader.run(run)?.project ?? '';
  const text = postedText(reader, run, interaction);
  const { id, kind } = interaction;
  // A posted card begins with its title.
  const title = text === interaction.text ? `${kind} · ${project}` : (text.split('\n', 1)[0] ?? '');
  const said = askedSaid({ kind, isMine: mayAnswer(web, project, interaction) });
  return (
    <article class={`card ${said.tone}`} id={`card-${id}`} tabindex={-1} data-key={id} aria-labelledby={`title-${id}`}>
      <header>
        <p class="soft row">
          <Badge {...said} />
          <a href={projectPath(project)}>{lineOf(project, 60)}</a>
          <a href={`/runs/${inPath(run)}`}>{run}</a>
          <Ago at={interaction.openedAt} now={web.now()} />
        </p>
        <h3 id={`title-${id}`} dir="auto">
          {lineOf(title)}
        </h3>
      </header>
      <CardText text={text} title={title} />
      <WaitsFor web={web} project={project} interaction={interaction} />
      <AnswerForm web={web} run={run} project={project} interaction={interaction} />
    </article>
  );
}

/** The oldest open questions, at most `limit`, and how many there are. */
export function openQuestions({ services }: WebContext, limit: number, project: string | null = null) {
  const { browsing } = services.runtime.reader;
  const open = browsing.openInteractions(project, limit);
  return { open, count: open.length < limit ? open.length : browsing.countOpen(project) };
}

export function Cards({ web, open }: { readonly web: WebContext; readonly open: readonly Omit<CardProps, 'web'>[] }) {
  return (
    <div class="grid">
      {open.map(({ run, interaction }) => (
        <Card web={web} run={run} interaction={interaction} />
      ))}
    </div>
  );
}

/** Names the members who may answer, apart from the owner. */
function WaitsFor({ web, project, interaction: { kind } }: Answering) {
  const config = web.services.config();
  const members = Object.keys(projectNamed(config, project)?.members ?? {});
  const may = members.filter(
    (name) => permit(config, project, { kind: 'person', name }, requiredAction[kind]).kind === 'allowed',
  );
  if (may.length === 0) return null;
  const named = may.slice(0, maxNamed).map((name) => lineOf(name, 40));
  const rest = may.length > maxNamed ? [`${may.length - maxNamed} more`] : [];
  return <p class="soft">Waits for {[...named, ...rest].join(', ')} or the owner.</p>;
}

interface Answering {
  readonly web: WebContext;
  readonly project: string;
  readonly interaction: Interaction;
}

/** The options that the viewer's role allows; a reason instead if it allows none. */
export function answersOf({ services, who }: WebContext, project: string, interaction: Interaction) {
  const isOwner = who.kind === 'home-owner';
  const may = permit(services.config(), project, who, requiredAction[interaction.kind]);
  if (may.kind === 'refused' && !isOwner) return { refused: may.reason, options: [] };
  const isTheirs = (option: string) =>
    permit(services.config(), project, who, requiredActionFor(option, interaction)).kind === 'allowed';
  return { refused: null, options: interaction.options.filter((one) => isOwner || isTheirs(one.id)) };
}

const losses: Readonly<Record<string, string>> = {
  abort: 'Abort this run? What runs is stopped, and nothing more is committed.',
  skip: 'Skip this step? It is recorded that you skipped it.',
  reject: 'Reject this work? Bosun asks what should happen instead.',
};

/** People who may not answer see that instead of buttons that would fail. */
export function AnswerForm({ web, run, project, interaction }: Answering & { readonly run: string | null }) {
  const { id, kind, chain } = interaction;
  const { refused, options } = answersOf(web, project, interaction);
  if (refused !== null) return <p class="soft">Someone else answers this: {lineOf(refused, 200)}.</p>;
  const [recommended] = options;
  const lookOf = (option: Option) =>
    losses[option.id] !== undefined ? 'danger' : option === recommended ? 'first' : 'line';
  const worded = options.filter(({ needsText }) => needsText);
  const plain = options.filter(({ needsText }) => !needsText);
  const isWordedFirst = recommended?.needsText === true;
  const lead = isWordedFirst ? [] : plain.slice(0, 1);
  return (
    <form class="answer" method="post" action="/api/press" data-act="press">
      <div class="buttons">
        {lead.map((option) => (
          <OptionButton id={id} option={option} look={lookOf(option)} />
        ))}
        {kind === 'review' && run !== null ? (
          <a class="button" href={changesPath(run, chain)}>
            See changes
          </a>
        ) : null}
        <details id={`more-${id}`}>
          <summary class={`button ${isWordedFirst ? 'first' : 'line'}`}>
            {worded[0] === undefined ? 'Add a remark' : lineOf(worded[0].label, 80)}…
          </summary>
          <div class="words">
            <label for={`words-${id}`}>
              {hints[kind]}
              <textarea id={`words-${id}`} name="text" rows={2} maxlength={20_000}></textarea>
            </label>
            {worded.map((option) => (
              <OptionButton id={id} option={option} look="first" />
            ))}
            {plain.length === 0 ? null : <p class="soft">The other buttons take these words too.</p>}
          </div>
        </details>
        {plain.slice(lead.length).map((option) => (
          <OptionButton id={id} option={option} look={lookOf(option)} />
        ))}
      </div>
    </form>
  );
}

type Option = Interaction['options'][number];

interface OptionButtonProps {
  readonly id: string;
  readonly option: Option;
  readonly look: 'first' | 'line' | 'danger';
}

export function OptionButton({ id, option, look }: OptionButtonProps) {
  return (
    <button
      type="submit"
      name="press"
      class={look}
      value={`${id}.${option.id}`}
      data-needs-text={option.needsText ? '' : undefined}
      data-confirm={losses[option.id]}
    >
      {lineOf(option.label, 80)}
    </button>
  );
}
