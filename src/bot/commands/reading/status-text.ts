import { type Health, itemNamed, type NodeJson, nodeNamed, type ProjectStatus } from '../../../dispatch/index.js';
import { asksPerson, hasBody, type Item, type NodeState, type Run } from '../../../engine/index.js';
import type { Spine } from '../../../store/index.js';
import { homeOwnerReads, type StateReader, stateFor, stateInWords } from '../../views/people/work-state.js';
import { clock, costSaid, joinedLines, lines, oneLine, personName, span, testsInWords } from '../../views/view.js';
import { failureText } from '../../views/work/executor-text.js';

/** `elsewhere`: the open cards that wait for other people. */
export function statusText(
  status: ProjectStatus,
  spine: Pick<Spine, 'run' | 'items' | 'interactions'> | null = null,
  reader: StateReader = homeOwnerReads,
  behind: Pick<Run, 'task'> | null = null,
  elsewhere: ReadonlySet<string> = new Set(),
): string {
  const { run } = status;
  const position = spine?.run.position ?? null;
  const unchanged = new Set(spine?.items.filter(isUnchanged).map(({ key }) => key));
  if (!run) return `${status.project}: idle. Give it a task: "${status.project}: <what to do>".`;
  const shown = status.nodes.filter((node) => !hasBody(node));
  const current = shown.filter((node) =>
    ['queued', 'running', 'needs_human', 'failed', 'ready', 'cancelled'].includes(node.state),
  );
  return lines(
    `${status.project}: ${spine === null ? run.status : stateInWords(stateOfRun(spine, status.health, reader, behind))}${spine?.run.beside ? ` · ${run.id}` : ''}`,
    run.task.split('\n')[0]?.slice(0, 200),
    position !== null && `Began at ${position}; ${countOf(shown, ['passed', 'skipped'])} of ${shown.length} steps`,
    ...status.items.map(
      (item) =>
        `[${itemNamed({ status: item.status as Item['status'] }).word}] ${item.key} ${item.title}${unchanged.has(item.key) ? ' (no change)' : ''}`,
    ),
    ...current.map(nodeLine),
    status.opened !== null && openedLine(status.opened),
    ...status.interactions.map(
      ({ kind, id, item, text }) =>
        `${elsewhere.has(id) ? 'Waits for others' : 'Needs you'}: ${kind} ${id}${item === null ? '' : ` of ${item}`}: ${joinedLines(text)}`,
    ),
    (run.cost_usd > 0 || !run.cost_known) &&
      `Cost ${costSaid({ costUsd: run.cost_usd, unpriced: run.cost_known ? 0 : 1 })}`,
    status.drafts.length > 0 &&
      run.status !== 'draft' &&
      `In line: ${status.drafts.map(({ task }) => `“${oneLine(task.split('\n', 1)[0] ?? '', 60)}”`).join(', ')}`,
  );
}

/** For a terminal, whose commands take run ids; '' without a run. */
export function runFactsLine({ run, level }: ProjectStatus): string {
  return run === null ? '' : `${run.id} · ${run.workflow} · ${level}`;
}

function openedLine({ by, item, step, since }: NonNullable<ProjectStatus['opened']>): string {
  const what = item === null ? step : `${item} ${step}`;
  return `${personName(by)} has the session of ${what} open in a terminal since ${clock(Date.parse(since))}; nothing new starts until it ends.`;
}

