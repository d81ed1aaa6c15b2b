// Shows only buttons that the viewer's role allows and Bosun would accept.
import { permit, requiredAction, requiredActionFor } from '../../../config/index.js';
import type { Interaction, InteractionKind, Run } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { attemptPath, changesPath } from '../shared/paths.js';
import { lineOf } from '../shared/text.js';

const hints: Readonly<Record<InteractionKind, string>> = {
  review: 'A remark, a change request, or a reason',
  question: 'Your answer',
  escalation: 'What to do differently',
  confirm: 'A remark',
  choice: 'A remark',
  permission: 'A remark',
  budget: 'A remark',
};

interface Answering {
  readonly web: WebContext;
  readonly project: string;
  readonly interaction: Interaction;
}

/** The actions that the viewer's role allows, else a reason. */
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

interface FormProps extends Answering {
  /** Null: the question belongs to no run. */
  readonly run: string | null;
}

/** The answers that the viewer may give, sorted by their place on the card. */
export function sortedAnswers({ web, run, project, interaction }: FormProps) {
  const { kind, node } = interaction;
  const { refused, options } = answersOf(web, project, interaction);
  const owner = run === null ? null : web.services.runtime.reader.run(run);
  // A retry that repeats its error is not recommended.
  const isDoubtful = kind === 'escalation' && owner !== null && sameErrors(web, owner, interaction) > 1;
  const [recommended] = options;
  const lookOf = (option: Option) =>
    losses[option.id] !== undefined ? 'danger' : option !== recommended ? 'line' : isDoubtful ? 'plain' : 'first';
  const worded = options.filter(({ needsText }) => needsText);
  const plain = options.filter(({ needsText }) => !needsText);
  const isWordedFirst = recommended?.needsText === true;
  const listed = kind === 'question' || kind === 'choice' ? plain.filter(({ id: one }) => !losses[one]) : [];
  const unlisted = plain.filter((one) => !listed.includes(one));
  const lead = isWordedFirst || listed.length > 0 ? [] : unlisted.slice(0, 1);
  const log = kind === 'escalation' && run !== null && node !== null ? lastAttempt(web, run, node) : null;
  return { refused, options, lookOf, worded, plain, isWordedFirst, listed, unlisted, lead, log };
}

/** Others see the reason instead of buttons that would fail. */
export function AnswerForm({ web, run, project, interaction }: FormProps) {
  const { id, kind, chain } = interaction;
  const answers = sortedAnswers({ web, run, project, interaction });
  const { refused, options, lookOf, worded, plain, isWordedFirst, listed, unlisted, lead, log } = answers;
  if (refused !== null) return <p class="soft">Someone else answers this: {lineOf(refused, 200)}.</p>;
  const { shown, rest } = sorted(unlisted.slice(lead.length), options.length);
  return (
    <form class="answer" method="post" action="/api/press" data-act="press">
      <div class="buttons">
        {listed.length === 0 ? null : (
          <div class={`answers${listed.some(({ label }) => label.length > maxHalfChars) ? ' long' : ''}`}>
            {listed.map((option) => (
              <OptionButton id={id} option={option} look={kind === 'question' ? 'plain' : lookOf(option)} />
            ))}
          </div>
        )}
        {lead.map((option) => (
          <OptionButton id={id} option={option} look={lookOf(option)} />
        ))}
        {kind === 'review' && run !== null ? (
          <a class="button" href={changesPath(run, chain)}>
            See changes
          </a>
        ) : null}
        {log === null || run === null ? null : (
          <a class="button" href={attemptPath(run, log)}>
            Open log
          </a>
        )}
        <details id={`more-${id}`}>
          <summary class={`button ${isWordedFirst ? 'first' : 'line'}`}>{wordsLabel(worded)}…</summary>
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
        {shown.map((option) => (
          <OptionButton id={id} option={option} look={lookOf(option)} />
        ))}
        {rest.length === 0 ? null : (
          <details id={`rest-${id}`}>
            <summary class="button ghost">{rest.map(({ label }) => lineOf(label, 20)).join(', ')}…</summary>
            <div class="buttons rest">
              {rest.map((option) => (
                <OptionButton id={id} option={option} look={lookOf(option)} />
              ))}
            </div>
          </details>
        )}
      </div>
    </form>
  );
}

/** Longer answers take the whole width of a phone. */
const maxHalfChars = 24;

/** At most four in sight. An answer that loses work is one tap away if there are other ways. */
function sorted(
  options: readonly Option[],
  all: number,
): { readonly shown: readonly Option[]; readonly rest: readonly Option[] } {
  if (all <= 2) return { shown: options, rest: [] };
  const isRare = (option: Option, index: number) => losses[option.id] !== undefined || index > 2;
  return { shown: options.filter((one, n) => !isRare(one, n)), rest: options.filter(isRare) };
}

function wordsLabel([worded]: readonly Option[]): string {
  return worded === undefined ? 'Add a remark' : lineOf(worded.label, 80);
}

function lastAttempt({ services }: WebContext, run: string, node: string): string | null {
  return services.runtime.reader.attempts(run, node).at(-1)?.attempt.id ?? null;
}

type Option = Interaction['options'][number];

interface OptionButtonProps {
  readonly id: string;
  readonly option: Option;
  readonly look: 'first' | 'line' | 'danger' | 'plain';
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

const maxTries = 5;

/** The same error in each try: another alone changes little. */
export function FailedBefore({
  web,
  run,
  interaction,
}: {
  readonly web: WebContext;
  readonly run: Run;
  readonly interaction: Interaction;
}) {
  const same = sameErrors(web, run, interaction);
  if (same < 2) return null;
  return <p class="soft">The same error {same} times: a retry can only help once its cause is gone.</p>;
}

function sameErrors({ services }: WebContext, run: Run, { node }: Interaction): number {
  if (node === null) return 0;
  const tries = services.runtime.reader.attempts(run.id, node).slice(-maxTries);
  const wordsOf = ({ attempt }: (typeof tries)[number]) => lineOf(attempt.summary ?? attempt.reason ?? '', 200);
  const last = tries.at(-1);
  const words = last === undefined ? '' : wordsOf(last);
  return words === '' ? 0 : tries.filter((one) => wordsOf(one) === words).length;
}
