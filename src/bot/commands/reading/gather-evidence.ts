// A diff or log for a chat: first the files, then the whole as a file.
import { BosunError, openWithin } from '../../../base/index.js';
import { type Config, type Home, projectNamed } from '../../../config/index.js';
import { changesOf, diffOfRange, diffOfRun, findLog, outcomeNamed } from '../../../dispatch/index.js';
import type { Attempt } from '../../../engine/index.js';
import type { AttemptRow, HomeReader, Spine, View } from '../../../store/index.js';
import { diffLine } from '../../views/facts.js';
import { clean, duration, lines, oneLine, testsInWords, view } from '../../views/view.js';
import { titleOf } from '../../views/work/card-text.js';
import type { EvidenceTarget } from '../message-context.js';

export interface EvidenceParts {
  readonly reader: HomeReader;
  readonly home: Pick<Home, 'dir'>;
  readonly config: () => Config;
}

type DiffTarget = Extract<EvidenceTarget, { readonly kind: 'diff' }>;

const patchMaxBytes = 512 * 1024;
const logMaxBytes = 1024 * 1024;
/** More goes as a file. */
const inline = { lines: 60, chars: 2_400 };
const maxFiles = 25;

/** Never throws a BosunError. */
export async function gatherEvidence(parts: EvidenceParts, target: EvidenceTarget): Promise<View> {
  const spine = parts.reader.spine(target.run);
  if (spine === null) return view('error', 'There is nothing to show any more.');
  try {
    if (target.kind === 'diff') return await diffParts(parts, spine, target);
    const row = parts.reader.attempt(target.attempt);
    if (row === null) return view('error', 'There is nothing to show any more.');
    return target.kind === 'log' ? await logParts(parts, spine, row) : await attemptParts(parts, spine, row);
  } catch (error) {
    if (!(error instanceof BosunError)) throw error;
    return view('error', lines(`I can't show it: ${error.message}`, error.hint));
  }
}

async function diffParts(parts: EvidenceParts, spine: Spine, target: DiffTarget): Promise<View> {
  const { run } = spine;
  const { chain, range, card, isSince } = target;
  const root = rootOf(parts, spine);
  const frozen = range && (await diffOfRange(run, root, range));
  const diff = frozen ?? (await diffOfRun(parts.reader, run, chain === '' ? null : chain, root));
  const { patch, hidden } = withoutSecretFiles(await diff.patch(patchMaxBytes));
  const counted = diffLine(diff.stat) || 'no files changed';
  const since = isSince && frozen !== null ? `${counted} since the request for changes` : counted;
  return evidenceView({
    title: `${isSince ? 'What changed' : 'Diff'} · ${workTitle(spine, chain)}`,
    place: [run.project, chain, card !== null && frozen !== null ? `${since}, as in ${card}` : since],
    list: [
      ...listed(diff.changes),
      range !== null && frozen === null ? 'git no longer has what the card showed: these are the present changes.' : '',
      hidden.length === 0 ? '' : `Not shown, they may hold secrets: ${hidden.join(', ')}`,
    ],
    whole: { name: `${fileStem(run.project, chain || run.id)}${isSince ? '-since' : ''}.diff`, text: patch },
    language: 'diff',
  });
}

async function attemptParts(parts: EvidenceParts, spine: Spine, row: AttemptRow): Promise<View> {
  const { attempt } = row;
  const project = projectNamed(parts.config(), spine.run.project);
  const step = stepOf(parts.reader, row);
  const changes = project && (await changesOf(parts.reader, spine, project, row));
  if (changes?.kind !== 'patch') return view('error', `I can't show it: ${changes?.why ?? 'its project is gone'}`);
  const { patch, hidden } = withoutSecretFiles(changes.patch);
  return evidenceView({
    title: `Diff · ${step} · ${workTitle(spine, row.chain)}`,
    place: [spine.run.project, row.chain, diffLine(attempt.diffStat) || 'no files changed'],
    list: [
      ...attempt.filesChanged.slice(0, maxFiles),
      hidden.length === 0 ? '' : `Not shown, they may hold secrets: ${hidden.join(', ')}`,
    ],
    whole: { name: `${fileStem(spine.run.project, row.chain || spine.run.id)}-${step}.diff`, text: patch },
    language: 'diff',
  });
}

async function logParts(parts: EvidenceParts, spine: Spine, row: AttemptRow): Promise<View> {
  const { attempt } = row;
  const step = stepOf(parts.reader, row);
  const label = parts.reader.browsing.nodeLabel(row.run, row.node) ?? '';
  const root = projectNamed(parts.config(), spine.run.project)?.root ?? null;
  const text = await readLog(findLog(parts.home, { row, label, root }));
  return evidenceView({
    title: `Log · ${step} · ${workTitle(spine, row.chain)}`,
    place: [spine.run.project, row.chain, `attempt ${attempt.number}`, resultOf(attempt)],
    list: [
      attempt.summary ?? '',
      ...attempt.warnings.map((one) => `Warning: ${one}`),
      ...attempt.checks.filter(({ ok }) => !ok).map(({ command, exit, tail }) => failedCheck(command, exit, tail)),
      text === '' ? (attempt.endedAt === null ? 'It has printed nothing yet.' : 'It printed nothing.') : '',
    ],
    whole: { name: `${fileStem(spine.run.project, row.chain || spine.run.id)}-${step}-${attempt.number}.log`, text },
    language: '',
  });
}

