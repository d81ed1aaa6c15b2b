// Cards that ask: title, place, facts, question, the steps' words, code.

import type { ProjectAudience } from '../../dispatch/index.js';
import { type Digest, type Interaction, type RecordedAnswer, type State, votesFor } from '../../engine/index.js';
import type { View } from '../../store/index.js';
import { approvalLines, saidBy } from './approvals.js';
import { clean, clockFrom, interactionButtons, lines, oneLine, view, withButtons, withMenu } from './view.js';
import { isMandatory, stepTitle } from './work/ask-words.js';
import { queuedWord, startedWord, startsByItself } from './work/card-keys.js';
import { cardText, placeLine } from './work/card-text.js';
import { doneBefore, doneText } from './work/done-story.js';
import { attentionOffers, cardOffers, queueOffers } from './work/offers.js';
import {
  changedFiles,
  changedSoFar,
  leftLine,
  picturesOf,
  reviewFacts,
  settledFacts,
  shownLines,
} from './work/review-work.js';
import { openHint } from './work/session-text.js';

export function askCard(interaction: Interaction, state: State, audience: ProjectAudience | null = null): View {
  const shown = {
    ...withButtons(
      view(interaction.kind, openText(interaction, state, audience), cardOffers(interaction, state)),
      cardButtons(interaction, state),
    ),
    rings: true,
  };
  const card = withMarkdown(withPictures(shown, interaction), interaction);
  return withMenu(card, attentionOffers(interaction, state, audience));
}

/** For a chat that asked for it, or that saw it before. */
export function silentCard(interaction: Interaction, state: State, audience: ProjectAudience | null = null): View {
  return { ...askCard(interaction, state, audience), rings: false };
}

export function cardButtons(interaction: Interaction, { workflow }: Pick<State, 'workflow'>): View['buttons'] {
  const { subject } = interaction;
  const buttons = interactionButtons(interaction);
  if (subject.type === 'rollback_target')
    return buttons.map((one) => ({ ...one, label: stepTitle(one.label, workflow) }));
  if (subject.type !== 'fuse') return buttons;
  const named = (label: string) =>
    label.replace(/^Finish (\S+) only$/, (_, step) => `Finish ${stepTitle(step, workflow)} only`);
  return buttons.map((one) => ({ ...one, label: named(one.label) }));
}

/** Title and place: a lock screen shows these. */
export function cardHead(interaction: Interaction, state: State): string {
  const { word, work } = cardText(interaction, state);
  return lines(`${word} · ${work}`, placeLine(interaction, state));
}

/** Keeps title, place and facts; names the decider. */
export function settledCard(interaction: Interaction, state: State): View {
  const { work } = cardText(interaction, state);
  const before = doneBefore(interaction);
  const shown = view(
    interaction.kind,
    before !== null
      ? settledNext(before, interaction, state)
      : lines(
          `${headWord(interaction, state)} · ${work}`,
          placeLine(interaction, state),
          isQueued(interaction, state) && startsByItself,
          interaction.kind === 'review' && settledFacts(interaction, state),
          interaction.subject.type === 'leftovers' && leftLine(interaction),
          decidedLine(interaction),
          interaction.answer?.option === 'leave' && interaction.subject.type === 'land' && laterLine(state),
        ),
    cardOffers(interaction, state),
  );
  const card = withPictures(shown, interaction);
  return isQueued(interaction, state) ? withMenu(card, queueOffers(state)) : card;
}

function laterLine({ run: { id } }: State): string {
  return `"merge ${id}" merges it later.`;
}

function settledNext(before: string, interaction: Interaction, state: State): string {
  const { work } = cardText(interaction, state);
  const how = wentAhead(interaction, state) ? 'started' : outcomeWord(interaction).replace(/^\S+ /, '').toLowerCase();
  return lines(doneText(before, state), [`${work} · ${how}`, decidedLine(interaction)].filter(Boolean).join(' '));
}

function withPictures(shown: View, interaction: Interaction): View {
  const pictures = picturesOf(interaction);
  return pictures.length === 0 ? shown : { ...shown, pictures };
}