function nodeLine(node: NodeJson): string {
  const { item, template, state, attempt, max_attempts, tests, not_before } = node;
  const parts = [
    `${item ?? ''} ${template}: ${nodeNamed(state as NodeState).word}`.trim(),
    asksPerson(node) ? '' : `attempt ${attempt} of ${max_attempts}`,
    tests ? testsInWords({ ...tests, failing: [] }) : '',
    not_before === null
      ? ''
      : `not before ${clock(Date.parse(not_before))}${node.reason ? ` (${node.reason.replaceAll('_', ' ')})` : ''}`,
    waitingNow(node),
    standInNow(node),
    doingNow(node),
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** The start time already says that it waits. */
function waitingNow({ waits_for, not_before }: NodeJson): string {
  return waits_for === null || not_before !== null ? '' : `waits for ${waits_for}`;
}

function doingNow({ activity }: NodeJson): string {
  if (activity === null) return '';
  const doing = oneLine(activity.action ?? activity.last ?? '') || 'said nothing yet';
  const silentMs = activity.silent_s * 1_000;
  const parts = [doing, silentMs >= quietAfterMs ? `quiet for ${span(silentMs)}` : ''];
  return parts.filter((part) => part !== '').join(', ');
}

const quietAfterMs = 60_000;

function countOf(nodes: ProjectStatus['nodes'], states: readonly string[]): number {
  return nodes.filter((node) => states.includes(node.state)).length;
}

export function stateOfRun(
  { run, interactions }: Pick<Spine, 'run' | 'interactions'>,
  health: Health,
  reader: StateReader,
  behind: Pick<Run, 'task'> | null = null,
) {
  return stateFor(run, { interactions, health, behind }, reader);
}

export function isUnchanged({ status, unchanged }: Item): boolean {
  return status === 'done' && unchanged === true;
}

function standInNow({ executor }: NodeJson): string {
  if (executor === null) return '';
  const why = executor.instead_of.map(({ name, reason, until }) =>
    failureText({ name, code: reason, until: until === null ? null : Date.parse(until) }),
  );
  return `by ${executor.name}${why.length === 0 ? '' : ` (${why.join('; ')})`}`;
}

/** `spine` must be of the same run. */
export function whyText(status: ProjectStatus, spine: Pick<Spine, 'run' | 'interactions'> | null): string {
  const { run } = status;
  if (!run || spine === null) return `${status.project} has no run.`;
  const [open, ...others] = status.interactions;
  const live = status.nodes.filter((node) => !hasBody(node) && (node.state === 'running' || node.state === 'queued'));
  if (status.opened !== null) return `${status.project}: ${openedLine(status.opened)}`;
  if (open) {
    const also = others.map(({ kind, id, text }) => `Also ${kind} ${id}: ${joinedLines(text)}`);
    return lines(`${status.project} is waiting for a person: ${open.kind} ${open.id}.`, open.text, ...also);
  }
  if (live.length > 0) return whyOfWork(status.project, live);
  if (run.pause_reason === 'user') return `${status.project} was paused by a person. Say "continue ${status.project}".`;
  if (run.pause_reason === 'level')
    return `${status.project} is waiting for "continue ${status.project}", because of its level.`;
  return `${status.project} is ${stateInWords(stateOfRun(spine, status.health, homeOwnerReads))}.`;
}

function whyOfWork(project: string, live: readonly NodeJson[]): string {
  const [running, queued] = [
    live.filter(({ state }) => state === 'running'),
    live.filter(({ state }) => state === 'queued'),
  ];
  const begun = running.length > 0 && `${project} is working: ${running.map(workLine).join('; ')}.`;
  const head = running.length > 0 ? 'Not started' : `${project} is not working yet`;
  return lines(begun, queued.length > 0 && `${head}: ${queued.map(queuedLine).join('; ')}.`);
}

function queuedLine(node: NodeJson): string {
  const { item, template, attempt, not_before, waits_for } = node;
  const until = not_before === null ? '' : ` until ${clock(Date.parse(not_before))}`;
  const why = waits_for === null ? 'is queued' : not_before === null ? `waits for ${waits_for}` : 'waits';
  return `${item ? `${item} ` : ''}${template}, attempt ${attempt}, ${[`${why}${until}`, standInNow(node)].filter((part) => part !== '').join(', ')}`;
}

function workLine(node: NodeJson): string {
  const { item, template, attempt } = node;
  const doing = doingNow(node);
  const head = `${item ? `${item} ` : ''}${template}, attempt ${attempt}${doing === '' ? '' : ` (${doing})`}`;
  return [head, standInNow(node)].filter((part) => part !== '').join(', ');
}