function resultOf({ outcome, endedAt, durationMs, tests }: Attempt): string {
  if (endedAt === null) return 'still running';
  const how = outcome === null ? '' : outcomeNamed(outcome).word;
  return [how, testsInWords(tests), duration(durationMs)].filter((one) => one !== '').join(' · ');
}

function failedCheck(command: string, exit: number | null, tail: string): string {
  const end = tail.trim().split('\n').slice(-12).join('\n');
  const words = end === '' ? '' : fenced(end, '');
  return lines(`${oneLine(command)} failed (exit ${exit ?? 'killed'})`, words);
}

export interface EvidenceText {
  readonly title: string;
  readonly place: readonly string[];
  readonly list: readonly string[];
  readonly whole: { readonly name: string; readonly text: string };
  readonly language: string;
}

/** As code if small, else as a file. Always shows a log's end. */
export function evidenceView({ title, place, list, whole, language }: EvidenceText): View {
  const text = clean(whole.text).trimEnd();
  const head = lines(title, place.filter((one) => one !== '').join(' · '), ...list).slice(0, 3_000);
  const all = text.split('\n');
  const isSmall = all.length <= inline.lines && text.length <= inline.chars;
  if (text === '') return view('report', head);
  if (isSmall) return view('report', lines(head, fenced(text, language)));
  const tail = language === 'diff' ? '' : fenced(lastLines(all), language);
  return {
    ...view('report', head.length + tail.length > 3_300 ? head : lines(head, tail)),
    file: { ...whole, text: `${text}\n` },
  };
}

const tailLines = 20;

function lastLines(all: readonly string[]): string {
  return all
    .slice(-tailLines)
    .map((line) => line.slice(0, 100))
    .join('\n');
}

/** A fence inside must not close the block. */
function fenced(text: string, language: string): string {
  const literal = text.replace(/^```/gm, "'''");
  return ['```'.concat(language), literal, '```'].join('\n');
}

function listed(
  changes: readonly { readonly path: string; readonly insertions: number; readonly deletions: number }[],
) {
  const shown = changes
    .slice(0, maxFiles)
    .map(({ path, insertions, deletions }) => `${oneLine(path)} +${insertions} −${deletions}`);
  const more = changes.length - shown.length;
  return more > 0 ? [...shown, `… and ${more} more files`] : shown;
}

/** Security: keys and environment files never go to a chat, even if tracked. */
export function withoutSecretFiles(patch: string): { readonly patch: string; readonly hidden: readonly string[] } {
  const hidden: string[] = [];
  const kept = patch.split(/^(?=diff --git )/m).filter((part) => {
    if (!part.startsWith('diff --git ')) return true;
    const path = pathOf(part);
    if (path !== null && !secretFile.test(path)) return true;
    hidden.push(path ?? 'a file whose name cannot be read');
    return false;
  });
  return { patch: kept.join(''), hidden };
}

function pathOf(part: string): string | null {
  const named = /^diff --git (?:"a\/(.+)" "b\/\1"|a\/(.+) b\/\2)$/m.exec(part);
  return named?.[1] ?? named?.[2] ?? null;
}

const secretFile =
  /(?:^|\/)(?:\.git\/.*|\.env(?!\.(?:example|sample|template)$)(?:\.[^/]*)?|\.netrc|\.npmrc|\.pypirc|id_(?:rsa|dsa|ecdsa|ed25519)|[^/]*\.(?:pem|key|p12|pfx|jks|keystore))$/i;

async function readLog(place: Parameters<typeof readEnd>[0]): Promise<string> {
  const text = await readEnd(place);
  return text
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [lineOf(line)]))
    .join('\n');
}

async function readEnd({ root, path }: { readonly root: string; readonly path: string }): Promise<string> {
  const file = await openWithin(root, path);
  if (file === null) return '';
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - logMaxBytes);
    const bytes = Buffer.alloc(Math.min(size, logMaxBytes));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    const text = bytes.toString('utf8', 0, bytesRead);
    return from === 0 ? text : `… (only the end)\n${text.slice(text.indexOf('\n') + 1)}`;
  } finally {
    await file.close();
  }
}

function lineOf(line: string): string {
  try {
    const read: unknown = JSON.parse(line);
    return typeof read === 'object' && read !== null && 'line' in read ? String(read.line) : line;
  } catch {
    // A growing log's last line may be cut.
    return line;
  }
}

function rootOf({ config }: EvidenceParts, { run }: Spine): string {
  const project = projectNamed(config(), run.project);
  if (project !== null) return project.root;
  throw new BosunError('not_found', `${run.project} is no longer in config.yaml`);
}

function workTitle({ run, items }: Spine, chain: string): string {
  const item = items.find(({ key }) => key === chain);
  return titleOf(item === undefined ? (run.task.split('\n')[0] ?? '') : item.title || item.key);
}

function stepOf(reader: HomeReader, { run, node }: AttemptRow): string {
  return reader.nodes(run).find(({ id }) => id === node)?.template ?? node;
}

function fileStem(...names: readonly string[]): string {
  return names.filter((one) => one !== '').join('-');
}
