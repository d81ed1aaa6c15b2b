// The texts of short answers and refusals, read from the source: each template that is handed to `view` or `sayError`,
// with `{…}` where a value stands.
import ts from 'typescript';
import { parse, type SourceText, walk } from '../../foundations/references.js';

const senders = new Set(['view', 'sayError']);
const textArgument = 1;

/** Each text once, in the order of the source. A condition gives one text for each of its outcomes. */
export function shortTexts(source: SourceText): readonly string[] {
  const file = parse(source);
  const found = new Set<string>();
  walk(file, (node) => {
    if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression) || !senders.has(node.expression.text)) return;
    const text = node.arguments[textArgument];
    if (text === undefined) return;
    for (const one of textsOf(text, 0)) if (/\p{L}{2}/u.test(one.replaceAll(/\{[^}]*\}/g, ''))) found.add(one.trim());
  });
  return [...found];
}

/** Upper bound on constants followed and on variants, so that a text of many conditions stays readable. */
const maxDepth = 6;
const maxVariants = 8;

function textsOf(node: ts.Expression, depth: number): readonly string[] {
  if (depth > maxDepth) return [gapOf(node)];
  const below = (one: ts.Expression) => textsOf(one, depth + 1);
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isParenthesizedExpression(node)) return below(node.expression);
  if (ts.isConditionalExpression(node)) return [...below(node.whenTrue), ...below(node.whenFalse)];
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map((span) => [variantsIn(span.expression, depth), span.literal.text] as const);
    return parts.reduce<readonly string[]>(
      (texts, [values, literal]) =>
        texts.flatMap((text) => values.map((value) => `${text}${value}${literal}`)).slice(0, maxVariants),
      [node.head.text],
    );
  }
  if (ts.isCallExpression(node)) {
    if (node.expression.getText() === 'lines') return [joined(node.arguments.flatMap((one) => below(one).slice(0, 1)))];
    const called = ts.isPropertyAccessExpression(node.expression) ? node.expression : null;
    if (called?.name.text === 'join') return below(called.expression);
    return [gapOf(node)];
  }
  if (ts.isArrayLiteralExpression(node)) return [joined(node.elements.flatMap((one) => below(one).slice(0, 1)))];
  if (ts.isBinaryExpression(node)) return below(node.right);
  if (ts.isIdentifier(node)) {
    const initializer = constantOf(node);
    return initializer === null ? [gapOf(node)] : below(initializer);
  }
  return [gapOf(node)];
}

/** Inside a template a plain value is a gap; a condition between two texts gives both. */
function variantsIn(node: ts.Expression, depth: number): readonly string[] {
  return ts.isConditionalExpression(node) || ts.isStringLiteralLike(node) ? textsOf(node, depth + 1) : [gapOf(node)];
}

/** The initializer of a constant in the nearest scope that declares it. */
function constantOf(name: ts.Identifier): ts.Expression | null {
  for (let scope: ts.Node | undefined = name.parent; scope !== undefined; scope = scope.parent) {
    if (!ts.isBlock(scope) && !ts.isSourceFile(scope)) continue;
    const declared = scope.statements
      .flatMap((one) => (ts.isVariableStatement(one) ? one.declarationList.declarations : []))
      .find((one) => one.name.getText() === name.text);
    if (declared?.initializer !== undefined) return declared.initializer;
  }
  return null;
}

function joined(texts: readonly string[]): string {
  return texts.join('\n');
}

/** `{name}` for a value: the last name in its expression says best what it is. */
function gapOf(node: ts.Expression): string {
  if (ts.isSpreadElement(node)) return gapOf(node.expression);
  if (ts.isCallExpression(node)) {
    return ts.isIdentifier(node.expression) ? `{${node.expression.text}}` : gapOf(node.expression);
  }
  if (ts.isPropertyAccessExpression(node)) {
    return /^(join|slice|map|toFixed|toLocaleString|name|length|text)$/.test(node.name.text)
      ? `{${/(\w+)\W*$/.exec(node.expression.getText())?.[1] ?? '…'}}`
      : `{${node.name.text}}`;
  }
  return `{${/(\w+)\W*$/.exec(node.getText())?.[1] ?? '…'}}`;
}
