// A column per wave, a line per dependency.
import type { Item } from '../../../engine/index.js';
import { itemSaid } from '../shared/status.js';
import { lineOf } from '../shared/text.js';

const box = { width: 128, height: 34, gapX: 56, gapY: 12 } as const;
const top = 22;
const maxEdges = 200;

export function DependencyPicture({ waves }: { readonly waves: readonly (readonly Item[])[] }) {
  const places = new Map(
    waves.flatMap((wave, column) => wave.map((item, row) => [item.key, placeOf(column, row)] as const)),
  );
  const rows = Math.max(...waves.map((wave) => wave.length));
  const width = waves.length * (box.width + box.gapX) - box.gapX + 8;
  const height = top + rows * (box.height + box.gapY);
  const items = waves.flat();
  const edges = items.flatMap(({ key, dependsOn }) => dependsOn.map((from) => [from, key] as const)).slice(0, maxEdges);
  return (
    <section class="scroll" tabindex={0} aria-label="Dependencies between items">
      <svg
        class="picture"
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={spoken(items)}
      >
        {waves.map((_, column) => (
          <>
            <text class="small" x={column * (box.width + box.gapX) + 4} y={12}>
              Wave {column + 1}
            </text>
            {column === 0 ? null : (
              <path class="bound" d={`M${column * (box.width + box.gapX) - box.gapX / 2 + 4} 0V${height}`} />
            )}
          </>
        ))}
        {edges.map(([from, to]) => edge(places.get(from), places.get(to)))}
        {items.map((item) => (
          <ItemMark item={item} place={places.get(item.key) ?? placeOf(0, 0)} />
        ))}
      </svg>
    </section>
  );
}

interface Place {
  readonly x: number;
  readonly y: number;
}

function placeOf(column: number, row: number): Place {
  return { x: 4 + column * (box.width + box.gapX), y: top + row * (box.height + box.gapY) };
}

function edge(from: Place | undefined, to: Place | undefined) {
  if (!from || !to) return null;
  const [x1, y1] = [from.x + box.width, from.y + box.height / 2];
  const [x2, y2] = [to.x, to.y + box.height / 2];
  const middle = (x1 + x2) / 2;
  return (
    <>
      <path class="edge" d={`M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2 - 5} ${y2}`} />
      <path class="head" d={`M${x2} ${y2}l-7 -4v8z`} />
    </>
  );
}

function ItemMark({ item, place }: { readonly item: Item; readonly place: Place }) {
  const { tone, word } = itemSaid(item);
  return (
    <g class={tone}>
      <rect class="box" x={place.x} y={place.y} width={box.width} height={box.height} rx={7} />
      <rect class="strip" x={place.x} y={place.y + 5} width={4} height={box.height - 10} rx={2} />
      <text x={place.x + 12} y={place.y + 15}>
        {lineOf(item.key, 15)}
      </text>
      <text class="small" x={place.x + 12} y={place.y + 28}>
        {word}
      </text>
    </g>
  );
}

function spoken(items: readonly Item[]): string {
  return items
    .map(({ key, dependsOn }) =>
      dependsOn.length === 0
        ? lineOf(key, 60)
        : `${lineOf(key, 60)} after ${dependsOn.map((one) => lineOf(one, 60)).join(', ')}`,
    )
    .join('; ')
    .slice(0, 2_000);
}
