// The lines of a hunk: side by side if there is room, else stacked.
import { countOf, lineOf } from '../shared/text.js';
import { CodeLine, differenceOf } from './code-line.js';
import type { Block, NumberedLine, PatchFile } from './patch.js';
import type { Gap, ShownHunk } from './unfolded.js';

interface InFile {
  readonly file: PatchFile;
  readonly id: string;
}

interface HunkViewProps extends InFile {
  readonly hunk: ShownHunk;
  readonly unfolds: ((gap: Gap) => string) | null;
}

export function HunkView({ hunk, unfolds, ...file }: HunkViewProps) {
  const { skipped, unfolded, around, from } = hunk;
  const says = unfolded > 0 ? `Fold ${countOf(unfolded, 'line')}` : countOf(skipped, 'unchanged line');
  return (
    <>
      {skipped + unfolded === 0 && around === '' ? null : (
        <p class="gap">
          {skipped + unfolded === 0 ? null : unfolds === null ? says : <GapLink to={unfolds(from)} text={says} />}{' '}
          {unfolded > 0 ? null : <span class="mono">{lineOf(around, 100)}</span>}
        </p>
      )}
      {hunk.blocks.map((block) => (
        <Pair block={block} {...file} />
      ))}
    </>
  );
}

export function GapLink({ to, text }: { readonly to: string; readonly text: string }) {
  return (
    <a href={to} data-swaps>
      {text}
    </a>
  );
}

export function Pair({ block, file, id }: InFile & { readonly block: Block }) {
  const { path } = file;
  if (block.kind === 'same')
    return (
      <div class="pair same">
        <div class="old" aria-hidden="true">
          {block.lines.map(({ before, text }) => (
            <div class="ln">
              <span class="n">{before}</span>
              <span class="m"> </span>
              <CodeLine text={text} path={path} changed={null} />
            </div>
          ))}
        </div>
        <div class="new">
          {block.lines.map((line) => (
            <Line line={line} path={path} id={`${id}-n${line.n}`} at={`${path}:${line.n}`} mark=" " changed={null} />
          ))}
        </div>
      </div>
    );
  const isEven = block.old.length === block.new.length;
  const differences = block.new.map(({ text }, n) => (isEven ? differenceOf(block.old[n]?.text ?? '', text) : null));
  return (
    <div class={`pair change${block.old.length === 0 ? ' only-new' : block.new.length === 0 ? ' only-old' : ''}`}>
      <div class="old">
        {block.old.map((line, n) => (
          <Line
            line={line}
            path={path}
            id={`${id}-o${line.n}`}
            at={`${path}:${line.n} before`}
            mark="−"
            changed={differences[n]?.old ?? null}
          />
        ))}
      </div>
      <div class="new">
        {block.new.map((line, n) => (
          <Line
            line={line}
            path={path}
            id={`${id}-n${line.n}`}
            at={`${path}:${line.n}`}
            mark="+"
            changed={differences[n]?.new ?? null}
          />
        ))}
      </div>
    </div>
  );
}

interface LineProps {
  readonly line: NumberedLine;
  readonly path: string;
  readonly id: string;
  readonly at: string;
  readonly mark: '+' | '−' | ' ';
  readonly changed: { readonly from: number; readonly to: number } | null;
}

function Line({ line, path, id, at, mark, changed }: LineProps) {
  return (
    <div class={`ln${mark === '+' ? ' add' : mark === '−' ? ' cut' : ''}`}>
      <a class="n" id={id} href={`#${id}`} data-at={lineOf(at, 300)} aria-label={`Line ${line.n}`}>
        {line.n}
      </a>
      <span class="m">{mark}</span>
      <CodeLine text={line.text} path={path} changed={changed} />
    </div>
  );
}
