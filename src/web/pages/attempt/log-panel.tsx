// The log of an attempt: all of it, its errors alone, or the lines with the searched words.
import { countOf, lineOf, sizeOf } from '../shared/text.js';
import type { AttemptShown } from './attempt-shown.js';
import type { LogEnd } from './log-file.js';
import { isFailure, LogView } from './log-view.js';

interface LogProps {
  readonly log: LogEnd;
  readonly path: string;
  readonly shown: AttemptShown;
}

export function LogPanel({ log, path, shown: { isMore, find, only, row } }: LogProps) {
  const words = find.trim().toLowerCase();
  const errors = log.lines.filter(isFailure);
  const looked = only === 'errors' ? errors : log.lines;
  const lines = words === '' ? looked : looked.filter(({ text }) => text.toLowerCase().includes(words));
  const link = (of: 'errors' | '') => {
    const set = new URLSearchParams(
      Object.entries({ only: of, find: words, more: isMore ? '1' : '' }).filter(([, value]) => value !== ''),
    );
    return set.size === 0 ? path : `${path}?${set}`;
  };
  return (
    <>
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
        {isMore ? <input type="hidden" name="more" value="1" /> : null}
        <button type="submit">Search</button>
        <div class="row">
          {errors.length === 0 ? null : (
            <span class="seg">
              <a href={link('')} aria-current={only === '' ? 'true' : undefined}>
                All <b class="num">{log.lines.length}</b>
              </a>
              <a href={link('errors')} aria-current={only === '' ? undefined : 'true'}>
                Errors <b class="num">{errors.length}</b>
              </a>
            </span>
          )}
        </div>
        <p class="soft row">
          {words === '' ? null : (
            <span class="num" role="status">
              {lines.length} of {countOf(log.lines.length, 'line')}
            </span>
          )}
          {words === '' ? null : <a href={isMore ? `${path}?more=1` : path}>All lines</a>}
          <span class="num">{log.isCut ? `The end of ${sizeOf(log.sizeBytes)}` : sizeOf(log.sizeBytes)}</span>
          {log.isCut && !isMore ? (
            <a href={`${path}?${new URLSearchParams({ more: '1', ...(words === '' ? {} : { find }) })}`}>Show more</a>
          ) : null}
          <a href={`${path}/log`} download>
            Download
          </a>
        </p>
      </form>
      {lines.length === 0 ? (
        <p class="panel empty">{words === '' ? 'No output.' : 'No line has these words.'}</p>
      ) : (
        <LogView log={{ ...log, lines, firstError: errors[0] }} from={row.attempt.startedAt} words={words} />
      )}
    </>
  );
}
