import type { SessionFile } from '../../dispatch/index.js';
import { lines } from './view.js';

type Step = SessionFile['steps'][number];

const maxNamed = 12;

export function shortSummary({ steps, waves }: SessionFile): string {
  const decisions = steps.filter((step) => step.type === 'decision' && step.outcome !== undefined);
  const said = decisions.slice(0, maxNamed).map((step) => `${gateOf(step)} → ${step.outcome}`);
  const more = decisions.length - said.length;
  return lines(
    `${counts(steps)} in ${waves.length} ${waves.length === 1 ? 'wave' : 'waves'}`,
    said.length > 0 && `◆ ${said.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  );
}

export function longSummary({ steps, waves }: SessionFile): string {
  return lines(
    'RALPH COMPLETE',
    `Waves: ${waves.length} · ${counts(steps)}`,
    ...steps.map((step, index) => `${marks[step.status]} ${index + 1}. ${callOf(step)}${cameTo(step)}`),
  );
}

function counts(steps: readonly Step[]): string {
  const skipped = steps.filter(({ status }) => status === 'skipped').length;
  const done = steps.filter(({ status }) => status === 'completed').length;
  return `${done} of ${steps.length} steps done${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

const marks: Readonly<Record<Step['status'], string>> = {
  completed: '[✓]',
  skipped: '[–]',
  failed: '[✗]',
  running: '[▶]',
  pending: '[ ]',
};

function callOf(step: Step): string {
  if (step.type === 'decision') return `◆ ${gateOf(step)}`;
  return `${step.skill} ${step.args}`.trim().replace(/\s+/g, ' ').slice(0, 120);
}

function cameTo({ outcome, wave }: Step): string {
  if (outcome !== undefined) return ` → ${outcome}`;
  return wave === null ? '' : ` [W${wave}]`;
}

function gateOf({ args }: Step): string {
  return /"decision":"([^"]{1,80})"/.exec(args)?.[1] ?? 'decision';
}
