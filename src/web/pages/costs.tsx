import type { DaySpent } from '../../store/index.js';
import type { WebContext } from '../context/web-context.js';
import { WhyNoCosts } from './insights/no-costs.js';
import { projectPath } from './shared/paths.js';
import { Empty } from './shared/status.js';
import { lineOf, moneyOf, tokensOf } from './shared/text.js';

const shownDays = 30;
const shownProjects = 500;

type OnDay = Omit<DaySpent, 'project'>;
const height = 160;
const left = 52;
const barWidth = 16;
const gap = 6;

export function Costs({ web }: { readonly web: WebContext }) {
  const days = lastDays(web.now());
  const { browsing } = web.services.runtime.reader;
  const spent = browsing.spentOnDays(days[0] ?? '');
  const projects = browsing.spentSince(days[0] ?? '');
  const [today, week] = [days.at(-1) ?? '', days.at(-7) ?? ''].map((day) => usdByProject(browsing.spentSince(day)));
  return (
    <>
      <h1>Costs</h1>
      <section id="days" data-live aria-labelledby="days-title">
        <h2 id="days-title">Last {shownDays} days</h2>
        {spent.length === 0 ? (
          <Empty title="No costs yet">
            <WhyNoCosts isUnpriced={false} />
          </Empty>
        ) : spent.every(({ usd }) => usd === 0) ? (
          <Empty title="Tokens, and no costs">
            <WhyNoCosts isUnpriced />
          </Empty>
        ) : (
          <Bars days={days} spent={spent} />
        )}
      </section>
      {projects.length === 0 ? null : (
        <section id="by-project" data-live aria-labelledby="by-project-title">
          <h2 id="by-project-title">By project</h2>
          <section class="panel scroll" tabindex={0} aria-label="By project">
            <table>
              <thead>
                <tr>
                  <th>Project</th>
                  <th class="num">Today</th>
                  <th class="num">7 days</th>
                  <th class="num">{shownDays} days</th>
                  <th class="num">Tokens</th>
                </tr>
              </thead>
              <tbody>
                {projects.slice(0, shownProjects).map(({ project, usd, tokensIn, tokensOut }) => (
                  <tr>
                    <td>
                      <a href={projectPath(project)}>{lineOf(project)}</a>
                    </td>
                    <td class="num">{moneyOf(today?.get(project) ?? 0)}</td>
                    <td class="num">{moneyOf(week?.get(project) ?? 0)}</td>
                    <td class="num">{moneyOf(usd)}</td>
                    <td class="num">{tokensOf(tokensIn + tokensOut)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          {projects.length > shownProjects ? (
            <p class="more">{projects.length - shownProjects} more: see /api/cost</p>
          ) : null}
        </section>
      )}
    </>
  );
}

function usdByProject(spent: readonly Omit<DaySpent, 'day'>[]): ReadonlyMap<string, number> {
  return new Map(spent.map(({ project, usd }) => [project, usd]));
}

function Bars({ days, spent }: { readonly days: readonly string[]; readonly spent: readonly OnDay[] }) {
  const sums = days.map((day) => ({ day, usd: spent.find((one) => one.day === day)?.usd ?? 0 }));
  const most = Math.max(0.01, ...sums.map(({ usd }) => usd));
  const width = left + days.length * (barWidth + gap);
  const yOf = (usd: number) => 12 + height - (usd / most) * height;
  return (
    <section class="panel scroll figure" tabindex={0} aria-label="Costs by day">
      <svg
        class="picture"
        width={width}
        height={height + 44}
        viewBox={`0 0 ${width} ${height + 44}`}
        role="img"
        aria-label={spoken(sums)}
      >
        {[0, 0.5, 1].map((part) => (
          <>
            <path class="grid" d={`M${left} ${yOf(most * part)}H${width}`} />
            <text class="small" x={left - 6} y={yOf(most * part) + 4} text-anchor="end">
              {moneyOf(most * part)}
            </text>
          </>
        ))}
        {sums.map(({ day, usd }, index) => (
          <g>
            <title>
              {day}: {moneyOf(usd)}
            </title>
            <rect
              class="bar"
              x={left + index * (barWidth + gap)}
              y={yOf(usd)}
              width={barWidth}
              height={12 + height - yOf(usd)}
              rx={3}
            />
            {index % 5 === 4 || index === 0 ? (
              <text
                class="small"
                x={left + index * (barWidth + gap) + barWidth / 2}
                y={height + 32}
                text-anchor="middle"
              >
                {day.slice(5)}
              </text>
            ) : null}
          </g>
        ))}
      </svg>
    </section>
  );
}

function spoken(sums: readonly { readonly day: string; readonly usd: number }[]): string {
  const days = sums.filter(({ usd }) => usd > 0).map(({ day, usd }) => `${day} ${moneyOf(usd)}`);
  return days.join(', ');
}

/** In this machine's zone, up to today. */
function lastDays(at: number): readonly string[] {
  const now = new Date(at);
  return Array.from({ length: shownDays }, (_, index) => {
    const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() - (shownDays - 1 - index));
    const two = (value: number) => String(value).padStart(2, '0');
    return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  });
}
