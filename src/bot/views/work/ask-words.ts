// Words the engine's requests for a card; unknown text is shown as it is.
import { definitions, type State, type Workflow } from '../../../engine/index.js';
import { spaced } from '../facts.js';
import { listed, stepName } from '../view.js';

/** `how`: `failed 3 times`. */
export interface StuckWords {
  readonly how: string;
  readonly rest: readonly string[];
}

export function stuckWords(text: string): StuckWords | null {
  const [first = '', ...rest] = text.split('\n');
  const line = first.replace(/^[EW]00\d: /, '');
  const timedOut = /^\S+'s \S+ timed out \((\d+) minutes\)$/.exec(line);
  if (timedOut) return { how: `timed out after ${timedOut[1]} min`, rest };
  if (/^\S+'s \S+ waits for you\.$/.test(line)) return { how: 'has stopped', rest };
  const why = /^\S+ stuck at \S+ \((.+)\)$/.exec(line)?.[1] ?? /^\S+'s \S+ failed \((.+?)\)(?:\. .*)?$/.exec(line)?.[1];
  return why === undefined ? null : { how: howOf(why), rest };
}

function howOf(why: string): string {
  const [, head = why, fault = ''] = /^(\d+ [a-z]+)(?:: (.+))?$/.exec(why) ?? [];
  const counted = /^(\d+) (attempt|crash|rejection)(?:s|es)?$/.exec(head);
  const back = /^(\d+) ways? back to (\S+?)(?:;.*)?$/.exec(why);
  if (counted) {
    const verb = { attempt: 'failed', crash: 'crashed', rejection: 'was rejected' }[counted[2] ?? ''] ?? 'failed';
    return `${verb} ${timesOf(Number(counted[1]))}${fault === '' ? '' : ` (${fault})`}`;
  }
  if (back) return `sent the work back ${timesOf(Number(back[1]))}`;
  return /^[a-z_]+$/.test(why) ? `failed (${spaced(why)})` : `failed (${why})`;
}

export function timesOf(count: number): string {
  return count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`;
}

/** The effects of Skip and Rollback. */
export function waysOutLine(id: string | null, state: State, options: readonly string[]): string {
  const { chain } = state;
  const here = chain.nodes.findIndex((one) => one.id === id);
  const next = here < 0 ? undefined : chain.nodes.slice(here + 1).find(({ state }) => state === 'waiting');
  const isKept = isMandatory(id, state) && "It can't be skipped: Skip asks whether to give up instead.";
  const skip =
    options.includes('skip') && (isKept || (next !== undefined && `Skip goes on to ${stepName(next)} without it.`));
  const back = options.includes('rollback') && here > 0 && 'Rollback undoes what was done since an earlier step.';
  return [skip, back].filter(Boolean).join(' ');
}

export function isMandatory(id: string | null, { chain, workflow }: Pick<State, 'chain' | 'workflow'>): boolean {
  const template = chain.nodes.find((one) => one.id === id)?.template;
  return definitions(workflow).some((def) => def.id === template && def.mandatory);
}

/** `$1.37 of $1.00 for this task`; null: the text says something else. */
export function spentWords(text: string): string | null {
  const first = text.split('\n', 1)[0] ?? '';
  const money = /^Spent (\$[\d.]+) of the (\$[\d.]+) for (this run|the day|the project)\.$/.exec(first);
  if (money) return `${money[1]} of ${money[2]} for ${scopes[money[3] ?? ''] ?? money[3]}`;
  const steps = /^(\d+) steps? ran, which is this run's limit\.$/.exec(first);
  return steps && `${steps[1]} steps, this task's limit`;
}

const scopes: Readonly<Record<string, string>> = {
  'this run': 'this task',
  'the day': 'today',
  'the project': 'the project',
};

/** A proposal's plan, with the steps' titles; the card's second line names the workflow. */
export function planLines(lines: readonly string[], workflow: Workflow): readonly string[] {
  const titles = titlesOf(workflow);
  return lines.flatMap((line) => {
    if (line === `Workflow: ${workflow.name}`) return [];
    const [, head, steps] = /^(Steps: |\d+ steps, \d+ of them decisions: )(.+)$/.exec(line) ?? [];
    if (head !== undefined && steps !== undefined) return [`${head}${steps.split(' → ').map(titles).join(' → ')}`];
    const people = /^You decide at: (.+)$/.exec(line)?.[1]?.split(', ');
    if (people === undefined) return [line];
    return [
      people.length === 1
        ? `You decide once, at ${titles(people[0] ?? '')}.`
        : `You decide at ${listed(people.map(titles))}.`,
    ];
  });
}

function titlesOf(workflow: Workflow): (step: string) => string {
  const known = new Map(definitions(workflow).map((def) => [def.id, def.title]));
  return (step) =>
    step.replace(/^(◆ )?(\S+)/, (whole, mark: string | undefined, id: string) => {
      const title = known.get(id);
      return title === undefined ? whole : `${mark ?? ''}${title}`;
    });
}

/** A story's key has a digest too, and stays. */
export function stepTitle(step: string, workflow: Workflow): string {
  return definitions(workflow).find(({ id }) => id === step)?.title ?? step;
}

/** `Implementation is running, 4 min.`: an abort would end it. */
export function runningNow(
  { run, workflow }: Pick<State, 'run' | 'workflow'>,
  spanOf: (since: number) => string,
): string {
  const live = run.live.map(({ chain, step, startedAt }) => {
    const name = [chain, stepTitle(step, workflow)].filter((one) => one !== '').join(' ');
    return startedAt === null ? `${name} is about to start` : `${name} is running, ${spanOf(startedAt)}`;
  });
  return live.length === 0 ? 'No step is running.' : `${live.join('; ')}.`;
}
