// The four figures above the charts, each with what changed against the period before, its direction in words.
import type { Child } from 'hono/jsx';
import type { Run } from '../../../engine/index.js';
import { Icon } from '../shared/icons.js';
import { countOf, moneyOf, spanOf } from '../shared/text.js';
import { durationOfRun, type Measured, measuredOf, quantileOf, shareOf } from './measures.js';
import { totalOf, type WorkSample } from './work-sample.js';

interface TilesProps {
  readonly ended: readonly Run[];
  readonly sample: WorkSample;
  /** The same measures of the period before; null: nothing to compare with. */
  readonly before: Measured | null;
  /** Null: no cost was reported. */
  readonly usd: number | null;
}

export function Tiles({ ended, usd, sample: { all, people }, before }: TilesProps) {
  const done = ended.filter(({ status }) => status === 'completed');
  const durations = done.map(durationOfRun);
  const now = measuredOf(ended, usd ?? 0, all);
  const answer = quantileOf(
    people.flatMap(({ answersMs }) => answersMs),
    0.5,
  );
  return (
    <dl class="panel tiles">
      <Tile
        name="Runs that end well"
        value={shareOf(done.length, ended.length)}
        note={`${done.length} of ${countOf(ended.length, 'run')}`}
      >
        <Delta now={now.well} before={before?.well ?? null} words={['better', 'worse']} isMoreBetter say={pointsOf} />
      </Tile>
      <Tile
        name="Time to done, median"
        value={now.medianMs === null ? '–' : spanOf(now.medianMs)}
        note={
          now.medianMs === null ? 'nothing done yet' : `nine of ten within ${spanOf(quantileOf(durations, 0.9) ?? 0)}`
        }
      >
        <Delta
          now={now.medianMs}
          before={before?.medianMs ?? null}
          words={['slower', 'faster']}
          isMoreBetter={false}
          say={timeOf}
        />
      </Tile>
      <Tile
        name="Waiting for people"
        value={shareOf(all.waitMs, totalOf(all))}
        note={answer === null ? 'no answer yet' : `half of the answers within ${spanOf(answer)}`}
      >
        <Delta
          now={now.waiting}
          before={before?.waiting ?? null}
          words={['more', 'less']}
          isMoreBetter={false}
          say={pointsOf}
        />
      </Tile>
      <Tile
        name="Cost"
        value={usd === null ? '–' : moneyOf(usd)}
        note={
          usd === null
            ? 'no cost was reported'
            : done.length === 0
              ? 'no run is done'
              : `${moneyOf(usd / done.length)} for a run that is done`
        }
      >
        <Delta
          now={now.usd}
          before={before?.usd ?? null}
          words={['more', 'less']}
          isMoreBetter={false}
          say={amountOf}
        />
      </Tile>
    </dl>
  );
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly note: string;
  readonly children: Child;
}

function Tile({ name, value, note, children }: TileProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="num">{value}</dd>
      {children}
      <dd class="soft num">{note}</dd>
    </div>
  );
}

interface DeltaProps {
  readonly now: number | null;
  readonly before: number | null;
  /** Of a positive and a negative difference. */
  readonly words: readonly [string, string];
  readonly isMoreBetter: boolean;
  /** The size of a difference; '': too small to tell. */
  readonly say: (difference: number) => string;
}

/** Nothing without a period before: then there is nothing to compare. */
function Delta({ now, before, words: [more, less], isMoreBetter, say }: DeltaProps) {
  if (now === null || before === null) return null;
  const said = say(Math.abs(now - before));
  if (said === '') return <dd class="delta soft">as before</dd>;
  const isMore = now > before;
  return (
    <dd class={`delta num ${isMore === isMoreBetter ? 'ok' : 'wait'}`}>
      <Icon name={isMore ? 'up' : 'down'} /> {said} {isMore ? more : less}
    </dd>
  );
}

function pointsOf(share: number): string {
  const points = Math.round(100 * share);
  return points === 0 ? '' : `${points} ${points === 1 ? 'point' : 'points'}`;
}

function timeOf(ms: number): string {
  return ms < 1_000 ? '' : spanOf(ms);
}

function amountOf(usd: number): string {
  return usd < 0.01 ? '' : moneyOf(usd);
}
