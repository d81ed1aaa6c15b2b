// The shape of src in figures, and the guards that hold it: cycles, crowded folders, names that mean two things, and words
// that belong in one place.
import { dirname } from 'node:path/posix';
import ts from 'typescript';
import { kindWords } from '../../src/engine/workflow/node-kinds.js';
import { parse, resolveRelative, type SourceText, walk } from './references.js';

/** Cycles of files that import values from each other: one of them runs before what it needs is there. */
export function valueCycles(sources: readonly SourceText[]): string[][] {
  const paths = new Set(sources.map(({ path }) => path));
  const next = new Map<string, readonly string[]>();
  for (const source of sources) {
    const targets = valueImports(parse(source))
      .filter((module) => module.startsWith('.'))
      .map((module) => resolveRelative(source.path, module, (path) => paths.has(path)));
    next.set(
      source.path,
      targets.filter((path) => paths.has(path)),
    );
  }
  return components(next);
}

function valueImports(file: ts.SourceFile): string[] {
  return file.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const { moduleSpecifier } = statement;
    if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return [];
    return bringsValues(statement) ? [moduleSpecifier.text] : [];
  });
}

function bringsValues(statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(statement)) {
    if (statement.isTypeOnly) return false;
    const { exportClause } = statement;
    return exportClause === undefined || !ts.isNamedExports(exportClause) || !exportClause.elements.every(isTypeOnly);
  }
  const clause = statement.importClause;
  if (clause === undefined) return true;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return false;
  const { namedBindings } = clause;
  if (clause.name !== undefined || namedBindings === undefined || !ts.isNamedImports(namedBindings)) return true;
  return !namedBindings.elements.every(isTypeOnly);
}

const isTypeOnly = (element: { readonly isTypeOnly: boolean }) => element.isTypeOnly;

/** Strongly connected components with more than one member, by Tarjan's algorithm. */
function components(next: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  function visit(node: string): number {
    const own = order.size;
    order.set(node, own);
    let low = own;
    stack.push(node);
    for (const target of next.get(node) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    lowest.set(node, low);
    if (low === own) {
      const members = stack.splice(stack.indexOf(node));
      if (members.length > 1) found.push(members.sort());
    }
    return low;
  }
  for (const node of next.keys()) if (!order.has(node)) visit(node);
  return found;
}

export const filesPerFolder = 14;

/** Folders with more files at their top than a reader takes in at a glance, as `src/bot/commands 15`. */
export function crowdedFolders(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > filesPerFolder).map(([folder, count]) => `${folder} ${count}`);
}

/** Exported type names that a top-level folder declares twice, as `bot Place`. */
export function homonyms(sources: readonly SourceText[]): string[] {
  const places = new Map<string, number>();
  for (const source of sources) {
    const room = source.path.split('/')[1] ?? '';
    for (const statement of parse(source).statements) {
      if (
        !ts.isInterfaceDeclaration(statement) &&
        !ts.isTypeAliasDeclaration(statement) &&
        !ts.isClassDeclaration(statement)
      )
        continue;
      if (!statement.modifiers?.some((it) => it.kind === ts.SyntaxKind.ExportKeyword)) continue;
      const key = `${room} ${statement.name?.text ?? ''}`;
      places.set(key, (places.get(key) ?? 0) + 1);
    }
  }
  return [...places]
    .filter(([, count]) => count > 1)
    .map(([key]) => key)
    .sort();
}

export interface OneHome {
  readonly what: string;
  readonly homes: readonly string[];
  /** Whether a string literal is one of those that belong to the homes. */
  readonly matches: (text: string) => boolean;
}

export const literalHomes: readonly OneHome[] = [
  {
    what: 'channel',
    homes: ['src/bot/channels/'],
    matches: (text) => text === 'telegram' || text === 'slack' || /^(tg|sl):/.test(text),
  },
  {
    what: 'agent',
    homes: ['src/agents/adapters/'],
    matches: (text) => text === 'claude' || text === 'codex' || text === 'opencode',
  },
];

