// Title: the question, and its work. Body: the events, and each option's meaning.
import { nameInConfig } from '../../../config/index.js';
import {
  type ChangedFiles,
  definitions,
  hasBody,
  type Interaction,
  type Item,
  type Node,
  type Permission,
  type State,
  unreachable,
} from '../../../engine/index.js';
import { clock, oneLine, personName, span, stepName } from '../view.js';
import { planLines, runningNow, spentWords, stepTitle, stuckWords, waysOutLine } from './ask-words.js';

export interface CardText {
  /** `Review`: the same for every card of its sort. */
  readonly word: string;
  /** The story's title, the task's first line, or the agent's question. */
  readonly work: string;
  readonly body: readonly string[];
}

/** Project, story, and the step if the card is about one. */
export function placeLine(interaction: Interaction, state: State): string {
  const { project } = state.run;
  if (interaction.subject.type === 'leftovers') return `${project} · aborted before it was done`;
  const item = itemOf(interaction, state);
  const story = item === undefined ? interaction.chain : `${item.key}${positionOf(item, state)}`;
  return [project, story, ...aboutStep(interaction, state)].filter((one) => one !== '').join(' · ');
}

/** The step, its failure, or the spending, by the card's kind. */
function aboutStep(interaction: Interaction, { run, chain }: State): readonly string[] {
  const { subject, kind, text } = interaction;
  if (subject.type === 'proposal') return [run.workflow, `asked by ${personName(nameInConfig(run.createdBy))}`];
  if (subject.type === 'fuse') return [spentWords(text) ?? ''];
  const node = chain.nodes.find(({ id }) => id === interaction.node);
  // A loop has no title that tells more than its stories.
  if (node === undefined || kind === 'review' || subject.type === 'items_failed') return [];
  const stuck = subject.type === 'stuck' ? stuckWords(text) : null;
  return [stuck === null ? stepName(node) : `${stepName(node)} ${stuck.how}`];
}

/** For a message about no card. */
export function placeOfChain({ chain, items, workflow, run }: State): string {
  const item = items.find(({ key }) => key === chain.key);
  return item === undefined ? run.project : `${run.project} · ${item.key}${positionOf(item, { items, workflow })}`;
}

export function cardText(interaction: Interaction, state: State): CardText {
  const { subject, text } = interaction;
  const work = workOf(interaction, state);
  const [first = '', ...rest] = text.split('\n');
  switch (subject.type) {
    case 'proposal':
      return { word: 'Start?', work, body: planLines(bodyWithout(work, text), state.workflow) };
    case 'takeover':
      return { word: 'Take over?', work, body: [text] };
    case 'position':
      return { word: 'Where to begin?', work, body: [text] };
    case 'dirty':
      return { word: 'Start?', work, body: [text, 'Where should the work be done?'] };
    case 'input':
      return { word: 'Question', work, body: [text] };
    case 'review':
      return {
        word: reviewWord(interaction),
        work,
        body: [...bodyWithout(work, text), ...requested(interaction, state)],
      };
    case 'reject_reason':
      return { word: 'Reject', work, body: ['What is the reason? It decides where the work goes back to.'] };
    case 'question':
    case 'agent_question':
      return { word: 'Question', work: titleOf(first), body: isWhole(first) ? rest : [text] };
    case 'agent_permission':
      return {
        word: 'Permission',
        work: commandTitle(subject.permission),
        body: [...commandLines(subject.permission, rest), '“For this run” covers exactly this.'],
      };
    case 'denied': {
      const [permission] = subject.permissions;
      if (permission === undefined || subject.permissions.length > 1)
        return { word: 'Permission', work: permission === undefined ? titleOf(first) : work, body: [text] };
      const said = [
        ...commandLines(permission, []),
        'It was denied, and the agent has ended. If you allow it, the agent continues and may do exactly this.',
      ];
      return { word: 'Permission', work: commandTitle(permission), body: said };
    }
    case 'stuck': {
      const waysOut = waysOutLine(
        interaction.node,
        state,
        interaction.options.map(({ id }) => id),
      );
      return { word: '⚠️ Stuck', work, body: [...(stuckWords(text)?.rest ?? [text]), waysOut] };
    }
    case 'items_failed':
      return { word: '⚠️ Stuck', work, body: text.split('\n').map((line) => failedLine(line, state)) };
    case 'gate_stuck':
    case 'workspace':
      return { word: '⚠️ Stuck', work, body: [text] };
    case 'give_up':
      return { word: 'Give up?', work, body: [giveUpLine(interaction, state)] };
    case 'skip_approval':
      return { word: 'Skip?', work, body: [text] };
    case 'rollback_target':
      return { word: 'Roll back', work, body: [text] };
    case 'next_item':
      return { word: 'Next', work: nextTitle(subject.item, state), body: [] };
    case 'gate':
      return { word: 'Decision', work, body: [text] };
    case 'fuse':
      return {
        word: 'Budget reached',
        work,
        body: spentWords(text) === null ? [text] : [nextLine(interaction, state)],
      };
    case 'land':
      return { word: 'Merge?', work, body: [text] };
    case 'leftovers':
      // The first line counts files that the card names.
      return { word: '⏹ Aborted', work, body: text.split('\n').slice(1) };
    case 'abort':
      return {
        word: 'Abort?',
        work,
        body: [
          runningNow(state, (since) => span(interaction.openedAt - since)),
          droppedLine(state),
          changedLine(subject.changed),
          interaction.expiresAt === undefined
            ? 'The work goes on until you decide.'
            : `Until you decide, or until ${clock(interaction.expiresAt)}, nothing new starts and nothing is committed.`,
        ],
      };
    default:
      return unreachable(subject);
  }
}

