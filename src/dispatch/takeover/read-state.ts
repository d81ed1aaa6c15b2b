import { z } from 'zod';
import { type FoundChain, type FoundStory, type LatestEvidence, normaliseStatus } from '../../engine/index.js';
import {
  type Beside,
  bodyOf,
  clipped,
  describedItem,
  type FoundFile,
  type FoundState,
  faultOf,
  jsonIn,
  longText,
  shortText,
  unreadable,
} from './found.js';
import { storyKey } from './read-prd.js';

const names = z.array(shortText).max(2_000).nullish();
const count = z.number().int().min(0).max(10_000_000).default(0);
const stateSchema = z.looseObject({
  story: storyKey.nullish(),
  step: shortText,
  attempt: z.number().int().min(1).max(1_000).nullish(),
  max_attempts: z.number().int().min(0).max(1_000).nullish(),
  status: shortText,
  reason: shortText.nullish(),
  tests: z.looseObject({ pass: count, fail: count, skip: count }).nullish(),
  failing_tests: names,
  lint_pass: z.boolean().nullish(),
  files_changed: names,
  blocked_by: z.array(storyKey).max(1_000).nullish(),
  human_note: longText.nullish(),
});

type State = z.infer<typeof stateSchema>;

const maxHandoffChars = 8_000;
const maxNames = 50;

/** `files`: the project's own state first. */
export function readStates(files: readonly FoundFile[], beside: Beside): FoundState {
  const [first] = files;
  if (first === undefined) throw new Error('no state file to read');
  const states: State[] = [];
  for (const file of files) {
    const read = stateIn(file);
    if (typeof read === 'string') return unreadable('state', file.path, read);
    const isNews = read.story && !states.some(({ story }) => story === read.story);
    if (isNews) states.push(read);
  }
  const stories = states.map((state) => storyOf(state, beside));
  const open = states.filter((state) => !isDone(state));
  const isKnown = ({ step }: State) => bodyOf(beside.workflow).includes(step);
  return {
    format: 'state',
    path: first.path,
    task: open[0]?.story ?? null,
    words: wordsOf(states, open, isKnown),
    resume: open.length === 0 ? null : { stories, session: null, context: {} },
    fits: open.every(isKnown),
  };
}

function stateIn(file: FoundFile): State | string {
  const json = jsonIn(file);
  if ('fault' in json) return json.fault;
  const parsed = stateSchema.safeParse(json.value);
  return parsed.success ? parsed.data : faultOf(parsed.error);
}

function wordsOf(
  states: readonly State[],
  open: readonly State[],
  isKnown: (state: State) => boolean,
): readonly string[] {
  const done = states.filter(isDone).map(({ story }) => String(story));
  return [
    ...open.map(placeOf),
    ...open
      .filter((state) => !isKnown(state))
      .map(({ story, step }) => `There is no step "${step}" here, so ${story} starts over.`),
    ...(done.length > 0 ? [`Finished: ${done.slice(0, maxNames).join(', ')}`] : []),
    ...(open.length === 0 ? ['All of its work is done.'] : []),
  ];
}

/** `US-005 impl, attempt 2, failing (test_timeout)`. */
function placeOf({ story, step, attempt, status, reason }: State): string {
  return `${story} ${step}, attempt ${attempt ?? 1}, ${status}${reason ? ` (${reason})` : ''}`;
}

function storyOf(state: State, beside: Beside): FoundStory {
  const described = describedItem(beside.stories, String(state.story));
  const item = { ...described, dependsOn: [] };
  if (isDone(state)) return { item: { ...item, isDone: true }, status: 'done', chain: null };
  return { item, status: 'begun', chain: chainOf(state, beside) };
}

function chainOf(state: State, { workflow, handoff }: Beside): FoundChain {
  const body = bodyOf(workflow);
  const at = body.indexOf(state.step);
  const isPassed = wordOf(state) === 'pass';
  const isFailing = wordOf(state) === 'failing';
  const attempt = state.attempt ?? 1;
  return {
    steps: body.map((template, index) => ({
      template,
      state: index < at || (index === at && isPassed) ? ('done' as const) : ('open' as const),
    })),
    begin: at < 0 ? null : state.step,
    // A failing state names the failed attempt, so the next is higher.
    attempt: isPassed || at < 0 ? 1 : attempt + (isFailing ? 1 : 0),
    notes: notesOf(state, handoff),
    evidence: evidenceOf(state),
  };
}

function evidenceOf({ tests, failing_tests, lint_pass, files_changed }: State): LatestEvidence {
  return {
    tests: tests ? { pass: tests.pass, fail: tests.fail, skip: tests.skip, failing: failing_tests ?? [] } : null,
    checkPassed: lint_pass ?? null,
    filesChanged: files_changed ?? [],
  };
}

function notesOf(state: State, handoff: string | null): string {
  const list = (title: string, all: readonly string[] | null | undefined) =>
    all && all.length > 0 ? [`${title}:`, ...all.slice(0, maxNames).map((one) => `- ${one}`)] : [];
  return [
    `Taken over from another orchestrator: ${placeOf(state)}.`,
    ...list('Failing tests', state.failing_tests),
    ...list('Files changed so far', state.files_changed),
    ...(state.human_note ? [`A person noted: ${clipped(state.human_note, 2_000)}`] : []),
    ...(handoff ? ['From .ai/HANDOFF.md:', clipped(handoff, maxHandoffChars)] : []),
  ].join('\n');
}

function isDone(state: State): boolean {
  return state.step === 'done';
}

function wordOf({ status }: State): string | null {
  return normaliseStatus(status);
}