/** Files that name a channel or an agent outside its home, each once, as `channel src/store/places.ts`. */
export function strayLiterals(sources: readonly SourceText[]): string[] {
  return literalHomes.flatMap(({ what, homes, matches }) =>
    sources
      .filter(({ path }) => !homes.some((home) => path.startsWith(home)))
      .filter((source) => literals(parse(source)).some(matches))
      .map(({ path }) => `${what} ${path}`),
  );
}

function literals(file: ts.SourceFile): string[] {
  const found: string[] = [];
  walk(file, (node) => {
    if (ts.isStringLiteral(node) && !isModuleName(node)) found.push(node.text);
    else if (ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateHead(node)) found.push(node.text);
  });
  return found;
}

const isModuleName = (node: ts.Node) =>
  ts.isImportDeclaration(node.parent) ||
  ts.isExportDeclaration(node.parent) ||
  ts.isExternalModuleReference(node.parent);

/** Names of the whole store or runtime in bot and web, which take small ports, as `src/bot/a.ts Store`. */
export function wholeStores(sources: readonly SourceText[]): string[] {
  const found = sources
    .filter(({ path }) => /^src\/(bot|web)\//.test(path))
    .flatMap((source) => {
      const names: string[] = [];
      walk(parse(source), (node) => {
        if (ts.isIdentifier(node) && isWhole(node)) names.push(`${source.path} ${node.text}`);
      });
      return names;
    });
  return [...new Set(found)];
}

/** `runtime.store` and `{ store } = runtime` reach it too. */
const isWhole = (node: ts.Identifier) => ['Store', 'SqliteStore', 'Runtime', 'openStore', 'store'].includes(node.text);

/** Files that read JSON with a cast, which trusts whatever is there; `as unknown` names what must be parsed yet. */
export function castJson(sources: readonly SourceText[]): string[] {
  return sources
    .filter((source) => {
      let isFound = false;
      walk(parse(source), (node) => {
        isFound ||=
          ts.isAsExpression(node) &&
          node.type.kind !== ts.SyntaxKind.UnknownKeyword &&
          ts.isCallExpression(node.expression) &&
          node.expression.expression.getText() === 'JSON.parse';
      });
      return isFound;
    })
    .map(({ path }) => path);
}

const nodeKindWords: readonly string[] = kindWords;
const kindHomes = /^src\/engine\/(workflow\/|flow\/advance\.ts$)/;
/** Types whose `kind` has a word of a node's kind in another meaning. */
const otherUnions = /\b(AttemptSpec|Instruction)\b/;

/** Files outside the home of the kinds that ask for a node's kind by its word, each with how often. */
export function kindComparisons(sources: readonly SourceText[]): string[] {
  return sources
    .filter(({ path }) => !kindHomes.test(path))
    .flatMap((source) => {
      let count = 0;
      walk(parse(source), (node) => {
        if (asksKind(node)) count++;
      });
      return count === 0 ? [] : [`${source.path} ${count}`];
    });
}

/** `node.kind === 'loop'`, `case 'loop'`, `['task', 'check'].includes(kind)` and `{ task: …, check: …, loop: … }`. */
function asksKind(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node) && isEquality(node.operatorToken.kind)) {
    const { left, right } = node;
    return (isKind(left) && isKindWord(right)) || (isKind(right) && isKindWord(left));
  }
  if (ts.isCaseClause(node)) return isKind(node.parent.parent.expression) && isKindWord(node.expression);
  if (ts.isArrayLiteralExpression(node)) return node.elements.filter(isKindWord).length > 1;
  if (!ts.isObjectLiteralExpression(node)) return false;
  const keys = node.properties.map(({ name }) => (name && 'text' in name ? String(name.text) : ''));
  return keys.filter((key) => nodeKindWords.includes(key)).length > 2;
}

const isEquality = (kind: ts.SyntaxKind) =>
  kind === ts.SyntaxKind.EqualsEqualsEqualsToken || kind === ts.SyntaxKind.ExclamationEqualsEqualsToken;

const isKindWord = (node: ts.Node) => ts.isStringLiteral(node) && nodeKindWords.includes(node.text);

function isKind(node: ts.Expression): boolean {
  if (ts.isIdentifier(node)) return node.text === 'kind' && !otherUnions.test(typeOf(node, 'kind'));
  if (!ts.isPropertyAccessExpression(node) || node.name.text !== 'kind') return false;
  return !ts.isIdentifier(node.expression) || !otherUnions.test(typeOf(node, node.expression.text));
}

