// The cards that ask a person, with everything needed to decide in ten seconds.

import type { ProjectAudience } from '../../dispatch/index.js';
import { asksPerson, type DiffStat, type Digest, type Interaction, type State, votesFor } from '../../engine/index.js';
import type { View } from '../../store/index.js';
import { approvalLines, saidBy } from './approvals.js';
import { type Costing, costSaid, duration, interactionButtons, lines, testLine, view } from './view.js';

export const cardTitles: Readonly<Record<Interaction['kind'], string>> = {
  review: 'Review',
  question: 'Question',
  escalation: 'Needs you',
  confirm: 'Please confirm',
  choice: 'Please choose',
  permission: 'Permission',
  budget: 'Budget',
};

export function askCard(interaction: Interaction, state: State, circle: ProjectAudience | null = null): View {
  return view({
    kind: interaction.kind,
    text: cardText(interaction, state, circle),
    buttons: interactionButtons(interaction),
    rings: true,
  });
}

/** A card whose question is settled. */
export function settledCard(interaction: Interaction, state: State): View {
  return view({ kind: interaction.kind, text: lines(heading(interaction, state), outcomeLine(interaction)) });
}

function cardText(interaction: Interaction, state: State, circle: ProjectAudience | null): string {
  const isReview = interaction.kind === 'review';
  return lines(
    heading(interaction, state),
    interaction.text,
    isAwaited(interaction) && 'Its agent waits for a while; an answer after that goes to its next try.',
    ...newTexts(interaction.digests).map(digestLines),
    isReview && questionList(interaction.digests),
    isReview && fileList(interaction.digests),
    isReview && evidence(state),
    ...approvalLines(interaction, state.run, circle),
    `Code: ${interaction.id}`,
  );
}

/** An answer that comes after the agent has ended goes to the step's next attempt. */
function isAwaited({ subject }: Interaction): boolean {
  return subject.type === 'agent_question' && !subject.isLate;
}

export function heading(interaction: Interaction, state: State): string {
  const item = interaction.chain === '' ? '' : ` ${interaction.chain}`;
  const node = state.chain.nodes.find((one) => one.id === interaction.node);
  const step = node && !asksPerson(node) ? ` ${node.template}` : '';
  return `${cardTitles[interaction.kind]}: ${state.run.project}${item}${step}`;
}

/** Drops repeats: a step often tells the reviewer what the step before it said. */
function newTexts(digests: readonly Digest[]): readonly Digest[] {
  return digests.filter((digest, index) => digests.findIndex((one) => one.text === digest.text) === index);
}

function digestLines(digest: Digest): string {
  const text = digest.text?.trim().slice(0, 900) ?? '';
  return text === '' ? '' : `${digest.step}:${text.startsWith('- ') ? '\n' : ' '}${text}`;
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

function evidence(state: State): string {
  return lines(
    changes(state),
    `Tests: ${testsSaid(state)}`,
    `Time ${duration(workedMs(state))} · cost ${costSaid(costOf(state))}`,
  );
}

/** The newest evidence, with counts if any were measured. */
export function testsSaid({ chain }: State): string {
  const told = chain.nodes.flatMap(({ last }) => {
    const check = last?.checks.find(({ name }) => name === 'tests');
    return last?.tests ? testLine(last.tests) : check ? (check.ok ? 'ok' : 'failing') : [];
  });
  return told.at(-1) ?? 'not checked';
}

/** Empty for the parent of a loop, because its stories' own cards show their changes. */
function changes(state: State): string {
  const { chain, items } = state;
  const stat = diffOf(state);
  if (stat !== null && stat.files > 0) return `Changes: ${diffLine(stat)}`;
  if (items.some(({ parent }) => parent === chain.key)) return '';
  const isUnknown = stat === null && chain.nodes.some(({ last }) => last !== null);
  return `Changes: ${isUnknown ? 'not measured' : 'none'}`;
}

/** The story's cost in a story's chain, else the run's. */
export function costOf({ chain, run }: State): Costing {
  return chain.key === '' ? run : { costUsd: chain.costUsd ?? 0, unpriced: chain.unpriced ?? 0 };
}

export function diffOf(state: State): DiffStat | null {
  const stats = state.chain.nodes.flatMap((node) => (node.last?.diffStat ? [node.last.diffStat] : []));
  if (stats.length === 0) return null;
  const sum = (key: keyof DiffStat) => stats.reduce((total, stat) => total + (stat[key] ?? 0), 0);
  const largeBytes = sum('largeBytes');
  const large = largeBytes === 0 ? {} : { largeBytes };
  return { files: sum('files'), insertions: sum('insertions'), deletions: sum('deletions'), ...large };
}

export function diffLine(stat: DiffStat | null): string {
  if (stat === null || stat.files === 0) return '';
  const { files, insertions, deletions, largeBytes = 0 } = stat;
  const large = largeBytes === 0 ? '' : `, ${Math.round(largeBytes / (1024 * 1024))} MB in large files`;
  return `${files} ${files === 1 ? 'file' : 'files'} +${insertions} −${deletions}${large}`;
}

export function workedMs(state: State): number {
  return state.chain.nodes.reduce((total, node) => total + (node.last?.durationMs ?? 0), 0);
}

export function outcomeLine(interaction: Interaction): string {
  const { answer } = interaction;
  if (!answer) return interaction.state === 'expired' ? expiredLine(interaction) : goneLine(interaction);
  const label = interaction.options.find((one) => one.id === answer.option)?.label ?? answer.option;
  const past: Readonly<Record<string, string>> = {
    approve: '✅ Approved',
    reject: '❌ Rejected',
    changes: '✏️ Changes requested',
    answer: '✅ Answered',
    ...(interaction.kind === 'permission' ? rulings : {}),
  };
  const said = answer.text ? `: ${answer.text.slice(0, 300)}` : '';
  const word = past[answer.option] ?? rejectionFor(answer.option) ?? `✅ ${label}`;
  return `${word} by ${votesFor(interaction, answer).map(saidBy).join(', and ')}${said}`;
}

const rulings: Readonly<Record<string, string>> = {
  once: '✅ Allowed once',
  run: '✅ Allowed for this run',
  deny: '⛔ Denied',
};

function expiredLine({ kind }: Interaction): string {
  return kind === 'permission' ? '⌛ Refused: nobody answered in time' : '⌛ Too late';
}

function goneLine({ state, subject }: Interaction): string {
  const wasAgents = subject.type === 'agent_question' || subject.type === 'agent_permission';
  const why = ': its agent has ended, and the step asks again if it still needs to';
  return `↷ No longer asked${wasAgents && state === 'superseded' ? why : ''}`;
}

/** A rejection with a reason, from its own button or from a reply. */
function rejectionFor(option: string): string | null {
  if (!option.startsWith('for-')) return null;
  const reason = option.slice('for-'.length).replaceAll('_', ' ');
  return reason === 'default' ? '❌ Rejected' : `❌ Rejected (${reason})`;
}
