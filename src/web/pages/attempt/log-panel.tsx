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
  const { isMore, find, only, line, row } = shown;
  const words = find.trim().toLowerCase();
  const all = entriesOf(log.lines);
  const entries = found(filtered(all, only), words);
  const hits =
    words === '' ? 0 : entries.flatMap(({ lines }) => lines).filter((one) => hasWords(one.text, words)).length;
  const link = (to: { readonly only?: LogFilter; readonly find?: string; readonly more?: string; line?: string }) => {
    const now = { only, find: words, more: isMore ? '1' : '', line: line === null ? '' : String(line) };
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
          {Object.entries({ only, more: isMore ? '1' : '' }).map(([name, value]) =>
            value === '' ? null : <input type="hidden" name={name} value={value} />,
          )}
          <button type="submit">Search</button>
          {words === '' ? null : (
            <div class="row hits">
              <span class="num" role="status">
                {countOf(hits, 'hit')} in {countOf(log.lines.length, 'line')}
              </span>
              {hits === 0 ? null : (
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
              )}
              <a href={link({ find: '' })}>All lines</a>
            </div>
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
        <p class="panel empty">{words === '' ? 'No output.' : 'No line has these words.'}</p>
      ) : (
        <LogView entries={entries} from={row.attempt.startedAt} words={words} isFollowed={line === null} />
      )}
    </div>
  );
}

const hasWords = (text: string, words: string) => text.toLowerCase().includes(words);

function partOf({ isCut, sizeBytes }: LogEnd, line: number | null): string {
  if (!isCut) return sizeOf(sizeBytes);
  return line === null ? `The end of ${sizeOf(sizeBytes)}` : `Around line ${line} of ${sizeOf(sizeBytes)}`;
}
