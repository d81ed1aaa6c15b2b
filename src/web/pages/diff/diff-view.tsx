// The same markup is side by side if there is room, else stacked.
import { createHash } from 'node:crypto';
import { Icon } from '../shared/icons.js';
import { countOf, lineOf } from '../shared/text.js';
import { CodeLine, differenceOf } from './code-line.js';
import { type Block, type NumberedLine, type Patch, type PatchFile, readPatch } from './patch.js';
import { type Gap, lastGap, type ShownHunk, withGaps } from './unfolded.js';

export const maxLines = 1_500;
const maxFiles = 300;
const maxWholeLines = 5_000;
const maxOpenLines = 400;

export interface Unfolding {
  /** Patches of unfolded files with all lines, by path. */
  readonly whole: ReadonlyMap<string, string>;
  readonly isWhole: (path: string) => boolean;
  readonly gaps: (path: string) => readonly Gap[];
  /** The link that unfolds the whole file, or folds it again. */
  readonly link: (path: string) => string;
  /** The link that unfolds the gap, or folds it again. */
  readonly gapLink: (path: string, gap: Gap) => string;
}

interface DiffViewProps {
  readonly patch: string;
  readonly ignoreSpace?: boolean;
  readonly isUnified?: boolean;
  /** Null: stays folded. */
  readonly unfolding?: Unfolding | null;
}

export function DiffView({ patch, ignoreSpace = false, isUnified = false, unfolding = null }: DiffViewProps) {
  const read = readPatch(patch, { maxLines, ignoreSpace });
  const files = read.files.slice(0, maxFiles);
  const wholeOf = ({ path }: PatchFile) =>
    readPatch(unfolding?.whole.get(path) ?? '', { maxLines: maxWholeLines, ignoreSpace }).files[0] ?? null;
  return (
    <div class={`split${isUnified ? ' unified' : ''}`}>
      <FileTree files={files} />
      <div class="files">
        {files.map((file, index) => (
          <File file={file} whole={wholeOf(file)} unfolding={unfolding} index={index} />
        ))}
        <Rest read={read} />
      </div>
    </div>
  );
}

function Rest({ read }: { readonly read: Patch }) {
  if (read.files.length > maxFiles)
    return <p class="panel empty">{countOf(read.files.length - maxFiles, 'more file')}: see bosun diff</p>;
  return read.isCut ? <p class="panel empty">More than {maxLines} lines; see the rest with bosun diff</p> : null;
}

