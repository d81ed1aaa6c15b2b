// Sentences that ask for work, after no command was found; only proposed. Pure and total: anchored patterns over
// bounded text.
import { withoutQuotes } from '../clauses.js';
import type { ProjectName } from '../parsed.js';
import { projectsSpelled } from '../projects.js';
import { nameKey } from '../words.js';
import { type StepName, stepNamed, stepsListed } from './step-words.js';

interface About {
  /** Several: the person chooses. */
  readonly projects: readonly string[];
}

export type Instruction =
  | (About & { readonly kind: 'steps'; readonly steps: readonly string[]; readonly story: string | null })
  | (About & { readonly kind: 'begin'; readonly step: string; readonly task: string })
  | (About & { readonly kind: 'task'; readonly task: string })
  | { readonly kind: 'new_project'; readonly name: string; readonly brief: string };

export const maxInstructionLength = 1_000;
const maxLines = 5;

/** `steps`: of every workflow that may be meant; called only if needed. */
export function readInstruction(
  text: string,
  names: readonly ProjectName[],
  steps: () => readonly StepName[],
): Instruction | null {
  const body = text.trim();
  if (body.length > maxInstructionLength || body.split('\n').length > maxLines) return null;
  // The same length, so indexes hold in both.
  const spoken = withoutQuotes(body).replaceAll('’', "'");
  if (spoken.startsWith('\u0001') || /[?？]/.test(spoken)) return null;
  return (
    readNewProject(body, spoken) ??
    readSteps(spoken, names, steps) ??
    readBegin(body, spoken, names, steps) ??
    readTask(body, spoken, names)
  );
}

const leadPattern =
  /^(?:(?:ok|okay|k|yes|great|good|fine|nice|perfect|alright|all right|cool|done|thanks|thank you|now|then|so|please|pls|plz|just|hey|hi|hello|@?bosun)(?:[\s,.!:;–—-]+|$))+/i;
