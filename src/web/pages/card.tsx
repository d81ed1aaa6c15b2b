// A card for an open interaction: the question, its context, a text field and the buttons.
import { permit, projectNamed, requiredAction, requiredActionFor } from '../../config/index.js';
import type { Interaction, InteractionKind } from '../../engine/index.js';
import type { MessageReader, ThreadReader } from '../../store/index.js';
import type { WebContext } from '../context/web-context.js';
import { CardText } from './shared/card-text.js';
import { changesPath, inPath } from './shared/paths.js';
import { Ago, Badge } from './shared/status.js';
import { lineOf } from './shared/text.js';

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
function postedText(reader: MessageReader & ThreadReader, run: string, { id, text }: Interaction): string {
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
  const { id, kind, chain } = interaction;
  // A posted card begins with its title.
  const title = text === interaction.text ? `${kind} · ${project}` : (text.split('\n', 1)[0] ?? '');
  return (
    <article class="card" id={`card-${id}`} tabindex={-1} data-key={id} aria-labelledby={`title-${id}`}>
      <header class="headline">
        <h3 id={`title-${id}`}>{lineOf(title)}</h3>
        <p class="soft row">
          <Badge tone="wait" word="waiting for you" />
          <a href={`/runs/${inPath(run)}`}>{run}</a>
          <span>{id}</span>
          <Ago at={interaction.openedAt} now={web.now()} />
          {kind === 'review' ? <a href={changesPath(run, chain)}>See the changes</a> : null}
        </p>
      </header>
      <CardText text={text} title={title} />
      <WaitsFor web={web} project={project} interaction={interaction} />
      <AnswerForm web={web} project={project} interaction={interaction} />
    </article>
  );
}

/** The oldest open questions, at most `limit`, and how many there are. */
export function openQuestions({ services }: WebContext, limit: number) {
  const { browsing } = services.runtime.reader;
  const open = browsing.openInteractions(null, limit);
  return { open, count: open.length < limit ? open.length : browsing.countOpen(null) };
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

/** People who may not answer see that instead of buttons that would fail. */
export function AnswerForm({ web, project, interaction }: Answering) {
  const { id, kind } = interaction;
  const field = `words-${id}`;
  const may = permit(web.services.config(), project, web.who, requiredAction[kind]);
  if (may.kind === 'refused' && web.who.kind !== 'home-owner')
    return <p class="soft">Someone else answers this: {lineOf(may.reason, 200)}.</p>;
  const isHis = (option: string) =>
    permit(web.services.config(), project, web.who, requiredActionFor(option, interaction)).kind === 'allowed';
  const options = interaction.options.filter((one) => web.who.kind === 'home-owner' || isHis(one.id));
  return (
    <form class="answer" method="post" action="/api/press" data-act="press">
      <label for={field}>
        {hints[kind]}
        {options.some((one) => one.needsText) ? '' : ' (optional)'}
        <textarea id={field} name="text" rows={1} maxlength={20_000}></textarea>
      </label>
      <div class="buttons">
        {options.map((option, index) => (
          <button
            type="submit"
            name="press"
            class={index === 0 ? 'first' : undefined}
            value={`${id}.${option.id}`}
            data-needs-text={option.needsText ? '' : undefined}
          >
            {lineOf(option.label, 80)}
          </button>
        ))}
      </div>
    </form>
  );
}
