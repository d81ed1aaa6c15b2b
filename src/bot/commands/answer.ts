import { mayDo, requiredActionFor } from '../../config/index.js';
import { emptyPlan, type Plan } from '../../dispatch/index.js';
import type { Interaction } from '../../engine/index.js';
import { isAssent, type Parsed, type ReplyKind } from '../grammar/index.js';
import { outcomeLine } from '../views/cards.js';
import { view } from '../views/view.js';
import { workOf } from '../views/work/card-text.js';
import { event } from './drive.js';
import { liveBeside, type MessageContext, refuse, answer as reply, roleIn, sayError } from './message-context.js';
import { notAllowedText } from './not-allowed.js';
import { evidenceAskedFor, evidenceOfReply } from './reading/evidence-target.js';
import { namesFor } from './which-project.js';

export interface AnswerSource {
  readonly option: string;
  readonly text: string | null;
  readonly steps?: readonly string[];
}

export function answerInteraction(ctx: MessageContext, id: string, given: AnswerSource): Plan {
  const found = ctx.now.interaction(id);
  const spine = found && ctx.now.spine(found.run);
  const project = ctx.config.projects.find((one) => one.name === spine?.run.project);
  if (!found || !spine || !project || roleIn(ctx, project) === null) return sayError(ctx, noSuchCard(id));
  const { interaction } = found;
  const role = roleIn(ctx, project);
  if (role === null || !mayDo(role, requiredActionFor(given.option, interaction))) {
    return refuse(ctx, notAllowedText(project, ctx.by, requiredActionFor(given.option, interaction)));
  }
  if (interaction.state !== 'open') return tooLate(ctx, interaction, given);
  const isKnown = interaction.options.some((one) => one.id === given.option) || given.option.startsWith('for-');
  if (!isKnown)
    return sayError(
      ctx,
      `${id} has no option "${given.option}". Its options: ${interaction.options.map((one) => one.id).join(', ')}.`,
    );
  const behind = liveBeside(ctx, project.name, spine.run.id);
  const where = ctx.thread.channel;
  return event(ctx, spine, interaction.chain, { type: 'answered', interaction: id, ...given, where, behind });
}

export function noSuchCard(code: string): string {
  return `There is no card ${code}.`;
}

/** Null without read access too: not even existence is revealed. */
export function visible(ctx: MessageContext, id: string): Interaction | null {
  const found = ctx.now.interaction(id);
  const name = found && ctx.now.spine(found.run)?.run.project;
  const project = ctx.config.projects.find((one) => one.name === name);
  return found && project && roleIn(ctx, project) !== null ? found.interaction : null;
}

/** A command stays one, even in a reply. */
export function answerByReply(ctx: MessageContext, id: string, text: string, option: string | null): Plan | Parsed {
  const interaction = visible(ctx, id);
  if (!interaction) return sayError(ctx, noSuchCard(id));
  const parsed = ctx.verbs.grammar.understand(text, namesFor(ctx), interaction.kind as ReplyKind);
  // Any words answer a question; a request to look decides nothing.
  const isAnswer = interaction.kind === 'question' || interaction.kind === 'choice' || option !== null;
  const asked = isAnswer ? null : evidenceAskedFor(text);
  const shown = asked && evidenceOfReply(ctx, asked.what, asked.isSince);
  if (shown !== null) return shown;
  if (parsed.inReply === null && parsed.verb !== null) return parsed;
  if (interaction.state !== 'open') return answerInteraction(ctx, id, { option: '', text });
  if (option !== null) return answerInteraction(ctx, id, { option, text });
  const given = givenBy(interaction, parsed, text);
  return given ? answerInteraction(ctx, id, given) : askBack(ctx, interaction, text);
}

/** Null: no clear answer. */
export function givenBy(interaction: Interaction, parsed: Parsed, text: string): AnswerSource | null {
  const offers = (option: string) => interaction.options.some((one) => one.id === option);
  const first = interaction.options[0]?.id ?? '';
  switch (parsed.verb) {
    case 'approve':
      if (offers('approve')) return { option: 'approve', text: parsed.note };
      // "yes" grants the least that is offered.
      if (offers('once')) return { option: 'once', text: parsed.note };
      return interaction.kind === 'confirm' ? { option: first, text: parsed.note } : null;
    case 'reject':
      return rejected(interaction, parsed);
    case 'answer':
      if (interaction.kind === 'question')
        return picked(interaction, text) ?? { option: 'answer', text: parsed.note ?? text };
      return chosen(interaction, parsed.note ?? text);
    default:
      return chosen(interaction, text);
  }
}

