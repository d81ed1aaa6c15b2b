import { Icon } from '../shared/icons.js';
import { countOf, lineOf, sizeOf } from '../shared/text.js';
import type { AttemptShown } from './attempt-shown.js';
import { entriesOf, filtered, found, type LogFilter, logFilters } from './log-entries.js';
import type { LogEnd } from './log-file.js';
import { LogView } from './log-view.js';

interface LogProps {
  readonly log: LogEnd;
  readonly path: string;
  readonly shown: AttemptShown;
}

export function LogPanel({ log, path, shown }: LogProps) {
  const { isMore, find, only, isOnlyHits, line, row } = shown;
  const words = find.trim().toLowerCase();
  const all = entriesOf(log.lines);
  const kept = filtered(all, only);
  const entries = isOnlyHits ? found(kept, words) : kept;
  const hits = words === '' ? 0 : kept.flatMap(({ lines }) => lines).filter((one) => hasWords(one.text, words)).length;
  const link = (to: Partial<Record<'find' | 'more' | 'line' | 'lines', string>> & { readonly only?: LogFilter }) => {
    const place = { more: isMore ? '1' : '', line: line === null ? '' : String(line) };
    const now = { only, find: words, lines: isOnlyHits ? 'hits' : '', ...place };
    const set = new URLSearchParams(Object.entries({ ...now, ...to }).filter(([, value]) => value !== ''));
    return set.size === 0 ? path : `${path}?${set}`;
  };
  const counts = Object.entries(logFilters).map(([name, label]) => {
    const filter = name as keyof typeof logFilters;
    return { filter, label, count: filtered(all, filter).length };
  });
  const kinds = counts.filter(({ filter, count }) => count > 0 || filter === only);
  return (
    <div class="log-panel">
      <div class="log-bar">
        <form class="log-search" method="get" action={path} data-key="log-search">
          <label for="find">
            <span class="hidden">Search this log</span>
            <input
              id="find"
              type="search"
              name="find"
              maxlength={100}
              value={lineOf(find, 100)}
              placeholder="Search this log"
              data-first
            />
          </label>
          {Object.entries({ only, more: isMore ? '1' : '', lines: isOnlyHits ? 'hits' : '' }).map(([name, value]) =>
            value === '' ? null : <input type="hidden" name={name} value={value} />,
          )}
          <button type="submit">Search</button>
          {words === '' ? null : (
            <Hits
              hits={hits}
              lines={log.lines.length}
              toggle={
                isOnlyHits
                  ? { label: 'All lines', to: link({ lines: '' }) }
                  : { label: 'Only hits', to: link({ lines: 'hits' }) }
              }
              clear={link({ find: '', lines: '' })}
            />
          )}
          {kinds.length === 0 ? null : (
            <nav class="seg" aria-label="Which lines">
              <a href={link({ only: '' })} aria-current={only === '' ? 'true' : undefined}>
                All <b class="num">{log.lines.length}</b>
              </a>
              {kinds.map(({ filter, label, count }) => (
                <a href={link({ only: filter })} aria-current={only === filter ? 'true' : undefined}>
                  {label} <b class="num">{count}</b>
                </a>
              ))}
            </nav>
          )}
          <p class="soft row">
            <span class="num">{partOf(log, line)}</span>
            {log.isCut && !isMore && line === null ? <a href={link({ more: '1' })}>Show more</a> : null}
            {line === null || log.isEnd ? null : <a href={link({ line: '' })}>Newest lines</a>}
            <a href={`${path}/log`} download>
              Download
            </a>
          </p>
        </form>
        <label class="tick" data-key="log-wrap">
          <input id="log-wrap" type="checkbox" checked /> Wrap
        </label>
      </div>
      {entries.length === 0 ? (
        <p class="panel empty">{words === '' ? 'No output.' : 'No line here has these words.'}</p>
      ) : (
        <LogView
          entries={entries}
          from={row.attempt.startedAt}
          words={words}
          isFollowed={line === null && words === ''}
        />
      )}
    </div>
  );
}

interface HitsProps {
  readonly hits: number;
  readonly lines: number;
  readonly toggle: { readonly label: string; readonly to: string };
  readonly clear: string;
}

function Hits({ hits, lines, toggle, clear }: HitsProps) {
  return (
    <div class="row hits">
      <span class="num" role="status">
        {countOf(hits, 'hit')} in {countOf(lines, 'line')}
        <span data-hit-place></span>
      </span>
      {hits === 0 ? null : (
        <>
          <span class="wide-only">
            <button type="button" class="icon" data-hit="-1">
              <Icon name="up" />
              <span class="hidden">Previous hit</span>
            </button>
            <button type="button" class="icon" data-hit="1">
              <Icon name="down" />
              <span class="hidden">Next hit</span>
            </button>
          </span>
          <a href={toggle.to}>{toggle.label}</a>
        </>
      )}
      <a href={clear}>Clear</a>
    </div>
  );
}

const hasWords = (text: string, words: string) => text.toLowerCase().includes(words);

function partOf({ isCut, sizeBytes }: LogEnd, line: number | null): string {
  if (!isCut) return sizeOf(sizeBytes);
  return line === null ? `The end of ${sizeOf(sizeBytes)}` : `Around line ${line} of ${sizeOf(sizeBytes)}`;
}
