// Shows every change before an owner accepts it.
import { type AcceptedRules, acceptedRules } from './accepted.js';
import { hashOfText, type RuleFiles, readRuleFiles } from './rule-files.js';

export interface RuleChange {
  readonly path: string;
  /** `refused`: unusable, so left out. */
  readonly kind: 'new' | 'changed' | 'gone' | 'refused';
  readonly before: string;
  readonly after: string;
  readonly why: string | null;
}

export interface ProjectRules {
  readonly accepted: AcceptedRules;
  readonly files: RuleFiles;
  readonly changes: readonly RuleChange[];
  /** Identifies exactly these files: an owner accepts only the shown texts. */
  readonly id: string;
}

export interface RulesOf {
  readonly root: string;
  readonly workflow: string;
}

export function projectRules(home: string, { root, workflow }: RulesOf): ProjectRules {
  const accepted = acceptedRules(home, root);
  const files = readRuleFiles(root, workflow);
  const paths = [...new Set([...accepted.keys(), ...files.keys()])].sort();
  const changes = paths.flatMap((path) => changeOf(path, accepted, files));
  const hashes = [...files].map(([path, { hash }]) => `${path} ${hash}\n`);
  return { accepted, files, changes, id: hashOfText(hashes.join('')).slice(0, 12) };
}

function changeOf(path: string, accepted: AcceptedRules, files: RuleFiles): readonly RuleChange[] {
  const before = accepted.get(path);
  const now = files.get(path);
  if (now?.hash === before?.hash) return [];
  const texts = { path, before: before?.text ?? '', after: now?.text ?? '' };
  if (now === undefined) return [{ ...texts, kind: 'gone', why: null }];
  if (now.text === null) return [{ ...texts, kind: 'refused', why: now.why }];
  return [{ ...texts, kind: before === undefined ? 'new' : 'changed', why: null }];
}

/** `.ai/step-rules.yaml (new), .ai/workflows/quick.yaml (changed)`. */
export function changedNames(changes: readonly RuleChange[]): string {
  const shown = changes.slice(0, maxNames).map(({ path, kind, why }) => `${path} (${why ?? kind})`);
  const more = changes.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const maxNames = 8;

export function rulesDiff(changes: readonly RuleChange[]): string {
  return changes.map((change) => `${headOf(change)}\n${linesOf(change).join('\n')}`).join('\n\n');
}

function headOf({ path, kind, why }: RuleChange): string {
  return `${path}: ${why === null ? kind : `unusable, ${why}`}`;
}

const contextLines = 3;

function linesOf({ before, after }: RuleChange): readonly string[] {
  const [old, now] = [splitLines(before), splitLines(after)];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const same = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
  return [
    ...same(old.slice(Math.max(0, head - contextLines), head)),
    ...old.slice(head, old.length - tail).map((line) => `- ${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+ ${line}`),
    ...same(old.slice(old.length - tail, old.length - tail + contextLines)),
  ];
}

function splitLines(text: string): readonly string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}
