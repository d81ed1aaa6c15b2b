// Answers `log` and `diff`: the evidence of a step's last attempt, and the command that shows all.

import type { ProjectConfig } from '../../../config/index.js';
import type { Plan } from '../../../dispatch/index.js';
import { shownRun } from '../../../dispatch/index.js';
import type { HomeReader, Spine } from '../../../store/index.js';
import type { Parsed } from '../../grammar/index.js';
import { duration, lines } from '../../views/view.js';
import { type MessageContext, say, sayError } from '../message-context.js';
import { findTarget } from '../targets.js';

type Attempted = ReturnType<HomeReader['nodes']>[number];
type Left = NonNullable<Attempted['last']>;

/** Answers from the store alone; planning reads no files. */
export function tellOf(what: 'log' | 'diff') {
  return (ctx: MessageContext, project: ProjectConfig, parsed: Parsed): Plan => {
    const run = shownRun(ctx.now.reader, project.name);
    const spine = run && ctx.now.spine(run.id);
    if (!spine) return say(ctx, { kind: 'answer', text: `${project.name} has no run.` });
    const found = lastAttempted(ctx, spine, parsed.target);
    if (found !== null && 'unknown' in found) return sayError(ctx, found.unknown);
    if (!found?.last) return say(ctx, { kind: 'answer', text: nothingYet(ctx, spine, project.name) });
    const text =
      what === 'diff' ? diffText(ctx, found, found.last, spine.run.id) : logText(found, found.last, spine.run.id);
    return say(ctx, { kind: 'answer', text });
  };
}

/** A first attempt that still runs has no stored result, although its log grows. */
function nothingYet({ now }: MessageContext, { run }: Spine, project: string): string {
  const live = now.reader.nodes(run.id).find((node) => node.last === null && node.state === 'running');
  if (!live) return `${project}: nothing has run yet.`;
  return `${project}: ${live.template} is still running. Its output so far: bosun log ${run.id} ${live.template}`;
}

/** That of the named step or story, else the run's latest. */
function lastAttempted(
  ctx: MessageContext,
  spine: Spine,
  said: string | null,
): Attempted | { readonly unknown: string } | null {
  const target = said === null ? null : findTarget(ctx.now, spine, said);
  if (target && 'unknown' in target) return target;
  const isMeant = (node: Attempted) => {
    if (target === null) return true;
    return 'item' in target ? node.chain === target.item.key : node.id === target.node.id;
  };
  const tried = ctx.now.reader.nodes(spine.run.id).filter((node) => node.last !== null && isMeant(node));
  return tried.sort((a, b) => (a.last?.endedAt ?? 0) - (b.last?.endedAt ?? 0)).at(-1) ?? null;
}

function diffText({ now }: MessageContext, node: Attempted, last: Left, run: string): string {
  const { diffStat } = last;
  const stat = diffStat ? `${diffStat.files} files +${diffStat.insertions} −${diffStat.deletions}` : 'no files changed';
  const files = last.filesChanged.slice(0, 40).join('\n');
  const merged = now.reader.records(run, node.chain).findLast(({ record }) => record.action === 'story_merged');
  const commit = merged?.record.details['commit'];
  return lines(
    `${node.chain} ${node.template}: ${stat}`.trim(),
    files,
    typeof commit === 'string' && `Merged as ${commit.slice(0, 8)}.`,
    `Whole diff: bosun diff ${run} ${node.chain}`.trim(),
  );
}

function logText(node: Attempted, last: Left, run: string): string {
  const checks = last.checks.map((check) => {
    const end = check.ok ? 'ok' : `exit ${check.exit ?? 'killed'}`;
    return lines(`$ ${check.command} → ${end}`, !check.ok && check.tail.slice(-1200));
  });
  return lines(
    `${node.template}: ${last.outcome}, attempt ${last.number}, ${duration(last.durationMs)}`,
    last.summary,
    ...last.warnings.map((one) => `warning: ${one}`),
    ...checks,
    `Whole log: bosun log ${run} ${node.template}`,
  );
}
