import type { Node, State } from '../model/model.js';
import { nothingToDo } from '../report/index.js';
import type { TaskDef, Workflow } from '../workflow/definition.js';
import { definitions } from '../workflow/definitions.js';
import { runsJob } from '../workflow/node-kinds.js';
import { restsOnNotes } from './step-notes.js';

const reasons: Readonly<Record<string, string>> = {
  constitution_violation: 'it only works by breaking a rule of the project',
  needs_clarification: 'the documents leave open, or contradict each other on, what to do',
  nfr_missing: 'a requirement names no figure that can be tested',
  scope_warning: 'it needs what the Non-Goals exclude',
  test_timeout: 'the tests take too long',
};

export function duties(state: State, node: Node, def: TaskDef, instruction: string): string {
  const allowed = reasonsOf(state.workflow, instruction);
  const statuses = [...new Set([...(def.expects.status ?? ['pass']), 'failing', 'needs_human'])];
  const failing = allowed.length === 0 ? [] : [`with failing: ${allowed.join(' | ')}`];
  const unchanged = def.expects.changes === true ? [`with pass: ${nothingToDo}`] : [];
  const front = [
    `story: ${state.chain.key || state.run.project}`,
    `step: ${node.template}`,
    `attempt: ${node.attempt}`,
    `status: ${statuses.join(' | ')}`,
    `reason: ${['null', ...failing, ...unchanged].join(', or ')}`,
    ...summaryLines(restsOnNotes(state)),
    'files_changed: []',
    'tests_pass: 0',
    'tests_fail: 0',
    'tests_skip: 0',
    'review_digest: |',
    '  as the step asks, or up to eight lines: changes, risks',
    'questions: []',
  ];
  const lines = [
    '## When you end, successful or not',
    'Overwrite .ai/HANDOFF.md (BOSUN_HANDOFF_FILE): this front matter, then what is done, what is unresolved, and notes for the next session.',
    `---\n${front.join('\n')}\n---`,
    ...allowed.flatMap((reason) => (reasons[reason] ? [`${reason}: ${reasons[reason]}.`] : [])),
    lastLines(def, restsOnNotes(state)),
    nextStory(def),
    `Your process and its children end with that message. Time limit: ${minutes(def.timeoutMs)}.`,
    'Write only the parts that this step affects. Do only this step, then stop.',
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** Reasons that routes handle, and known ones in the instruction. */
function reasonsOf(workflow: Workflow, instruction: string): readonly string[] {
  const routed = definitions(workflow).flatMap((one) => (runsJob(one) ? Object.keys(one.onFail) : []));
  const named = Object.keys(reasons).filter((reason) => instruction.includes(reason));
  return [...new Set([...routed, ...named])].filter((reason) => reason !== 'default' && reason !== nothingToDo);
}

const ownSentence = 'NEXT_STORY';

function summaryLines(isKept: boolean): readonly string[] {
  if (!isKept) return ['summary: one or two sentences; with needs_human, the question'];
  return ['summary: |', '  three to five lines for the steps after this one; with needs_human, the question'];
}

function lastLines(def: TaskDef, isKept: boolean): string {
  const outputs = [...def.expects.keys, ...(def.decisionKey ? [def.decisionKey] : []), ...(def.outputs ?? [])];
  const listed = def.expects.items === 'required' ? [...outputs, 'STORIES_JSON'] : outputs;
  const keys = ['STATUS', ...new Set(listed)].filter((key) => key !== ownSentence);
  const named = keys.map((key) => (key === 'STATUS' ? 'STATUS: (the same word)' : `${key}: …`));
  const end = isKept ? ['SUMMARY', '(the summary)'] : [];
  return ['End your last message with these lines:', ...named, ...end].join('\n');
}

function nextStory(def: TaskDef): string {
  if (!(def.outputs ?? []).includes(ownSentence)) return '';
  return `If the project names the story that comes next, print it at the start of a line, else nothing: ${ownSentence}: US-006 title of the story.`;
}

function minutes(ms: number): string {
  const count = Math.max(1, Math.round(ms / 60_000));
  return `${count} ${count === 1 ? 'minute' : 'minutes'}`;
}
