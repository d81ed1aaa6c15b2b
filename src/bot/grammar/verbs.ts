// One row per verb; parsing, help, menus, suggestions, rights, reserved names and overtaking derive from it.
import type { Action } from '../../config/index.js';
import { type Spelled, spell } from './spelling.js';

export interface VerbRow {
  readonly verb: string;
  readonly synonyms: readonly string[];
  readonly synonymsOfProject?: readonly string[];
  readonly project: 'none' | 'optional' | 'required' | 'optional-or-all';
  /**
   * `node`: a node or a story. `project-node`: once a project is named. `to-node`, `amount`, `queued` (a waiting task's
   * id) and `queued-move` are required; `workflow` follows `with`; `code`: an interaction's id. `card`, `card-for`,
   * `card-to` name an interaction and `task` a waiting task, unless the sentence is a reply.
   */
  readonly target:
    | ('none' | 'node' | 'project-node' | 'to-node' | 'amount')
    | ('queued' | 'queued-move' | 'workflow' | 'code' | 'all')
    | ('card' | 'card-for' | 'card-to' | 'task');
  /** After a colon; null: none. A `project-node` verb needs its node. */
  readonly note: 'note' | 'reason' | 'remark' | 'task' | 'instruction' | 'words' | null;
  readonly help: string;
  /** `setting`: the sender's chat or view only; `stops` starts nothing, so it is never throttled and may overtake. */
  readonly effect: 'reads' | 'setting' | 'drives' | 'stops';
  /** Null: no project is meant, or the handler checks. */
  readonly right: Action | null;
  /** `private`: not in groups' menus. */
  readonly menu: 'everywhere' | 'private';
  readonly isProposed?: true;
}

const everywhere = { synonyms: [], menu: 'everywhere' } as const;
const reads = {
  ...everywhere,
  project: 'optional',
  target: 'none',
  note: null,
  effect: 'reads',
  right: 'read',
} as const;
const readsChat = { ...reads, project: 'none', right: null } as const;
const setsChat = { ...readsChat, effect: 'setting' } as const;
const drives = { ...reads, effect: 'drives' } as const;
const decides = { ...drives, project: 'none', target: 'code', right: null } as const;

const ofCard = { ...everywhere, project: 'none', note: null, right: null, menu: 'private' } as const;
const forOneself = { ...ofCard, effect: 'setting' } as const;
const movesQueue = { ...drives, project: 'none', right: null, menu: 'private' } as const;