function giveUpLine({ node, chain, text }: Interaction, { chain: { nodes } }: State): string {
  const step = nodes.find(({ id }) => id === node);
  return step === undefined
    ? text
    : `${stepName(step)} can't be skipped. Give up ${chain === '' ? 'the task' : chain} instead?`;
}

/** `US-001 failed at Implementation (2 attempts)`. */
function failedLine(line: string, { workflow }: State): string {
  return line.replace(
    /^(\S+ failed at )(\S+)/,
    (_, head: string, step: string) => `${head}${stepTitle(step, workflow)}`,
  );
}

function nextLine({ node }: Interaction, { chain }: State): string {
  const next = chain.nodes.find(({ id }) => id === node);
  return next === undefined ? '' : `Next: ${stepName(next)}`;
}

function droppedLine({ items }: State): string {
  const count = items.filter(({ status }) => status === 'ready' || status === 'blocked').length;
  if (count === 0) return '';
  return count === 1
    ? '1 story that has not started is dropped.'
    : `${count} stories that have not started are dropped.`;
}

function changedLine(changed: ChangedFiles | undefined): string {
  if (changed === undefined) return '';
  const { count, names } = changed;
  const more = count - names.length;
  const listed = `${names.map((name) => oneLine(name, 80)).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  return `${count} ${count === 1 ? 'file' : 'files'} changed, not committed: ${listed}.`;
}

const maxTitleChars = 60;

/** One line, cut at a word: people search for it. */
export function titleOf(text: string): string {
  const line = oneLine(text, 200);
  if ([...line].length <= maxTitleChars) return line;
  const head = [...line].slice(0, maxTitleChars).join('');
  const atWord = head.replace(/\s+\S*$/, '');
  return `${atWord === '' ? head : atWord} …`;
}

/** The command itself; other tools by name. */
function commandTitle({ tool, what }: Permission): string {
  const line = what.split('\n', 1)[0] ?? '';
  return titleOf(isShell(tool) ? line : `${tool}: ${line}`);
}

/** Marks `asked` lines, so that no command looks like another part. */
function commandLines({ tool, what }: Permission, asked: readonly string[]): readonly string[] {
  const head = isShell(tool) ? 'The agent wants to run:' : `The agent wants to use ${oneLine(tool, 80)}:`;
  return [head, ...(asked.length > 0 ? asked : what.split('\n').map((line) => `| ${line}`))];
}

function isShell(tool: string): boolean {
  return tool.toLowerCase() === 'bash';
}

function isWhole(line: string): boolean {
  return titleOf(line) === line.trim();
}

export function itemOf({ chain }: Pick<Interaction, 'chain'>, { items }: Pick<State, 'items'>): Item | undefined {
  return items.find(({ key }) => key === chain);
}

export function workOf(interaction: Pick<Interaction, 'chain'>, state: Pick<State, 'run' | 'items'>): string {
  const item = itemOf(interaction, state);
  return titleOf(item === undefined ? (state.run.task.split('\n')[0] ?? '') : item.title || item.key);
}

function positionOf(item: Item, { items, workflow }: Pick<State, 'items' | 'workflow'>): string {
  const beside = items.filter(({ loop, parent }) => loop === item.loop && parent === item.parent);
  if (beside.length < 2) return '';
  const loop = definitions(workflow).find(({ id }) => id === item.template);
  const isPhase = loop !== undefined && hasBody(loop) && loop.over === 'phases';
  return `, ${isPhase ? 'phase' : 'story'} ${beside.indexOf(item) + 1} of ${beside.length}`;
}

function nextTitle(key: string, { items }: State): string {
  const item = items.find((one) => one.key === key);
  return titleOf([key, item?.title ?? ''].join(' ').trim());
}

/** Drops a first line that repeats the title. */
function bodyWithout(work: string, text: string): readonly string[] {
  const [first = '', ...rest] = text.split('\n');
  const isSaid = first.trim() === work || first.trim().endsWith(` ${work}`);
  return (isSaid ? rest : [first, ...rest]).filter((line, index) => index > 0 || line !== '');
}

function reviewWord({ generation }: Interaction): string {
  return generation < 2 ? 'Review' : `Review, ${ordinal(generation)} round`;
}

export function ordinal(count: number): string {
  const tail = count % 100;
  const ending = tail > 10 && tail < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][count % 10] ?? 'th');
  return `${count}${ending}`;
}

/** In later rounds the requests and their authors, from the repeated steps' notes. */
function requested(interaction: Interaction, state: State): readonly string[] {
  const { nodes } = state.chain;
  const here = nodes.findIndex(({ id }) => id === interaction.node);
  // The numbers name the request too.
  if (interaction.generation < 2 || here < 0 || interaction.work?.sentBack !== undefined) return [];
  const remarks = nodes.slice(0, here).flatMap((node: Node) => node.last?.notes ?? []);
  const newest = remarks.filter(({ kind, text }) => kind === 'remark' && text.trim() !== '').at(-1);
  return newest === undefined ? [] : [`${personName(newest.by)} asked for: “${oneLine(newest.text, 300)}”`];
}
