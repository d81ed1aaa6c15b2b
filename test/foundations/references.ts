// What a source file imports, in every spelling that TypeScript has for it, read with TypeScript's own parser.
import { dirname, join, normalize } from 'node:path/posix';
import ts from 'typescript';

export interface SourceText {
  /** From the project's root, with forward slashes: `src/engine/decide.ts`. */
  readonly path: string;
  readonly text: string;
}

export interface Reference {
  /** The module as written; null when an import names it by an expression. */
  readonly module: string | null;
  readonly line: number;
}

const parsed = new WeakMap<SourceText, ts.SourceFile>();

/** Once for each source: a dozen rules read every file of the tree. */
export function parse(source: SourceText): ts.SourceFile {
  const before = parsed.get(source);
  if (before !== undefined) return before;
  const kind = source.path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const file = ts.createSourceFile(source.path, source.text, ts.ScriptTarget.ESNext, true, kind);
  parsed.set(source, file);
  return file;
}

export function findReferences(file: ts.SourceFile): Reference[] {
  const found: Reference[] = [];
  walk(file, (node) => {
    const named = moduleOf(node);
    if (named !== undefined) found.push({ module: literalOf(named), line: lineOf(file, node) });
  });
  return found;
}

export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

export function lineOf(file: ts.SourceFile, node: ts.Node): number {
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}

/** The file that a relative import means; the sources say `.js` where a `.ts` or `.tsx` stands. */
export function resolveRelative(from: string, module: string, isThere: (path: string) => boolean): string {
  const path = normalize(join(dirname(from), module));
  const asTs = path.replace(/\.js$/, '.ts');
  return isThere(`${asTs}x`) ? `${asTs}x` : asTs;
}

function moduleOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isImportTypeNode(node)) return node.argument;
  if (ts.isExternalModuleReference(node)) return node.expression;
  if (!ts.isCallExpression(node)) return undefined;
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword;
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require';
  return isImport || isRequire ? (node.arguments[0] ?? node) : undefined;
}

function literalOf(node: ts.Node): string | null {
  if (ts.isLiteralTypeNode(node)) return literalOf(node.literal);
  return ts.isStringLiteralLike(node) ? node.text : null;
}