function headWord(interaction: Interaction, state: State): string {
  if (isQueued(interaction, state)) return queuedWord;
  const { subject, node, answer } = interaction;
  // Another card asks whether to give up.
  if (subject.type === 'stuck' && answer?.option === 'skip' && isMandatory(node, state)) return '⏭ Skip asked';
  return wentAhead(interaction, state) ? startedWord : outcomeWord(interaction);
}

/** True: approved, but other tasks come first. */
function isQueued({ subject, answer }: Interaction, { run }: State): boolean {
  return subject.type === 'proposal' && run.status === 'draft' && run.approved && answer?.option !== 'cancel';
}

/** A word such as "continue" started the work and superseded the card. */
function wentAhead({ answer, subject }: Interaction, { run, items }: State): boolean {
  if (answer !== null) return false;
  if (subject.type === 'proposal') return run.startedAt !== null;
  return subject.type === 'next_item' && items.some((one) => one.key === subject.item && one.startedAt !== null);
}

function openText(interaction: Interaction, state: State, audience: ProjectAudience | null): string {
  const isReview = interaction.kind === 'review';
  const before = doneBefore(interaction);
  return lines(
    before === null ? cardHead(interaction, state) : doneText(before, state),
    before !== null && `Next: ${cardText(interaction, state).work}`,
    isReview && reviewFacts(interaction, state),
    interaction.subject.type === 'leftovers' && leftLine(interaction),
    interaction.subject.type === 'abort' && changedSoFar(interaction),
    ...cardText(interaction, state).body,
    waitLine(interaction),
    isReview && shownLines(interaction),
    isReview && questionList(interaction.digests),
    ...newTexts(interaction.digests).map((digest) => digestLines(digest, state)),
    isReview && (changedFiles(interaction) ?? fileList(interaction.digests)),
    ...approvalLines(interaction, state.run, audience),
    audience && openHint(interaction, state, audience.opensSession),
    codeLine(interaction),
  );
}

export function codeLine({ id }: Interaction): string {
  return `Code ${id}`;
}

function waitLine({ subject, openedAt }: Interaction): string | false {
  if (subject.type === 'agent_permission' && subject.waitsUntil !== undefined)
    return `No answer by ${clockFrom(subject.waitsUntil, openedAt)} means denied.`;
  if (subject.type !== 'agent_question' || subject.isLate) return false;
  const until = subject.waitsUntil === undefined ? 'for a while' : `until ${clockFrom(subject.waitsUntil, openedAt)}`;
  return `The agent waits ${until}. A later answer goes to its next try.`;
}

/** A step often repeats the step before. */
function newTexts(digests: readonly Digest[]): readonly Digest[] {
  return digests.filter((digest, index) => digests.findIndex((one) => one.text === digest.text) === index);
}

/** Agents' words in an open card: questions, and notes to a reviewer. */
function withMarkdown(shown: View, interaction: Interaction): View {
  const markdown = markdownOf(interaction);
  return markdown.length === 0 ? shown : { ...shown, markdown };
}

export function markdownOf({ kind, subject, text, digests }: Interaction): readonly string[] {
  const isAgents = subject.type === 'question' || subject.type === 'agent_question';
  const said = isAgents ? text.split('\n').slice(1).join('\n') : '';
  const told = kind === 'review' ? newTexts(digests).map(digestText) : [];
  const questions = kind === 'review' ? [...new Set(digests.flatMap((digest) => digest.questions))] : [];
  return [said, ...questions, ...told].map((one) => clean(one).trim()).filter((one) => one !== '');
}

function digestText({ text }: Digest): string {
  return text?.trim().slice(0, 900) ?? '';
}

function digestLines(digest: Digest, { workflow }: State): string {
  const text = digestText(digest);
  return text === '' ? '' : `${stepTitle(digest.step, workflow)}:${text.startsWith('- ') ? '\n' : ' '}${text}`;
}

function questionList(digests: readonly Digest[]): string {
  const questions = [...new Set(digests.flatMap((digest) => digest.questions))];
  return questions.length === 0
    ? ''
    : lines('Open questions:', ...questions.map((one, index) => `${index + 1}. ${one}`));
}

function fileList(digests: readonly Digest[]): string {
  const files = [...new Set(digests.flatMap((digest) => digest.files))];
  if (files.length === 0) return '';
  const more = files.length > 12 ? ` and ${files.length - 12} more` : '';
  return `Files: ${files.slice(0, 12).join(', ')}${more}`;
}