export const verbRows = [
  {
    ...drives,
    verb: 'continue',
    synonyms: ['go on', 'resume', 'next', 'proceed', 'execute'],
    project: 'optional-or-all',
    target: 'project-node',
    note: 'instruction',
    help: 'takes the next step that is due',
    right: 'continue',
    isProposed: true,
  },
  {
    ...reads,
    verb: 'status',
    synonyms: ['st', 'where are we'],
    synonymsOfProject: ['how is', "how's", 'hows'],
    help: 'says where a project stands',
    isProposed: true,
  },
  {
    ...readsChat,
    project: 'optional',
    verb: 'queue',
    synonyms: ["what's running", 'what is running', "what's next", "what's in the queue"],
    help: 'lists what runs, what waits for its turn and what waits for you',
  },
  {
    ...movesQueue,
    verb: 'move',
    target: 'queued-move',
    help: 'moves a waiting task, as in "move q3 up", "down" or "first"',
  },
  { ...movesQueue, verb: 'drop', target: 'queued', help: 'takes a waiting task out of the queue, as in "drop q3"' },
  {
    ...movesQueue,
    verb: 'edit',
    target: 'task',
    note: 'words',
    help: 'gives a waiting task other words, as in "edit q3: add a dark theme"',
  },
  {
    ...movesQueue,
    verb: 'merge',
    target: 'task',
    help: 'merges the branch of a task that worked beside another, as in "merge r3"',
  },
  { ...readsChat, verb: 'projects', help: 'lists the projects' },
  {
    ...readsChat,
    verb: 'inbox',
    synonyms: ['needs me', 'what needs me', 'who needs me', 'anything for me', "what's waiting for me"],
    help: 'lists what waits for a person, oldest first',
  },
  {
    ...drives,
    verb: 'retry',
    target: 'node',
    note: 'note',
    help: 'tries the failed step again, with the note for the executor',
    right: 'retry',
  },
  {
    ...drives,
    verb: 'skip',
    target: 'node',
    note: 'reason',
    help: 'skips a step, with the reason on record',
    right: 'skip',
  },
  { ...drives, verb: 'abort', synonyms: ['cancel'], help: 'ends the run, after a confirmation', right: 'abort' },
  {
    ...drives,
    verb: 'stop',
    synonyms: ['pause', 'stop for today'],
    project: 'optional-or-all',
    help: 'starts nothing new and keeps the queue',
    effect: 'stops',
    right: 'stop',
  },
  {
    ...drives,
    verb: 'start',
    synonyms: ['do', 'build'],
    target: 'workflow',
    note: 'task',
    help: 'proposes a run; so does "<project>: <task>"',
    right: 'start',
  },
  { ...reads, verb: 'stories', help: 'lists the stories of the run', isProposed: true },
  { ...reads, verb: 'steps', help: 'lists the steps of the run' },
  { ...reads, verb: 'history', help: 'tells what happened so far' },
  { ...reads, verb: 'log', target: 'node', help: 'shows what a step printed' },
  {
    ...reads,
    verb: 'diff',
    target: 'node',
    synonyms: ['what changed', 'what has changed', "what's changed", 'whats changed', 'what did you change'],
    synonymsOfProject: ['what changed in', 'what has changed in'],
    help: 'shows what was changed',
  },
  { ...reads, verb: 'cost', help: 'shows what was spent' },
  { ...reads, verb: 'why', help: 'says why it stands where it stands', isProposed: true },
  {
    ...decides,
    verb: 'approve',
    synonyms: ['ok', 'lgtm', 'yes'],
    note: 'remark',
    help: 'approves what you reply to, or what the code names',
  },
  {
    ...decides,
    verb: 'reject',
    synonyms: ['no', 'changes'],
    note: 'reason',
    help: 'rejects what you reply to, or what the code names',
  },
  {
    ...drives,
    verb: 'rollback',
    target: 'to-node',
    help: 'takes the work back to before a step',
    right: 'rollback',
    menu: 'private',
  },
  {
    ...drives,
    verb: 'budget',
    target: 'amount',
    help: 'raises the budget of the run by so many dollars',
    right: 'budget',
    menu: 'private',
  },
  {
    ...forOneself,
    verb: 'snooze',
    target: 'card-for',
    help: 'puts a card off for you alone, as in "snooze i12-3 2h"; without a time, for 1 h',
  },
  { ...forOneself, verb: 'wake', target: 'card', help: 'takes up a card again that you had put off' },
  {
    ...ofCard,
    effect: 'drives',
    verb: 'remind',
    target: 'card',
    help: 'reminds the people whom a card waits for, at most once an hour, as in "remind i12-3"',
  },
  {
    ...ofCard,
    effect: 'drives',
    verb: 'hand',
    synonyms: ['hand over'],
    target: 'card-to',
    help: 'asks another person to decide a card, as in "hand i12-3 to bob"',
  },
  { ...setsChat, verb: 'use', project: 'required', help: 'makes it the project of this chat' },
  { ...setsChat, verb: 'quiet', help: 'posts only what needs a person, and the end' },
  { ...setsChat, verb: 'verbose', help: 'posts every step' },
  { ...readsChat, verb: 'whoami', help: 'says who you are here and what you may do', menu: 'private' },
  { ...readsChat, verb: 'help', target: 'all', help: 'says what people say most; "help all" lists every verb' },
] as const satisfies readonly VerbRow[];

export type Verb = (typeof verbRows)[number]['verb'];

export interface Phrase {
  readonly row: VerbRow;
  readonly words: readonly string[];
  readonly spelled: readonly Spelled[];
  readonly needsProject: boolean;
}

export interface Phrases {
  readonly rows: readonly VerbRow[];
  /** Longest first, so that `stop for today` is not read as `stop`. */
  readonly phrases: readonly Phrase[];
  readonly oneWordPhrases: readonly Phrase[];
  readonly byFirstWord: ReadonlyMap<string, readonly Phrase[]>;
}

export interface VerbTable extends Phrases {
  readonly verbs: ReadonlySet<string>;
  /** `shop: add login` omits this verb. */
  readonly task: VerbRow | undefined;
  /** `edit`, `hand` and `wake` are everyday words: in a sentence they count only beside a card's or task's id. */
  readonly withoutCards: Phrases;
}

export function verbTable(rows: readonly VerbRow[]): VerbTable {
  return {
    ...phrasesOf(rows),
    verbs: new Set(rows.map(({ verb }) => verb)),
    task: rows.find(({ note }) => note === 'task'),
    withoutCards: phrasesOf(rows.filter(({ target }) => target !== 'task' && !target.startsWith('card'))),
  };
}

function phrasesOf(rows: readonly VerbRow[]): Phrases {
  const phrases = rows.flatMap((row) => [
    ...[row.verb, ...row.synonyms].map((said) => phrase(row, said, row.project === 'required')),
    ...(row.synonymsOfProject ?? []).map((said) => phrase(row, said, true)),
  ]);
  phrases.sort((a, b) => b.words.length - a.words.length);
  return {
    rows,
    phrases,
    oneWordPhrases: phrases.filter(({ words }) => words.length === 1),
    byFirstWord: byFirstWord(phrases),
  };
}

function byFirstWord(phrases: readonly Phrase[]): Phrases['byFirstWord'] {
  const found = new Map<string, Phrase[]>();
  for (const one of phrases) {
    const [first = ''] = one.words;
    found.set(first, [...(found.get(first) ?? []), one]);
  }
  return found;
}

function phrase(row: VerbRow, said: string, needsProject: boolean): Phrase {
  const words = said.split(' ');
  return { row, words, spelled: words.map(spell), needsProject };
}

/** People say these to each other, too. */
export function isVerdict(row: VerbRow | null): boolean {
  return row?.target === 'code';
}