function rejected(interaction: Interaction, parsed: Parsed): AnswerSource | null {
  if (interaction.kind === 'review') {
    if (parsed.reason !== null) return { option: `for-${parsed.reason}`, text: parsed.note };
    return parsed.note ? { option: 'changes', text: parsed.note } : { option: 'reject', text: null };
  }
  if (interaction.options.some(({ id }) => id === 'deny')) return { option: 'deny', text: parsed.note };
  const second = interaction.options[1]?.id;
  return interaction.kind === 'confirm' && second ? { option: second, text: parsed.note } : null;
}

function picked(interaction: Interaction, text: string): AnswerSource | null {
  const given = chosen(interaction, text);
  return given?.option.startsWith('pick-') ? given : null;
}

function chosen(interaction: Interaction, text: string): AnswerSource | null {
  const said = text.trim().toLowerCase();
  const option = interaction.options.find((one) => one.label.toLowerCase() === said || one.id.toLowerCase() === said);
  return option && !option.needsText ? { option: option.id, text: null } : null;
}

function askBack(ctx: MessageContext, interaction: Interaction, text: string): Plan {
  const shown = text.trim().slice(0, maxShownChars);
  // Agreement gets only the button that agrees.
  const agreeing = isAssent(text) ? givenBy(interaction, { ...unclearReply(ctx), verb: 'approve' }, text) : null;
  const options = interaction.options.filter(({ id }) => agreeing === null || id === agreeing.option);
  const offers = options.map((one) => ({
    label: one.needsText ? `${one.label} with these words` : one.label,
    says: `@answer ${interaction.id} ${one.id} ${agreeing === null ? shown : ''}`.trim(),
  }));
  const asked = view(
    'answer',
    askBackText(interaction, cardTitle(ctx, interaction) ?? interaction.id, shown),
    agreeing === null ? [...offers, ...rewording(ctx, interaction, text)] : offers,
  );
  return { ...emptyPlan, messages: [reply(ctx, asked, { interaction: interaction.id })] };
}

/** Under an unbegun task the words may be its new text. */
function rewording({ now }: MessageContext, { id, subject }: Interaction, text: string) {
  const run = now.interaction(id)?.run ?? '';
  const words = text.trim();
  if (subject.type !== 'proposal' || words.length > maxShownChars || now.spine(run)?.run.status !== 'draft') return [];
  return [{ label: 'Change the task to these words', says: `@edit ${run} ${words}` }];
}

const maxShownChars = 500;
function askBackText({ kind, id }: Interaction, title: string, said: string): string {
  const about = title === id ? id : `“${title}” (${id})`;
  if (kind === 'review') return `Is “${said}” an approval or a change request for ${about}?`;
  return `What does “${said}” mean for ${about}?`;
}

/** Null: the run is gone. */
function cardTitle({ now }: MessageContext, interaction: Interaction): string | null {
  const run = now.interaction(interaction.id)?.run;
  const spine = run === undefined ? null : now.spine(run);
  return spine && workOf(interaction, spine);
}

function unclearReply({ verbs }: MessageContext): Parsed {
  return verbs.grammar.parse('', []);
}

function tooLate(ctx: MessageContext, interaction: Interaction, given: AnswerSource): Plan {
  const offers = rewording(ctx, interaction, given.text ?? '');
  if (given.text && offers.length > 0) {
    const shown = view('answer', `What does “${given.text.trim()}” mean?`, offers);
    return { ...emptyPlan, messages: [reply(ctx, shown, { run: ctx.now.interaction(interaction.id)?.run ?? null })] };
  }
  const kept = given.text ? `\nYour words are kept: “${given.text.slice(0, 300)}”` : '';
  const title = cardTitle(ctx, interaction);
  const about = title === null ? interaction.id : `“${title}” (${interaction.id})`;
  return refuse(ctx, `Too late: ${about} is already closed. ${outcomeLine(interaction)}${kept}`);
}
