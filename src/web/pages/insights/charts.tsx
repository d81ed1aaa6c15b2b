// The heading answers; the image has a sentence, the numbers a table.
import type { Child } from 'hono/jsx';

interface PartOfBar {
  readonly name: string;
  readonly look: string;
}

interface FigureProps {
  readonly id: string;
  readonly question: string;
  readonly answer: string;
  readonly say: (value: number) => string;
}

interface ColumnsProps<Row> extends FigureProps {
  readonly rows: readonly Row[];
  readonly labelOf: (row: Row) => string;
  readonly parts: readonly (PartOfBar & { readonly of: (row: Row) => number })[];
}

const height = 120;
const mostLabels = 7;

export function Columns<Row>({ rows, labelOf, parts, say, ...figure }: ColumnsProps<Row>) {
  const most = Math.max(Number.EPSILON, ...rows.map((row) => parts.reduce((sum, { of }) => sum + of(row), 0)));
  const width = 100 / rows.length;
  const each = Math.ceil(rows.length / mostLabels);
  return (
    <Figure {...figure} legend={parts}>
      <svg class="chart" height={height + 20} role="img" aria-label={sentenceOf(figure)}>
        {rows.map((row, index) => {
          let y = height;
          return (
            <g>
              <title>
                Up to {labelOf(row)}: {parts.map(({ name, of }) => `${say(of(row))} ${name}`).join(', ')}
              </title>
              {parts.map(({ of, look }) => {
                const tall = (of(row) / most) * height;
                y -= tall;
                return (
                  <rect
                    class={`bar ${look}`}
                    x={percent(index * width + width * 0.15)}
                    y={y.toFixed(1)}
                    width={percent(width * 0.7)}
                    height={tall.toFixed(1)}
                    rx="2"
                  />
                );
              })}
              {(rows.length - 1 - index) % each === 0 ? (
                <text x={percent((index + 0.5) * width)} y={height + 15} text-anchor="middle">
                  {labelOf(row)}
                </text>
              ) : null}
            </g>
          );
        })}
      </svg>
      <Table
        id={figure.id}
        heads={['Up to', ...parts.map(({ name }) => name)]}
        rows={rows.map((row) => [labelOf(row), ...parts.map(({ of }) => say(of(row)))])}
      />
    </Figure>
  );
}

interface BarsProps extends FigureProps {
  readonly parts: readonly PartOfBar[];
  readonly first: string;
  readonly rows: readonly {
    readonly name: string;
    readonly values: readonly number[];
    readonly more?: readonly string[];
  }[];
  readonly more?: readonly string[];
}

export function Bars({ parts, first, rows, more = [], say, ...figure }: BarsProps) {
  const totals = rows.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const most = Math.max(Number.EPSILON, ...totals);
  return (
    <Figure {...figure} legend={parts}>
      {rows.length === 0 ? null : (
        <>
          <div class="bar-rows" role="img" aria-label={sentenceOf(figure)}>
            {rows.map(({ name, values }, index) => {
              let x = 0;
              return (
                <div>
                  <span dir="auto">{name}</span>
                  <svg height="12" aria-hidden="true">
                    {values.map((value, part) => {
                      const from = x;
                      x += (100 * value) / most;
                      const look = parts.length === 1 ? `c${index % 4}` : parts[part]?.look;
                      return <rect class={`bar ${look}`} height="12" x={percent(from)} width={percent(x - from)} />;
                    })}
                  </svg>
                  <span class="num">{say(totals[index] ?? 0)}</span>
                </div>
              );
            })}
          </div>
          <Table
            id={figure.id}
            heads={[first, ...parts.map(({ name }) => name), ...more]}
            rows={rows.map((row) => [row.name, ...row.values.map(say), ...(row.more ?? [])])}
          />
        </>
      )}
    </Figure>
  );
}

interface FrameOfFigure extends Pick<FigureProps, 'id' | 'question' | 'answer'> {
  readonly legend: readonly PartOfBar[];
  readonly children: Child;
}

export function Figure({ id, question, answer, legend, children }: FrameOfFigure) {
  return (
    <section class="panel figure" id={id} aria-labelledby={`${id}-title`}>
      <p class="soft">{question}</p>
      <h2 id={`${id}-title`} class="answer-line" dir="auto">
        {answer}
      </h2>
      {legend.length < 2 ? null : (
        <p class="soft chart-key" aria-hidden="true">
          {legend.map(({ name, look }) => (
            <span>
              <svg width="12" height="12" aria-hidden="true">
                <rect class={`bar ${look}`} width="12" height="12" rx="2" />
              </svg>{' '}
              {name}
            </span>
          ))}
        </p>
      )}
      {children}
    </section>
  );
}

interface TableProps {
  readonly id: string;
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function Table({ id, heads, rows }: TableProps) {
  return (
    <details id={`${id}-table`}>
      <summary>As a table</summary>
      <table>
        <thead>
          <tr>
            {heads.map((head, index) => (
              <th class={index === 0 ? undefined : 'num'}>{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells) => (
            <tr>
              {cells.map((cell, index) => (
                <td class={index === 0 ? undefined : 'num'} dir={index === 0 ? 'auto' : undefined}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

const percent = (value: number) => `${value.toFixed(2)}%`;
const sentenceOf = ({ question, answer }: Pick<FigureProps, 'question' | 'answer'>) => `${question} ${answer}.`;
