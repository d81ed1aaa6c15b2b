// Charts as SVG, each with its answer as a heading and its numbers as text.

export interface Week {
  readonly from: number;
  readonly label: string;
  readonly done: number;
  readonly notDone: number;
  readonly medianMs: number | null;
  readonly usd: number;
}

export interface BarRow {
  readonly name: string;
  readonly value: number;
}

interface FigureProps {
  readonly id: string;
  readonly title: string;
  readonly answer: string;
  readonly weeks: readonly Week[];
  readonly parts: readonly { readonly name: string; readonly look: string; readonly of: (week: Week) => number }[];
  readonly say: (value: number) => string;
}

const height = 120;

export function Figure({ id, title, answer, weeks: all, parts, say }: FigureProps) {
  const most = Math.max(Number.EPSILON, ...all.map((week) => parts.reduce((sum, { of }) => sum + of(week), 0)));
  const width = 100 / all.length;
  return (
    <section class="panel figure" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} class="soft">
        {title}
      </h2>
      <p class="answer-line">{answer}</p>
      <svg class="chart" height={height + 20} role="img" aria-label={`${title} ${answer}`}>
        {all.map((week, index) => {
          let y = height;
          return (
            <g>
              <title>
                Week to {week.label}: {parts.map(({ name, of }) => `${say(of(week))} ${name}`).join(', ')}
              </title>
              {parts.map(({ of, look }) => {
                const tall = (of(week) / most) * height;
                y -= tall;
                return (
                  <rect
                    class={`bar ${look}`}
                    x={`${(index * width + width * 0.15).toFixed(2)}%`}
                    y={y.toFixed(1)}
                    width={`${(width * 0.7).toFixed(2)}%`}
                    height={tall.toFixed(1)}
                    rx="2"
                  />
                );
              })}
              <text x={`${((index + 0.5) * width).toFixed(2)}%`} y={height + 15} text-anchor="middle">
                {week.label}
              </text>
            </g>
          );
        })}
      </svg>
      <details id={`${id}-table`}>
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th>Week to</th>
              {parts.map(({ name }) => (
                <th class="num">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {all.map((week) => (
              <tr>
                <td>{week.label}</td>
                {parts.map(({ of }) => (
                  <td class="num">{say(of(week))}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

interface BarsProps extends Pick<FigureProps, 'id' | 'title' | 'answer' | 'say'> {
  readonly rows: readonly BarRow[];
}

export function Bars({ id, title, answer, rows, say }: BarsProps) {
  const most = Math.max(Number.EPSILON, ...rows.map(({ value }) => value));
  return (
    <section class="panel figure" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} class="soft">
        {title}
      </h2>
      <p class="answer-line" dir="auto">
        {answer}
      </p>
      <ul class="bar-rows">
        {rows.map(({ name, value }, index) => (
          <li>
            <span dir="auto">{name}</span>
            <svg height="12" aria-hidden="true">
              <rect class={`bar c${index % 4}`} height="12" width={`${((100 * value) / most).toFixed(2)}%`} rx="2" />
            </svg>
            <span class="num">{say(value)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
