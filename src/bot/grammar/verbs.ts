// The closed grammar of chat, one row for each verb. Parsing, help, the bot's command menu and the suggestions are all
// generated from this table.

export type Verb =
  | 'continue'
  | 'status'
  | 'projects'
  | 'inbox'
  | 'retry'
  | 'skip'
  | 'abort'
  | 'stop'
  | 'start'
  | 'stories'
  | 'steps'
  | 'history'
  | 'log'
  | 'diff'
  | 'cost'
  | 'why'
  | 'approve'
  | 'reject'
  | 'rollback'
  | 'budget'
  | 'use'
  | 'quiet'
  | 'verbose'
  | 'whoami'
  | 'help';

export interface VerbRow {
  readonly verb: Verb;
  readonly synonyms: readonly string[];
  /** Synonyms that count only together with a project. */
  readonly synonymsOfProject?: readonly string[];
  readonly project: 'none' | 'optional' | 'required' | 'optional-or-all';
  /**
   * The target that the sentence may carry. `node`: a node or a story. `project-node`: the same, once a project is
   * named. `to-node` and `amount` are required; `workflow` follows `with`; `code` is the id of an interaction.
   */
  readonly target: 'none' | 'node' | 'project-node' | 'to-node' | 'amount' | 'workflow' | 'code';
  /** The meaning of text after a colon; null if none may follow. A `project-node` verb takes it only with its node. */
  readonly note: 'note' | 'reason' | 'remark' | 'task' | 'instruction' | null;
  readonly help: string;
}

const ofProject = { synonyms: [], project: 'optional', target: 'none', note: null } as const;
const ofChat = { synonyms: [], project: 'none', target: 'none', note: null } as const;

export const VERBS: readonly VerbRow[] = [
  {
    verb: 'continue',
    synonyms: ['go on', 'resume', 'next', 'proceed', 'execute'],
    project: 'optional-or-all',
    target: 'project-node',
    note: 'instruction',
    help: 'takes the next step that is due',
  },
  {
    ...ofProject,
    verb: 'status',
    synonyms: ['st', 'where are we'],
    synonymsOfProject: ['how is'],
    help: 'says where a project stands',
  },
  { ...ofChat, verb: 'projects', help: 'lists the projects' },
  {
    ...ofChat,
    verb: 'inbox',
    synonyms: ['needs me', 'what needs me'],
    help: 'lists what waits for a person, oldest first',
  },
  {
    verb: 'retry',
    synonyms: [],
    project: 'optional',
    target: 'node',
    note: 'note',
    help: 'tries the failed step again, with the note for the executor',
  },
  {
    verb: 'skip',
    synonyms: [],
    project: 'optional',
    target: 'node',
    note: 'reason',
    help: 'skips a step, with the reason on record',
  },
  { ...ofProject, verb: 'abort', synonyms: ['cancel'], help: 'ends the run, after a confirmation' },
  {
    verb: 'stop',
    synonyms: ['pause', 'stop for today'],
    project: 'optional-or-all',
    target: 'none',
    note: null,
    help: 'starts nothing new and keeps the queue',
  },
  {
    verb: 'start',
    synonyms: ['do', 'build'],
    project: 'optional',
    target: 'workflow',
    note: 'task',
    help: 'proposes a run; so does "<project>: <task>"',
  },
  { ...ofProject, verb: 'stories', help: 'lists the stories of the run' },
  { ...ofProject, verb: 'steps', help: 'lists the steps of the run' },
  { ...ofProject, verb: 'history', help: 'tells what happened so far' },
  { ...ofProject, verb: 'log', target: 'node', help: 'shows what a step printed' },
  { ...ofProject, verb: 'diff', target: 'node', help: 'shows what was changed' },
  { ...ofProject, verb: 'cost', help: 'shows what was spent' },
  { ...ofProject, verb: 'why', help: 'says why it stands where it stands' },
  {
    verb: 'approve',
    synonyms: ['ok', 'lgtm', 'yes'],
    project: 'none',
    target: 'code',
    note: 'remark',
    help: 'approves what you reply to, or what the code names',
  },
  {
    verb: 'reject',
    synonyms: ['no', 'changes'],
    project: 'none',
    target: 'code',
    note: 'reason',
    help: 'rejects what you reply to, or what the code names',
  },
  {
    verb: 'rollback',
    synonyms: [],
    project: 'optional',
    target: 'to-node',
    note: null,
    help: 'takes the work back to before a step',
  },
  { ...ofProject, verb: 'budget', target: 'amount', help: 'raises the budget of the run by so many dollars' },
  { ...ofChat, verb: 'use', project: 'required', help: 'makes it the project of this chat' },
  { ...ofChat, verb: 'quiet', help: 'posts only what needs a person, and the end' },
  { ...ofChat, verb: 'verbose', help: 'posts every step' },
  { ...ofChat, verb: 'whoami', help: 'says who you are here and what you may do' },
  { ...ofChat, verb: 'help', help: 'prints this list' },
];

export interface Phrase {
  readonly row: VerbRow;
  readonly words: readonly string[];
  readonly needsProject: boolean;
}

/** Longest first, so that `stop for today` is not read as `stop` and two more words. */
export const PHRASES: readonly Phrase[] = VERBS.flatMap((row) => [
  ...[row.verb, ...row.synonyms].map((said) => phrase(row, said, row.project === 'required')),
  ...(row.synonymsOfProject ?? []).map((said) => phrase(row, said, true)),
]).sort((a, b) => b.words.length - a.words.length);

function phrase(row: VerbRow, said: string, needsProject: boolean): Phrase {
  return { row, words: said.split(' '), needsProject };
}