function FileTree({ files }: { readonly files: readonly PatchFile[] }) {
  const folders = new Map<string, { readonly file: PatchFile; readonly index: number }[]>();
  for (const [index, file] of files.entries()) {
    const folder = folderOf(file.path);
    folders.set(folder, [...(folders.get(folder) ?? []), { file, index }]);
  }
  return (
    <nav class="tree" aria-label="Files">
      <details id="tree" class="fold" open>
        <summary>
          <b>{countOf(files.length, 'file')}</b> <span class="soft num" data-viewed-count></span>
        </summary>
        {[...folders].map(([folder, inside]) => (
          <>
            {folder === '' ? null : <p class="soft">{lineOf(folder, 120)}</p>}
            <ul>
              {inside.map(({ file, index }) => (
                <li>
                  <a href={`#f${index + 1}`} data-file={`f${index + 1}`}>
                    <span class="name">{lineOf(file.path.slice(folder.length), 80)}</span>
                    <Counts file={file} />
                  </a>
                </li>
              ))}
            </ul>
          </>
        ))}
      </details>
    </nav>
  );
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function Counts({ file: { insertions, deletions } }: { readonly file: PatchFile }) {
  return (
    <span class="num counts">
      <b class="plus">+{insertions}</b> <b class="minus">−{deletions}</b>
    </span>
  );
}

const kinds: Readonly<Record<PatchFile['kind'], string>> = {
  changed: '',
  added: 'new',
  deleted: 'deleted',
  renamed: 'renamed',
  binary: 'binary',
};

interface FileProps {
  readonly file: PatchFile;
  /** With all of its lines; null: not read. */
  readonly whole: PatchFile | null;
  readonly unfolding: Unfolding | null;
  readonly index: number;
}

function File({ file, whole, unfolding, index }: FileProps) {
  const { path, from, kind } = file;
  const isWhole = whole !== null && unfolding?.isWhole(path) === true;
  const { hunks, rest } = isWhole ? withGaps(whole, null, []) : withGaps(file, whole, unfolding?.gaps(path) ?? []);
  const id = `f${index + 1}`;
  const ways = unfolding && waysOf(unfolding, { path, id, isWhole });
  const lines = hunks.reduce((sum, { blocks }) => sum + blocks.reduce((all, block) => all + lengthOf(block), 0), 0);
  const folder = folderOf(path);
  const isOneSided = kind === 'added' || kind === 'deleted';
  return (
    <article
      class={isOneSided ? 'panel file one-side' : 'panel file'}
      id={id}
      data-path={lineOf(path, 1_000)}
      tabindex={-1}
      aria-labelledby={`${id}-name`}
    >
      <label class="tick seen">
        <input type="checkbox" data-viewed={hashOf(file)} />
        Viewed
      </label>
      <details id={`${id}-code`} open={isWhole || lines <= maxOpenLines}>
        <summary class="fh">
          <Icon name="file" />
          <span id={`${id}-name`} class="path">
            <span class="soft">{lineOf(folder, 200)}</span>
            <strong>{lineOf(path.slice(folder.length), 200)}</strong>
          </span>
          {kinds[kind] === '' ? null : <span class="tag">{kinds[kind]}</span>}
          <Counts file={file} />
        </summary>
        {from === null ? null : <p class="soft note">was {lineOf(from, 200)}</p>}
        {hunks.length === 0 ? <p class="soft note">{emptyText(kind)}</p> : null}
        <section class="code" tabindex={0} aria-label={`Changes in ${lineOf(path, 120)}`}>
          {hunks.map((hunk) => (
            <HunkView hunk={hunk} file={file} id={id} unfolds={ways?.gap ?? null} />
          ))}
          {rest.length === 0 ? null : <Pair block={{ kind: 'same', lines: rest }} file={file} id={id} />}
          {ways === null ? null : (
            <p class="gap ways-on">
              {file.isOpenEnded && ways.gap !== null ? (
                <GapLink to={ways.gap(lastGap)} text={rest.length === 0 ? 'The rest of the file' : 'Fold the rest'} />
              ) : null}
              <GapLink to={ways.all} text={isWhole ? 'Fold unchanged lines' : 'Whole file'} />
            </p>
          )}
        </section>
      </details>
    </article>
  );
}

interface FileAt {
  readonly path: string;
  readonly id: string;
  readonly isWhole: boolean;
}

/** A file that is shown whole has no gaps. */
function waysOf({ gapLink, link }: Unfolding, { path, id, isWhole }: FileAt) {
  return { gap: isWhole ? null : (gap: Gap) => `${gapLink(path, gap)}#${id}`, all: `${link(path)}#${id}` };
}

function emptyText(kind: PatchFile['kind']): string {
  return kind === 'binary' ? 'A binary file: not shown.' : 'No changed lines to show.';
}

function lengthOf(block: Block): number {
  return block.kind === 'same' ? block.lines.length : block.old.length + block.new.length;
}

/** A viewed file that changes again counts as unviewed. */
function hashOf({ path, kind, hunks }: PatchFile): string {
  return createHash('sha256')
    .update(JSON.stringify([path, kind, hunks]))
    .digest('base64url')
    .slice(0, 16);
}

interface InFile {
  readonly file: PatchFile;
  readonly id: string;
}

interface HunkViewProps extends InFile {
  readonly hunk: ShownHunk;
  readonly unfolds: ((gap: Gap) => string) | null;
}

function HunkView({ hunk, unfolds, ...file }: HunkViewProps) {
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

function GapLink({ to, text }: { readonly to: string; readonly text: string }) {
  return (
    <a href={to} data-swaps>
      {text}
    </a>
  );
}

function Pair({ block, file, id }: InFile & { readonly block: Block }) {
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
