// What a run has cost so far, and which steps took the most.
import type { Run } from '../../../engine/index.js';
import type { WebContext } from '../../context/web-context.js';
import { Meter } from '../shared/status.js';
import { costOf, countOf, lineOf, moneyOf, spanOf } from '../shared/text.js';

const shownSteps = 6;
const maxRows = 200;

interface StepCost {
  readonly tries: number;
  readonly ms: number;
  readonly usd: number;
}

export function RunCost({ web, run }: { readonly web: WebContext; readonly run: Run }) {
  const steps = stepCosts(web, run.id);
  if (steps.length === 0) return null;
  return (
    <>
      <div class="headline">
        <h2 id="cost-title">Cost</h2>
        <p class="soft num">
          {costOf(run)}
          {run.budgetUsd === null
            ? ''
            : ` ${run.unpriced && run.costUsd === 0 ? '· limit' : 'of'} ${moneyOf(run.budgetUsd)}`}
        </p>
      </div>
      <div class="panel money">
        {run.budgetUsd === null ? null : (
          <Meter value={run.costUsd} limit={run.budgetUsd} label="Spent of the run's budget" />
        )}
        <ul>
          {steps.map(([step, { tries, ms, usd }]) => (
            <li>
              <span>
                {lineOf(step, 60)} <span class="soft">{countOf(tries, 'try', 'tries')}</span>
              </span>
              <span class="num soft">{spanOf(ms)}</span>
              <span class="num">{usd > 0 ? moneyOf(usd) : ''}</span>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

/** By step, over all stories; the dearest first, then the longest. */
function stepCosts({ services }: WebContext, run: string): readonly (readonly [string, StepCost])[] {
  const { reader } = services.runtime;
  const steps = new Map<string, StepCost>();
  for (const { node, attempts, durationMs, costUsd } of reader.costsOfRun(run).slice(0, maxRows)) {
    const step = reader.browsing.nodeName(run, node) ?? node;
    const { tries, ms, usd } = steps.get(step) ?? { tries: 0, ms: 0, usd: 0 };
    steps.set(step, { tries: tries + attempts, ms: ms + durationMs, usd: usd + (costUsd ?? 0) });
  }
  return [...steps].toSorted(([, a], [, b]) => b.usd - a.usd || b.ms - a.ms).slice(0, shownSteps);
}
