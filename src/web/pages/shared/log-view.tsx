// Renders an attempt's log with colours.
import { piecesOf } from './ansi.js';
import type { LogEnd } from './log-file.js';

export function LogView({ log }: { readonly log: LogEnd }) {
  return (
    <div class="log" id="log-lines" data-follow="box" tabindex={0} role="log" aria-label="What it printed">
      {log.lines.map(({ source, text }) => (
        <div class={source === 'out' ? undefined : source === 'err' ? 'err' : 'sys'}>
          <bdi>
            {piecesOf(text).map((piece) =>
              piece.look === '' ? piece.text : <span class={piece.look}>{piece.text}</span>,
            )}
          </bdi>
          {text === '' ? ' ' : null}
        </div>
      ))}
    </div>
  );
}
