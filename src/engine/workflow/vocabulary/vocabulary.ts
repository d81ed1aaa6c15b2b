// With old-spellings.ts and unsupported-words.ts, all known keys of a workflow file.

export type Shape = keyof typeof vocabulary;

const freePolicy = ['stop_at_decisions', 'adopt_late', 'auto_mode', 'quality_mode', 'reverify_after_review'] as const;

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
    'defaults',
    'limits',
    'timeout',
    'chain',
    'fragments',
    'survey',
    'positions',
    'exports',
    ...freePolicy,
  ],
  input: ['required', 'default', 'description'],
  role: ['prompt', 'executor', 'timeout', 'title', 'access', 'role', 'description', 'workspace'],
  workspace: ['files'],
  policy: ['level', 'on_item_failed', 'timeout', 'report', 'after_story', 'poll_ms', 'writes', ...freePolicy],
  defaults: ['max_attempts', 'abandons', 'max_loops', 'on_exhausted', 'timeout', 'needs', 'editable'],
  limits: ['items', 'nodes_per_item', 'dispatches', 'restarts', 'insertions', 'per_item', 'cost'],
  position: ['name', 'begin', 'when'],
  fragment: ['params', 'nodes'],
  again: ['again', 'args', 'retry', 'when', 'carry'],
  node: [
    'id',
    'kind',
    'title',
    'role',
    'access',
    'prompt',
    'call',
    'args',
    'reads',
    'branch',
    'shows',
    'writes',
    'expects',
    'outputs',
    'check',
    'tests',
    'timeout',
    'on_timeout',
    'max_attempts',
    'abandons',
    'max_loops',
    'max_rejections',
    'restarts',
    'rollback',
    'mandatory',
    'pin',
    'after_any',
    'barrier',
    'needs',
    'when',
    'on_pass',
    'on_fail',
    'on_status',
    'decision_key',
    'on_decision',
    'on_exhausted',
    'evidence',
    'fail_when',
    'max_retries',
    'on',
    'on_answer',
    'approvals',
    'team',
    'over',
    'body',
    'parallel',
    'isolate',
    'step_types',
    'insert_by',
    'on_item_done',
    'editable',
    'fresh_session',
    'carry',
  ],
  body: ['use'],
  route: ['goto', 'budget', 'carry', 'clear', 'insert', 'args', 'say', 'next', 'retry', 'ask', 'fail', 'finish'],
  on: ['fix', 'escalate', 'pass'],
  pass: ['say'],
  on_answer: ['continue', 'skip', 'abort'],
  approvals: ['quorum', 'not_requester', 'remind_after', 'escalate_after', 'escalate_to'],
  on_item_done: ['rebase', 'squash', 'conflict'],
  conflict: ['insert', 'before'],
  team: ['mode', 'roles'],
  mode: ['S', 'M', 'L'],
  team_role: ['reads', 'writes', 'prompt'],
  expects: ['status', 'keys', 'items', 'red', 'changes'],
  tests: ['run', 'format', 'allow_none'],
} as const satisfies Record<string, readonly string[]>;

export const levels = ['manual', 'semi', 'auto'] as const;
export const endings = ['ask', 'fail', 'pause'] as const;
export const timeoutWords = ['abandon', 'ask', 'fail', 'pause', 'cancel_item'] as const;
export const antfarmRoles = ['analysis', 'coding', 'verification', 'testing', 'pr', 'scanning'] as const;
export const workspaceFileNames = ['AGENTS.md', 'SOUL.md', 'IDENTITY.md'] as const;

export const accesses = ['read', 'exec', 'write'] as const;
export const exportNames = ['state', 'workflow-state', 'session', 'progress'] as const;
export const testFormats = ['auto', 'vitest', 'jest', 'tap', 'node', 'go', 'junit', 'pytest', 'exit'] as const;
export const routeWords = ['next', 'retry', 'ask', 'fail', 'finish'] as const;

/** Workflows may add their own. */
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

/** Only nodes of loops have these. */
export const storyNames = ['story', 'current_story', 'current_story_id', 'current_story_title'] as const;

/** Only Bosun or the run's starter sets these, never executors or defaults. */
export const reservedNames: readonly string[] = [
  'task',
  'run_id',
  'project',
  'completed_stories',
  'stories_remaining',
  'progress',
  ...storyNames,
];

const stepNames: readonly string[] = [
  'args',
  'description',
  'retry',
  'max',
  'phase',
  'milestone',
  'next_phase',
  'next_milestone',
  'progress_file',
  'workflow_folder',
  'scratch_dir',
  'last_evidence',
  'has_frontend_changes',
];

export const builtInNames: readonly string[] = [...reservedNames, ...stepNames, 'verify_feedback', 'run_branch'];

export const projectNames: readonly string[] = ['name', 'root', 'base', 'lint', 'check', 'tests'];
export const itemNames: readonly string[] = ['key', 'title', 'description', 'criteria'];

/** Cards, exports and the final message show these, so declaring one is use. */
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
  'GAPS',
  'TASK_COUNT',
  'EXEC_STATUS',
  'NEXT_STORY',
  'STORIES_JSON',
  'REVIEW_DIGEST',
  'QUESTIONS',
  'BRAINSTORM_OUTPUT',
  'PLAN_FILE',
  'PLAN_SUMMARY',
  'IMPLEMENTATION_SUMMARY',
  'REVIEW_ISSUES',
  'REVIEW_NOTES',
  'FEEDBACK',
  'BRAINSTORM_DIR',
  'SPEC_SESSION_ID',
  'ANALYSIS_DIR',
  'PLAN_DIR',
]);

/** Read only from the current report, so several nodes may declare them. */
export const ownOutputs: ReadonlySet<string> = new Set(['STATUS', 'REASON', 'SUMMARY', 'DECISION']);
