import { z } from 'zod';
import { type FoundChain, type FoundStep, type FoundStory, findCycle, type Resume } from '../../engine/index.js';
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

const stepSchema = z.looseObject({
  type: shortText,
  status: z.enum(['pending', 'in_progress', 'completed', 'skipped', 'failed', 'cancelled']),
  description: longText.nullish(),
  notes: longText.nullish(),
  error: longText.nullish(),
  skip_reason: longText.nullish(),
});

const storySchema = z.looseObject({
  title: z.string().max(20_000).nullish(),
  status: z.enum(['unclaimed', 'in_progress', 'completed', 'failed', 'blocked']),
  depends_on: z.array(storyKey).max(200).nullish(),
  steps: z.array(stepSchema).max(200).nullish(),
});

const maxStories = 1_000;
const fileSchema = z.looseObject({
  prd_file: z.string().max(4_096).nullish(),
  stories: z
    .record(storyKey, storySchema)
    .refine((stories) => Object.keys(stories).length <= maxStories, `more than ${maxStories} stories`),
});

type Story = z.infer<typeof storySchema>;
type Step = z.infer<typeof stepSchema>;

const maxNamed = 20;
const maxNotesChars = 12_000;

/** A list of stories is another format. */
export function isWorkflowState(data: unknown): boolean {
  return z.looseObject({ stories: z.record(z.string(), z.unknown()) }).safeParse(data).success;
}

export function prdFileOf(file: FoundFile): string | null {
  const json = jsonIn(file);
  const parsed = 'value' in json ? fileSchema.safeParse(json.value) : null;
  return (parsed?.success && parsed.data.prd_file) || null;
}

export function readWorkflowState(file: FoundFile, beside: Beside): FoundState {
  const json = jsonIn(file);
  if ('fault' in json) return unreadable('workflow-state', file.path, json.fault);
  const parsed = fileSchema.safeParse(json.value);
  if (!parsed.success) return unreadable('workflow-state', file.path, faultOf(parsed.error));
  const entries = Object.entries(parsed.data.stories);
  const stories = entries.map(([key, story]) => foundStory(key, story, entries, beside));
  const cycle = findCycle(stories.map(({ item }) => item));
  if (cycle)
    return unreadable('workflow-state', file.path, `stories depend on each other in a circle: ${cycle.join(' → ')}`);
  const open = stories.filter(({ status }) => status !== 'done');
  const known = new Set(bodyOf(beside.workflow));
  const types = entries.flatMap(([, { steps }]) => steps?.map(({ type }) => type) ?? []);
  return {
    format: 'workflow-state',
    path: file.path,
    task: `${open.length} ${open.length === 1 ? 'story' : 'stories'} of ${file.path}`,
    words: wordsOf(entries),
    resume: open.length === 0 ? null : { stories, session: null, ...besideStories(parsed.data.prd_file, beside) },
    fits: types.length === 0 || types.some((type) => known.has(type)),
  };
}

function besideStories(prdFile: string | null | undefined, { prd }: Beside): Pick<Resume, 'context' | 'prd'> {
  return { context: prdFile ? { prd_file: prdFile } : {}, ...(prd && { prd }) };
}

function wordsOf(entries: readonly (readonly [string, Story])[]): readonly string[] {
  const keysOf = (...statuses: readonly Story['status'][]) =>
    entries.filter(([, { status }]) => statuses.includes(status)).map(([key]) => key);
  const begun = entries.filter(([, { status }]) => status === 'in_progress' || status === 'failed');
  const line = (title: string, keys: readonly string[]) =>
    keys.length === 0 ? [] : [`${title}: ${keys.slice(0, maxNamed).join(', ')}${keys.length > maxNamed ? ' …' : ''}`];
  return [
    ...begun.slice(0, maxNamed).map(([key, { status, steps }]) => {
      const next = steps?.find((step) => stateOf(step) === 'open');
      const failed = status === 'failed' ? ', failed' : '';
      return `${key} ${next ? `${next.type}, ${next.status}` : 'has no step left'}${failed}`;
    }),
    ...line('Finished', keysOf('completed')),
    ...line('Not begun', keysOf('unclaimed', 'blocked')),
    ...(keysOf('in_progress', 'failed', 'unclaimed', 'blocked').length === 0 ? ['All of its work is done.'] : []),
  ];
}

function foundStory(
  key: string,
  { title, status, depends_on, steps }: Story,
  entries: readonly (readonly [string, Story])[],
  { stories }: Beside,
): FoundStory {
  const isThere = (one: string) => entries.some(([other]) => other === one);
  const described = describedItem(stories, key, title || key);
  const { isDone: _passes, ...item } = { ...described, dependsOn: (depends_on ?? described.dependsOn).filter(isThere) };
  if (status === 'completed') return { item: { ...item, isDone: true }, status: 'done', chain: null };
  const begun = steps?.some((step) => step.status !== 'pending') ? chainOf(steps) : null;
  return { item, status: begun === null ? 'open' : 'begun', chain: begun };
}

function chainOf(steps: readonly Step[]): FoundChain {
  return {
    steps: steps.map((step): FoundStep => {
      const { type, description, notes, skip_reason } = step;
      return {
        template: type,
        state: stateOf(step),
        ...(description ? { description: clipped(description, 4_000) } : {}),
        ...(notes ? { notes: clipped(notes, 2_000) } : {}),
        ...(skip_reason ? { skipReason: clipped(skip_reason, 300) } : {}),
      };
    }),
    begin: null,
    attempt: 1,
    notes: clipped(notesOf(steps), maxNotesChars),
  };
}

function stateOf({ status }: Step): FoundStep['state'] {
  if (status === 'completed') return 'done';
  return status === 'skipped' ? 'skipped' : 'open';
}

function notesOf(steps: readonly Step[]): string {
  const noted = steps.flatMap(({ type, status, notes, error }) => [
    ...(status === 'completed' && notes ? [`### ${type}\n${notes}`] : []),
    ...(error ? [`### ${type}, ${status}\n${error}`] : []),
  ]);
  return ['Taken over from another orchestrator.', ...noted].join('\n\n');
}