export function outcomeLine(interaction: Interaction): string {
  const decided = decidedLine(interaction);
  return interaction.answer === null
    ? [outcomeWord(interaction), decided].filter((one) => one !== '').join(': ')
    : `${outcomeWord(interaction)} ${decided}`;
}

const late =
  'nobody answered in time, so it was denied; I ask again when the agent has ended, if the step still needs it';

function decidedLine(interaction: Interaction): string {
  const { answer, kind, state, subject } = interaction;
  if (answer !== null) {
    const said = answer.text?.trim() ? `: “${oneLine(answer.text, 300)}”` : '';
    const chosen = subject.type === 'leftovers' ? `${labelOf(interaction, answer)} · ` : '';
    return `${chosen}by ${votesFor(interaction, answer).map(saidBy).join(' and ')}${said}`;
  }
  if (state === 'expired') return kind === 'permission' ? late : '';
  const wasAgents = subject.type === 'agent_question' || subject.type === 'agent_permission';
  return wasAgents && state === 'superseded' ? 'its agent ended; the step asks again if it still needs to' : '';
}

/** The end replaces the answered question, so it names the answer's author. */
export function withEnding(shown: View, answered: Interaction | null): View {
  const said = endingLine(answered);
  if (said === '') return shown;
  const [title = '', place = '', ...rest] = shown.text.split('\n');
  return { ...shown, text: lines(title, place, said, ...rest) };
}

export function endingLine(answered: Interaction | null): string {
  const answer = answered?.answer ?? null;
  if (answer === null) return '';
  const words = answer.text?.trim() ? `: “${oneLine(answer.text, 300)}”` : '';
  return `Aborted by ${saidBy(answer)}${words}`;
}

function outcomeWord(interaction: Interaction): string {
  const { answer, state, subject } = interaction;
  if (subject.type === 'leftovers') return '⏹ Aborted';
  if (answer === null) return state === 'expired' ? '⌛ Expired' : '⌛ Closed';
  const own = Object.hasOwn(wordsOfSubject, subject.type) ? wordsOfSubject[subject.type]?.[answer.option] : undefined;
  const label = labelOf(interaction, answer);
  return own ?? rejectionFor(answer.option) ?? commonWords[answer.option] ?? `✅ ${label}`;
}

function labelOf({ options }: Interaction, { option }: RecordedAnswer): string {
  return options.find((one) => one.id === option)?.label ?? option;
}

const wordsOfSubject: Readonly<Partial<Record<Interaction['subject']['type'], Readonly<Record<string, string>>>>> = {
  proposal: { start: startedWord },
  takeover: { resume: '✅ Resumed', afresh: '✅ Started afresh' },
  reject_reason: { end: '⏹ Ended', keep: '✅ Back to the review' },
  agent_permission: { once: '✅ Allowed once', run: '✅ Allowed for this run', deny: '❌ Denied' },
  denied: { run: '✅ Allowed for this run', deny: '✅ Goes on without it' },
  next_item: { go: '✅ Started', finish: '✅ Finished here' },
  skip_approval: { skip: '⏭ Skipped', keep: '✅ Kept' },
  give_up: { yes: '⏹ Given up', no: '✅ Kept' },
  gate: { go: '✅ Continued', pass: '✅ Went on without it' },
  abort: { keep: '✅ Kept going' },
  land: { merge: '✅ Merging', leave: '✅ Left on its branch' },
};

const commonWords: Readonly<Record<string, string>> = {
  approve: '✅ Approved',
  reject: '❌ Rejected',
  changes: '✏️ Changes requested',
  answer: '✅ Answered',
  retry: '✅ Tried again',
  retry_note: '✅ Tried again',
  skip: '⏭ Skipped',
  abort: '⏹ Aborted',
  cancel: '⏹ Cancelled',
};

function rejectionFor(option: string): string | null {
  if (!option.startsWith('for-')) return null;
  const reason = option.slice('for-'.length).replaceAll('_', ' ');
  return reason === 'default' ? '❌ Rejected' : `❌ Rejected (${reason})`;
}
