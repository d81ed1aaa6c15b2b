// The same markup is side by side if there is room, else stacked.
import { createHash } from 'node:crypto';
import { Icon } from '../shared/icons.js';
import { countOf, lineOf } from '../shared/text.js';
import { GapLink, HunkView, Pair } from './hunk-view.js';
import { type Block, type Patch, type PatchFile, readPatch, type SameLine } from './patch.js';
import { canBeRead, newText, Rendered } from './rendered.js';
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
  readonly isRendered: (path: string) => boolean;
  /** The link that shows a Markdown file as it reads, or its changes again. */
  readonly renderLink: (path: string) => string;
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
  const rendered = whole !== null && unfolding?.isRendered(path) === true ? newText(whole) : null;
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
      <details id={`${id}-code`} open={isWhole || rendered !== null || lines <= maxOpenLines}>
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
        {unfolding === null || !canBeRead(file) ? null : (
          <p class="note">
            <GapLink
              to={`${unfolding.renderLink(path)}#${id}`}
              text={rendered === null ? 'As it reads' : 'Its changes'}
            />
          </p>
        )}
        {rendered === null ? (
          <Code file={file} id={id} ways={ways} isWhole={isWhole} hunks={hunks} rest={rest} />
        ) : (
          <Rendered text={rendered} />
        )}
      </details>
    </article>
  );
}

interface CodeProps {
  readonly file: PatchFile;
  readonly id: string;
  /** Null: stays folded. */
  readonly ways: ReturnType<typeof waysOf> | null;
  readonly isWhole: boolean;
  readonly hunks: readonly ShownHunk[];
  readonly rest: readonly SameLine[];
}

function Code({ file, id, ways, isWhole, hunks, rest }: CodeProps) {
  return (
    <>
      {hunks.length === 0 ? <p class="soft note">{emptyText(file.kind)}</p> : null}
      <section class="code" tabindex={0} aria-label={`Changes in ${lineOf(file.path, 120)}`}>
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
    </>
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
