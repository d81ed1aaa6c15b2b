import { type Item, isRunOver } from '../../../engine/index.js';
import type { Spine } from '../../../store/index.js';
import { usualOf } from '../../context/outlook.js';
import type { WebContext } from '../../context/web-context.js';
import { Meter } from '../shared/status.js';
import { costOf, countOf, lineOf, moneyOf, spanOf } from '../shared/text.js';

const shownSteps = 6;
const maxRows = 200;

const leastTold = 0.005;

interface ItemCost {
  readonly chain: string;
  readonly durationMs: number;
  readonly costUsd: number | null;
}

interface StepCost {
  readonly tries: number;
  readonly ms: number;
  readonly usd: number;
}

interface RunCostProps {
  readonly web: WebContext;
  readonly spine: Spine;
}

export function RunCost({ web, spine }: RunCostProps) {
  const { run } = spine;
  const steps = stepCosts(web, run.id);
  const expected = expectedOf(web, spine);
  if (steps.length === 0 && expected === '') return null;
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
        {expected === '' ? null : <p class="soft num">{expected}</p>}
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

/** By finished stories; a run without stories by earlier such runs. */
function expectedOf(web: WebContext, { run, items }: Spine): string {
  if (isRunOver(run.status)) return '';
  const { reader } = web.services.runtime;
  const rest = restOf(reader.costsOfRun(run.id).slice(0, maxRows), items);
  if (rest !== '') return rest;
  return usualOf(web, run.project, run.workflow);
}

function restOf(costs: readonly ItemCost[], items: readonly Pick<Item, 'key' | 'status'>[]): string {
  const done = new Set(items.filter(({ status }) => status === 'done').map(({ key }) => key));
  const open = items.filter(({ status }) => status !== 'done' && status !== 'cancelled').length;
  if (done.size === 0 || open === 0) return '';
  const own = costs.filter(({ chain }) => done.has(chain));
  const mean = (of: (cost: ItemCost) => number) => (own.reduce((sum, cost) => sum + of(cost), 0) / done.size) * open;
  const [minutes, usd] = [Math.round(mean(({ durationMs }) => durationMs) / 60_000), mean((one) => one.costUsd ?? 0)];
  if (minutes === 0 && usd < leastTold) return '';
  const most = [minutes === 0 ? '' : `${minutes} min of work`, usd < leastTold ? '' : moneyOf(usd)];
  return `About ${most.filter((one) => one !== '').join(' and ')} more, as the finished ones took.`;
}

/** Over all stories; dearest, then longest. */
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
