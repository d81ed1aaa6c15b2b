import type { Cost, Costs, RunCosts } from '../../dispatch/index.js';
import { costSaid, lines, money, span } from './view.js';

type Sum = Costs['project']['today'];

export function costText({ run, project }: Costs): string {
  return lines(run && runText(run), projectText(project));
}

function runText({ run, items }: RunCosts): string {
  const budget = run.budgetUsd === null ? '' : `, budget ${money(run.budgetUsd)}`;
  return lines(
    `${run.id}: ${run.unpriced ? 'cost ' : ''}${costSaid(run)}, ${tokens(run)}${budget}`,
    ...items.flatMap(({ key, nodes, ...sum }) => [
      key !== '' && `${key}: ${costLine(sum)}`,
      ...nodes.map((node) => `${key === '' ? '' : '  '}${node.template}: ${costLine(node)}`),
    ]),
  );
}

function costLine(cost: Cost): string {
  const { attempts, durationMs, costUsd, tokensIn, tokensOut } = cost;
  const parts = [
    `${attempts} ${attempts === 1 ? 'try' : 'tries'}`,
    span(durationMs),
    tokensIn + tokensOut > 0 && tokens(cost),
    costUsd === null ? tokensIn + tokensOut > 0 && 'cost unknown' : money(costUsd),
  ];
  return parts.filter(Boolean).join(', ');
}

function projectText({ today, week, ever }: Costs['project']): string {
  const one = (name: string, sum: Sum) => `${name} ${money(sum.usd)} (${tokens(sum)})`;
  return lines('The project:', one('today', today), one('last 7 days', week), one('ever', ever));
}

function tokens({ tokensIn, tokensOut }: { readonly tokensIn: number; readonly tokensOut: number }): string {
  return `${short(tokensIn)} tokens in, ${short(tokensOut)} out`;
}

function short(count: number): string {
  if (count < 10_000) return String(count);
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