/** The written type of the parameter that brings a name, by itself or by destructuring; empty: none is written. */
function typeOf(node: ts.Node, name: string): string {
  for (let around = node.parent; !ts.isSourceFile(around); around = around.parent) {
    if (!ts.isFunctionLike(around)) continue;
    const parameter = around.parameters.find((one) => bringsName(one.name, name));
    if (parameter !== undefined) return parameter.type?.getText() ?? '';
  }
  return '';
}

function bringsName(binding: ts.BindingName, name: string): boolean {
  if (ts.isIdentifier(binding)) return binding.text === name;
  return binding.elements.some((one) => ts.isBindingElement(one) && bringsName(one.name, name));
}

/** Openings that leave a sentence without a subject, or make it a riddle. */
const openers =
  /(?:^|[.:!?] +)(What|Where|Whose|Which|Whether|Whoever|Whatever|Nobody|Somebody|Anybody|That which|Of what|Who )\b/gm;

export interface Figures {
  readonly files: number;
  readonly lines: number;
  readonly medianLines: number;
  readonly longest: string;
  readonly filesAtMost45: number;
  readonly crowded: number;
  readonly cycles: number;
  readonly homonyms: number;
  readonly commentWords: number;
  readonly openers: number;
  readonly optionalParts: number;
  readonly strayLiterals: number;
  readonly kindComparisons: number;
}

export function figuresOf(sources: readonly SourceText[]): Figures {
  const sizes = sources.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
  const sorted = sizes.map(({ lines }) => lines).sort((a, b) => a - b);
  const longest = sizes.reduce((a, b) => (b.lines > a.lines ? b : a));
  const remarks = sources.map((source) => comments(source.text));
  return {
    files: sources.length,
    lines: sorted.reduce((sum, lines) => sum + lines, 0),
    medianLines: sorted[Math.floor(sorted.length / 2)] ?? 0,
    longest: `${longest.path} ${longest.lines}`,
    filesAtMost45: sorted.filter((lines) => lines <= 45).length,
    crowded: crowdedFolders(sources.map(({ path }) => path)).length,
    cycles: valueCycles(sources).length,
    homonyms: homonyms(sources).length,
    commentWords: remarks
      .join(' ')
      .split(/\s+/)
      .filter((word) => /[a-z]/i.test(word)).length,
    openers: sources.reduce((sum, source) => sum + countOpeners(ownComments(source)), 0),
    optionalParts: optionalParts(sources).reduce((sum, entry) => sum + Number(entry.split(' ')[2]), 0),
    strayLiterals: strayLiterals(sources).length,
    kindComparisons: kindComparisons(sources).length,
  };
}

export const countOpeners = (text: string) => [...text.matchAll(openers)].length;

/** The comments of a source, without their marks; lines of one comment are joined. */
export function comments(text: string): string {
  return [...text.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?:^|\s)\/\/(.*)$/gm)]
    .map(([, block, line]) => (block ?? line ?? '').replace(/^\s*\* ?/gm, '').trim())
    .join('\n');
}

/** Like `comments`, without those inside a template: they belong to a program that the source writes. */
export function ownComments(source: SourceText): string {
  let text = source.text;
  walk(parse(source), (node) => {
    if (
      !ts.isNoSubstitutionTemplateLiteral(node) &&
      !ts.isTemplateHead(node) &&
      !ts.isTemplateMiddleOrTemplateTail(node)
    )
      return;
    text = text.slice(0, node.getStart()) + ' '.repeat(node.getWidth()) + text.slice(node.getEnd());
  });
  return comments(text);
}

/** Types named parts, plan or batch with members that may be left out, as `src/dispatch/plans/plan.ts Plan 12`. */
export function optionalParts(sources: readonly SourceText[]): string[] {
  return sources.flatMap((source) =>
    parse(source).statements.flatMap((statement) => {
      if (!ts.isInterfaceDeclaration(statement) || !/(Parts|Plan|Batch)$/.test(statement.name.text)) return [];
      const count = statement.members.filter((it) => it.questionToken !== undefined).length;
      return count === 0 ? [] : [`${source.path} ${statement.name.text} ${count}`];
    }),
  );
}
