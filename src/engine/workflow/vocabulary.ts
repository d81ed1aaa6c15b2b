// The words of a workflow file. A key that is not here, not in old-spellings.ts and not in not-yet.ts is unknown.

export type Shape = 'workflow' | 'input' | 'role' | 'policy' | 'limits' | 'node' | 'route' | 'expects' | 'tests';

export const vocabulary = {
  workflow: [
    'workflow',
    'version',
    'title',
    'description',
    'inputs',
    'context',
    'roles',
    'policy',
    'limits',
    'timeout',
    'chain',
  ],
  input: ['required', 'default', 'description'],
  role: ['prompt', 'executor', 'timeout', 'title'],
  policy: ['level', 'on_item_failed', 'timeout', 'report', 'after_story', 'poll_ms'],
  limits: ['items', 'nodes_per_item', 'dispatches'],
  node: [
    'id',
    'kind',
    'title',
    'role',
    'prompt',
    'reads',
    'writes',
    'expects',
    'outputs',
    'check',
    'tests',
    'timeout',
    'max_attempts',
    'abandons',
    'max_loops',
    'max_rejections',
    'rollback',
    'mandatory',
    'needs',
    'on_pass',
    'on_fail',
    'on_status',
    'decision_key',
    'on_decision',
    'on_exhausted',
    'over',
    'body',
    'parallel',
    'isolate',
    'editable',
    'fresh_session',
  ],
  route: ['goto', 'budget', 'carry', 'clear', 'next', 'retry', 'ask', 'fail', 'finish'],
  expects: ['status', 'keys', 'items', 'red'],
  tests: ['run', 'format'],
} as const satisfies Record<Shape, readonly string[]>;

export const kinds = ['task', 'check', 'human', 'loop'] as const;
export const levels = ['manual', 'semi', 'auto'] as const;
export const testFormats = ['auto', 'vitest', 'jest', 'tap', 'node', 'go', 'junit', 'pytest', 'exit'] as const;
export const routeWords = ['next', 'retry', 'ask', 'fail', 'finish'] as const;

/** Reasons that every workflow understands or that Bosun finds itself; a workflow may route reasons of its own besides. */
export const reasons = [
  'default',
  'constitution_violation',
  'needs_clarification',
  'nfr_missing',
  'scope_warning',
  'test_timeout',
  'bad_output',
  'bad_decision',
] as const;

/** Names of the item at hand, which only nodes of a loop have. */
export const storyNames = ['story', 'current_story', 'current_story_id', 'current_story_title'] as const;

/** Names that only the one who starts a run, or Bosun, sets: no executor and no default does. */
export const reservedNames: readonly string[] = [
  'task',
  'run_id',
  'project',
  'completed_stories',
  'stories_remaining',
  'progress',
  ...storyNames,
];

/** Names that Bosun fills in a template, besides inputs, context and outputs. */
export const builtInNames: readonly string[] = [...reservedNames, 'verify_feedback'];

export const projectNames: readonly string[] = ['name', 'root', 'base', 'lint', 'check', 'tests'];
export const itemNames: readonly string[] = ['key', 'title', 'description', 'criteria'];

/** Output keys that cards, exports and the final message show, so that declaring one is using it. */
export const shownOutputs: ReadonlySet<string> = new Set([
  'STATUS',
  'REASON',
  'SUMMARY',
  'DECISION',
  'ISSUES',
  'FILES_CHANGED',
  'FILE_CREATED',
  'CHANGES',
  'TESTS',
  'RESULTS',
  'FAILURES',
  'VERIFIED',
  'PR',
  'PR_URL',
  'BRANCH',
  'REPO',
  'COMMIT',
  'LEARNINGS',
  'NEXT_STORY',
  'STORIES_JSON',
  'REVIEW_DIGEST',
  'QUESTIONS',
]);

/** Keys that are read from the report at hand, so that several nodes may declare them. */
export const ownOutputs: ReadonlySet<string> = new Set(['STATUS', 'REASON', 'SUMMARY', 'DECISION']);