const reviewedPattern =
  /^(?:(?:(?:i|we)(?:'ve| have)? (?:just )?(?:reviewed|checked|approved|read)(?: (?:it|this|that|them|everything|(?:the|your) [a-z]{2,20}))?|reviewed|approved|lgtm|looks good(?: to me)?|all good))[\s,.;:!–—-]+(?:(?:and|so|now|then|please)[\s,]+)*/i;

/** Politeness and "I reviewed it". */
export function afterLead(spoken: string): string {
  let rest = spoken;
  for (let turn = 0; turn < 3; turn += 1) rest = rest.replace(leadPattern, '').replace(reviewedPattern, '');
  return rest;
}

/** Discusses work instead of asking for it. */
const talk =
  /(?:^|[^\p{L}])(?:but|however|unless|instead|maybe|perhaps|later|tomorrow|tonight|yesterday|next week|should|could|would|might|if (?:you|we|i|it|that)|when (?:you|we|i|it|that)|once (?:you|we|i|it|that)|as soon as|wait|do not|never|not|no|cannot|stop|\w{2,8}n't|dont|cant|wont)(?![\p{L}\p{N}])/iu;

export function isTalk(command: string): boolean {
  return talk.test(command);
}

const endSource = String.raw`(?:[\s,]*(?:please|pls|plz|now|thanks|thank you|thx))*[\s.!…]*$`;
const continuePattern =
  /^(?:continue|carry on|go on|go ahead|move on|proceed|resume|run|execute|do)(?: (?:and )?(?:run|do))?(?=\s)/i;
const storyPattern = /[A-Za-z][A-Za-z0-9]{0,9}-\d{1,6}/;

function readSteps(
  spoken: string,
  names: readonly ProjectName[],
  steps: () => readonly StepName[],
): Instruction | null {
  const { projects: led, rest } = leadingProject(afterLead(spoken), names);
  const verb = continuePattern.exec(afterLead(rest));
  if (verb === null || isTalk(rest)) return null;
  const said = afterLead(rest).slice(verb[0].length).replace(new RegExp(endSource, 'i'), '').trim();
  const { projects, story, list } = withoutPlaces(said, names);
  const found = stepsListed(list.replace(/^(?:with|to|at|by|from) /i, ''), steps());
  if (found === null || found.length === 0) return null;
  return { kind: 'steps', steps: found, story, projects: unique([...led, ...projects]) };
}

function withoutPlaces(said: string, names: readonly ProjectName[]) {
  const projects: string[] = [];
  let story: string | null = null;
  let list = said;
  for (let turn = 0; turn < 3; turn += 1) {
    const [ahead, first = ''] = /^(?:(?:on|of|in|for|with) )?(\S+) (?=with |to |at )/i.exec(list) ?? [];
    const [behind, last = ''] = / (?:on|of|in|for) (?:the )?(?:project |story )?(\S+)(?: project)?$/i.exec(list) ?? [];
    const word = behind === undefined ? first : last;
    const named = namesOf(word, names);
    const isStory = new RegExp(`^${storyPattern.source}$`).test(word);
    if (word === '' || (named.length === 0 && !isStory)) break;
    projects.push(...named);
    if (named.length === 0) story = word.toUpperCase();
    list = behind === undefined ? list.slice(ahead?.length) : list.slice(0, -behind.length);
  }
  return { projects, story, list: list.trim() };
}

const beginPattern = new RegExp(
  String.raw`[\s,;.–—-]+(?:(?:and|then|please)\s+)*(?:(?:start|begin|kick off)(?:ing|ning)?\s+(?:it\s+)?(?:with|at|from|by)\s+([\p{L}\p{N} _-]{1,40}?)|([\p{L}\p{N}_-]{1,24}) first)${endSource}`,
  'iu',
);

/** `add a cart to A, start with BDD` */
function readBegin(
  body: string,
  spoken: string,
  names: readonly ProjectName[],
  steps: () => readonly StepName[],
): Instruction | null {
  const found = beginPattern.exec(spoken);
  const step = found && stepNamed(found[1] ?? found[2] ?? '', steps());
  if (found === null || step === null) return null;
  const task = taskIn(body.slice(0, found.index), spoken.slice(0, found.index), names);
  return task && { ...task, kind: 'begin', step };
}

/** Only with a project or story, as the request is uncertain otherwise. */
function readTask(body: string, spoken: string, names: readonly ProjectName[]): Instruction | null {
  const task = taskIn(body, spoken, names);
  const isPlaced = task !== null && (task.projects.length > 0 || task.hasStory);
  return isPlaced ? { kind: 'task', task: task.task, projects: task.projects } : null;
}

export const taskVerb =
  /^(?:add|build|create|make|implement|write|fix|update|change|remove|delete|rename|refactor|document|extend|improve|move|replace|cover|support|introduce|develop|clean up|set up)\s+\S/i;
const missingPattern =
  /\b(?:is|are) missing\s+\S.*?[\s,;.]+(?:so )?(?:please )?(?:add|write|create|supply|include|fix)(?: (?:it|them|one|this|that|those))|\b(?:is|are|looks?) (?:broken|wrong|buggy|down|ugly|too [a-z]+)[\s,;.]+(?:so )?(?:please |pls )?(?:fix|repair|change|improve) (?:it|them|this|that)|\b(?:lacks?|misses|needs?)\s+\S.*?[,;.]\s*(?:so )?(?:please )?(?:add|write|create|supply|include|fix) (?:it|them|one|this|that|those)/i;

interface Task extends About {
  readonly task: string;
  readonly hasStory: boolean;
}

function taskIn(body: string, spoken: string, names: readonly ProjectName[]): Task | null {
  const from = spoken.length - afterLead(spoken).length;
  const said = spoken.slice(from);
  const { projects: led, rest } = leadingProject(said, names);
  const colon = rest.search(/[:：]/);
  const command = colon < 0 ? rest : rest.slice(0, colon);
  const story = new RegExp(`(?:^|\\b(?:for|of|on|in|to) )${storyPattern.source}\\b`).test(rest);
  const asks = taskVerb.test(rest.replace(/^(?:please|now)[\s,]+/i, ''));
  const isPlaced = led.length > 0 || story || placed(command, names).length > 0;
  const lacks = isPlaced && new RegExp(`(?:${missingPattern.source})${endSource}`, 'i').test(rest);
  if ((!asks && !lacks) || isTalk(command) || rest.split(/\s+/).length < 3) return null;
  const task = body.slice(from).replace(/[\s,;]+$/, '');
  return { task, projects: unique([...led, ...placed(command, names)]), hasStory: story };
}

/** `A, …`, `A's …`, `A project's …`, `in A, …`, `A US-005 …` */
function leadingProject(said: string, names: readonly ProjectName[]) {
  const nothing = { projects: [], rest: said };
  const found =
    /^(?:(?:in|for|on) )?(?:the )?(?:project )?([\p{L}\p{N}_-]+)('s)?( project(?:'s)?)?(\s*[,:]\s*|\s+)/iu.exec(said);
  if (found === null) return nothing;
  const [all, word = '', owns, project, end = ''] = found;
  const rest = said.slice(all.length);
  const isMarked = Boolean(owns ?? project) || /[,:]/.test(end) || new RegExp(`^${storyPattern.source}\\b`).test(rest);
  const projects = namesOf(word, names);
  return projects.length > 0 && isMarked ? { projects, rest } : nothing;
}

function placed(command: string, names: readonly ProjectName[]): readonly string[] {
  const found = command.matchAll(/\b(?:to|in|into|for|of|on) (?=(?:the )?(?:project )?([\p{L}\p{N}_-]+))/giu);
  return [...found].flatMap(([, word = '']) => namesOf(word, names));
}

/** A lone lower-case letter is an article. */
export function namesOf(word: string, names: readonly ProjectName[]): readonly string[] {
  if (/^\p{Ll}$/u.test(word) && !names.some(({ aliases }) => aliases.includes(word) && word !== 'a')) return [];
  return projectsSpelled(new Set([nameKey(word)]), names);
}

const nameSource = `([A-Za-z][A-Za-z0-9_-]{0,60})`;
const makeSource = `(?:(?:please )?(?:help me |let's |let us |i want to |i'd like to )?(?:to )?)`;
const newProject: readonly RegExp[] = [
  new RegExp(
    `^${makeSource}(?:set ?up|bootstrap|create|start|make|init(?:iali[sz]e)?) (?:an? |the |my )?(?:new )?project (?:called |named )?${nameSource}`,
    'i',
  ),
  new RegExp(
    `^${makeSource}(?:set ?up|bootstrap|create|start|make|init(?:iali[sz]e)?) (?:an? |the |my )?(?:new )?${nameSource} project\\b`,
    'i',
  ),
  new RegExp(`^(?:a )?new project[,:]? (?:called |named )?${nameSource}`, 'i'),
  new RegExp(`^${makeSource}bootstrap (?:an? |the |my )?(?:new )?${nameSource}(?=[\\s:,.]|$)`, 'i'),
  new RegExp(`^${makeSource}set ?up (?:(?:an? |the |my )?new )?${nameSource}\\s*[:：]`, 'i'),
];
const noName = new Set([
  ...['a', 'an', 'the', 'my', 'our', 'new', 'this', 'that', 'it', 'for', 'with', 'in', 'to', 'on', 'of', 'and', 'or'],
  ...['called', 'named', 'project', 'projects', 'called', 'is', 'was', 'has', 'ideas', 'plan', 'please', 'now', 'some'],
  ...[
    'every',
    'each',
    'your',
    'their',
    'his',
    'her',
    'which',
    'step',
    'side',
    'big',
    'small',
    'first',
    'next',
    'using',
  ],
]);

/** A path or file name; the proposal gives the error. */
const wrongName =
  /^(?:please )?(?:(?:set ?up|bootstrap)|(?:(?:set ?up|bootstrap|create|start|make) (?:an? |the |my )?)?(?:new )?project(?: called| named)?) ([^\s:"“]*[./\\][^\s:"“]*)(?:\s*[:：].*)?$/i;

function readNewProject(body: string, spoken: string): Instruction | null {
  const from = spoken.length - spoken.replace(leadPattern, '').length;
  const said = spoken.slice(from);
  const wrong = wrongName.exec(said.replace(new RegExp(endSource, 'i'), ''))?.[1];
  // "set up CI/CD" asks for work.
  if (wrong !== undefined && (!/[A-Z]/.test(wrong) || /project/i.test(said)))
    return { kind: 'new_project', name: wrong, brief: '' };
  for (const pattern of newProject) {
    const found = pattern.exec(said);
    const name = found?.[1];
    if (found === null || name === undefined || noName.has(name.toLowerCase())) continue;
    const brief = body.slice(from + found[0].length).replace(/^(?:\s+project\b)?[\s:：,.;–—-]*/i, '');
    if (isTalk(said.slice(0, found[0].length)) || /^(?:is|was|has|have|will|needs?|are)\b/i.test(brief)) return null;
    return { kind: 'new_project', name: name.toLowerCase(), brief: brief.trim() };
  }
  return null;
}

function unique(all: readonly string[]): readonly string[] {
  return [...new Set(all)];
}
