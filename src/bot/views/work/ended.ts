import {
  asksPerson,
  definitions,
  hasBody,
  type Item,
  mayHaveChanged,
  type Notice,
  type State,
  type Workflow,
} from '../../../engine/index.js';
import { testsSaid } from '../facts.js';
import { costNote, duration, lines, oneLine, personName, stepName, testsInWords } from '../view.js';
import { titleOf } from './card-text.js';

export function endedText(state: State, note: string): string {
  const { run, items } = state;
  const isDone = run.status === 'completed';
  return lines(
    endedTitle(state),
    [
      isDone ? `${run.project} is done` : `${run.project} · aborted before it was done`,
      countsOf(state),
      tookOf(state),
      costNote(run),
    ]
      .filter(Boolean)
      .join(' · '),
    ...items.flatMap((item) => itemLine(item) ?? []),
    isDone ? whereItIs(state, note) : note,
    isDone && [testsOf(state), approversOf(state), skippedOf(state)].filter(Boolean).join(' · '),
    isDone && pullRequestOf(state),
  );
}

export function endedTitle({ run }: Pick<State, 'run'>): string {
  return `${run.status === 'completed' ? '✅ Done' : '⏹ Aborted'} · ${titleOf(run.task.split('\n', 1)[0] ?? '')}`;
}

/** In one line: the end has a message of its own. */
export function endedFacts(state: State, note: string): string {
  const where = state.run.status === 'completed' ? whereItIs(state, note).split('\n', 1)[0] : '';
  return [countsOf(state), tookOf(state), costNote(state.run), where].filter(Boolean).join(' · ');
}

function itemLine({ status, unchanged, key, title, commit }: Item): string | null {
  if (status === 'cancelled') return `– ${key} ${title}, given up`;
  if (status !== 'done') return null;
  if (unchanged === true) return `– ${key} ${title}, no change`;
  return `✓ ${key} ${title}${commit === undefined ? '' : ` · ${commit.slice(0, 8)}`}`;
}

function countsOf({ items, workflow }: State): string {
  if (items.length === 0) return '';
  const count = (status: Item['status']) => items.filter((item) => item.status === status).length;
  const unchanged = items.filter((item) => item.status === 'done' && item.unchanged === true).length;
  const parts = [
    `${count('done')} of ${countedItems({ items, workflow })} done`,
    unchanged > 0 ? `${unchanged} without a change` : '',
    count('cancelled') > 0 ? `${count('cancelled')} given up` : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** The rest was waiting, mostly for people. */
function tookOf({ run }: State): string {
  // The clock may have been set back: duration unknown.
  const elapsedMs = run.startedAt !== null && run.endedAt !== null ? run.endedAt - run.startedAt : -1;
  if (elapsedMs < 0) return '';
  const worked = run.workedMs === undefined ? '' : ` (worked ${duration(run.workedMs)})`;
  return `took ${duration(elapsedMs)}${worked}`;
}

/** The last commit, the branch, or nothing to commit. */
function whereItIs({ run, items, chain }: State, note: string): string {
  const branch = run.branch === null ? run.work?.branch : undefined;
  if (note.startsWith('commit')) return `${note}${branch === undefined ? '' : `, on ${branch}`}`;
  const hasCommits = items.some(({ commit }) => commit !== undefined);
  if (hasCommits && run.branch === null) return branch === undefined ? '' : `On the branch ${branch}`;
  const said = note === 'nothing to commit' ? '' : note;
  if (items.length > 0) return said;
  return mayHaveChanged(chain) ? note : [said, 'no change'].filter(Boolean).join(' · ');
}

function testsOf(state: State): string {
  const last = testsInWords(state.run.tests ?? null);
  return last !== '' || state.items.length > 0 ? last : testsSaid(state);
}

function approversOf({ run }: State): string {
  const names = (run.approvedBy ?? []).map(personName);
  return names.length === 0 ? '' : `approved by ${names.join(' and ')}`;
}

/** A review that a person skipped. */
function skippedOf({ chain: { nodes } }: State): string {
  const skipped = nodes.flatMap((node) =>
    asksPerson(node) && node.state === 'skipped' && node.skipReason?.type === 'person'
      ? [{ node, ...node.skipReason }]
      : [],
  );
  return skipped
    .map(({ node, by, reason }) => `${stepName(node)} skipped by ${personName(by)}: “${oneLine(reason, 200)}”`)
    .join(' · ');
}

export function pullRequestOf({ run }: Pick<State, 'run'>): string {
  const said = (run.context['pr_url'] ?? run.context['pr'] ?? '').trim().replace(/\n.*/s, '');
  // A step's proposed title is no address.
  return /^(?:https?:|none:)/i.test(said) ? `Pull request: ${said.slice(0, 300)}` : '';
}

/** `2 stories`. */
export function countedItems({ items, workflow }: Pick<State, 'items' | 'workflow'>): string {
  const isPhases = items.every((item) => isPhase(workflow, item));
  const one = isPhases ? 'phase' : 'story';
  return `${items.length} ${items.length === 1 ? one : isPhases ? 'phases' : 'stories'}`;
}

export function isPhase(workflow: Workflow, { template }: Item): boolean {
  return definitions(workflow).some((def) => def.id === template && hasBody(def) && def.over === 'phases');
}

type Landed = Extract<Notice, { type: 'landed' }>;

const words = { merged: '✅ Merged', conflict: '⚠️ Not merged', busy: '⌛ Not merged yet' } as const;
const maxNamed = 10;

export function landedText({ how, note, files }: Landed, { run }: State): string {
  const { branch, project, task } = run;
  const title = `${words[how]} · ${titleOf(task.split('\n', 1)[0] ?? '')}`;
  const more = files.length - maxNamed;
  const named = `${files.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  switch (how) {
    case 'merged':
      return lines(title, `${project} · ${note}`);
    case 'busy':
      return lines(title, `${project} · ${note}`, 'I will ask again once it is free.');
    case 'conflict':
      return lines(
        title,
        `${project} · it conflicts with newer commits on ${branch?.base ?? 'the base'} in: ${named}`,
        `Nothing was changed. The work stays on the branch ${branch?.name ?? ''}.`,
      );
  }
}
