// The import table of src, as a function from sources to what breaks it.
import { isBuiltin } from 'node:module';
import ts from 'typescript';
import { findReferences, lineOf, parse, resolveRelative, type SourceText, walk } from './references.js';

export const ruleNames = [
  'folder order',
  'entry through index',
  'home of an SDK',
  'engine imports',
  'engine is pure',
  'leaves src',
  'import by expression',
] as const;

export interface Offence {
  readonly rule: (typeof ruleNames)[number];
  readonly path: string;
  readonly line: number;
  readonly what: string;
}

const contract = ['jobs', 'engine', 'base'];
const ports = ['config', 'store', 'queue', 'agents', 'workspace'];

/** Each top-level folder of src with those that it may import. `main` stands for src/main.ts. */
export const allowedImports: Readonly<Record<string, readonly string[]>> = {
  base: [],
  engine: [],
  jobs: ['engine', 'base'],
  workspace: ['engine', 'base'],
  config: contract,
  store: contract,
  queue: contract,
  agents: contract,
  worker: ['queue', 'agents', 'workspace', 'config', ...contract],
  dispatch: ['worker', ...ports, ...contract],
  bot: ['dispatch', 'store', 'config', ...contract],
  web: ['bot', 'dispatch', 'store', 'config', ...contract],
  cli: ['bot', 'dispatch', 'worker', ...ports, ...contract],
  main: ['cli', 'web'],
};

/** Loaded only when they are needed, so they keep an entry of their own. */
const lazyEntries =
  /^src\/(bot\/channels\/((telegram|slack)\/setup|terminal)\/index|cli\/mcp\/index|jobs\/asks\/index|dispatch\/tracing\/start-tracing)\.ts$/;

const homes: readonly { readonly sdk: RegExp; readonly folders: readonly string[] }[] = [
  { sdk: /^(grammy|@grammyjs\/[^/]+)(\/|$)/, folders: ['src/bot/channels/telegram/'] },
  { sdk: /^@slack\//, folders: ['src/bot/channels/slack/'] },
  { sdk: /^marked(\/|$)/, folders: ['src/bot/render/markdown/'] },
  { sdk: /^better-sqlite3(\/|$)/, folders: ['src/store/'] },
  { sdk: /^(bullmq|ioredis)(\/|$)/, folders: ['src/queue/redis/'] },
  { sdk: /^@modelcontextprotocol\//, folders: ['src/cli/mcp/'] },
  { sdk: /^pino(\/|$)/, folders: ['src/base/logging/'] },
  { sdk: /^(hono|@hono\/[^/]+)(\/|$)/, folders: ['src/web/'] },
];

const parsersOfWorkflows = /^(zod|yaml)(\/|$)/;
const impureGlobals = new Set(['process', 'performance', 'crypto', 'globalThis', 'console']);
const impureCalls = new Set(['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'fetch', 'Date']);

export function findOffences(sources: readonly SourceText[]): Offence[] {
  const paths = new Set(sources.map((it) => it.path));
  return sources.flatMap((source) => {
    const file = parse(source);
    const imports = findReferences(file).flatMap((it) => {
      const offence = judgeImport(source.path, it.module, (path) => paths.has(path));
      return offence === null ? [] : [{ ...offence, path: source.path, line: it.line }];
    });
    return [...imports, ...(folderOf(source.path) === 'engine' ? findImpurities(source.path, file) : [])];
  });
}

type Judgement = Pick<Offence, 'rule' | 'what'> | null;

function judgeImport(from: string, module: string | null, isThere: (path: string) => boolean): Judgement {
  if (module === null) return { rule: 'import by expression', what: 'a module named by an expression' };
  return module.startsWith('.')
    ? judgeRelative(from, resolveRelative(from, module, isThere))
    : judgePackage(from, module);
}

function judgeRelative(from: string, target: string): Judgement {
  if (!target.startsWith('src/')) return { rule: 'leaves src', what: target };
  const [here, there] = [folderOf(from), folderOf(target)];
  if (here === there) return null;
  if (!allowedImports[here]?.includes(there)) return { rule: 'folder order', what: `${here} must not import ${there}` };
  return target === `src/${there}/index.ts` || lazyEntries.test(target)
    ? null
    : { rule: 'entry through index', what: target };
}

function judgePackage(from: string, module: string): Judgement {
  const home = homes.find((it) => it.sdk.test(module));
  if (home !== undefined && !home.folders.some((folder) => from.startsWith(folder))) {
    return { rule: 'home of an SDK', what: `${module} lives in ${home.folders.join(' and ')}` };
  }
  if (folderOf(from) !== 'engine') return null;
  const isParser = parsersOfWorkflows.test(module) && from.startsWith('src/engine/workflow/');
  if (isParser && !isBuiltin(module)) return null;
  return { rule: 'engine imports', what: module };
}

/** `src/bot/telegram/x.ts` is of `bot`; a file directly in src is a folder of its own name. */
function folderOf(path: string): string {
  return path.split('/')[1]?.replace(/\.tsx?$/, '') ?? '';
}

function findImpurities(path: string, file: ts.SourceFile): Offence[] {
  const found: Offence[] = [];
  walk(file, (node) => {
    const what = impurityOf(node);
    if (what !== null) found.push({ rule: 'engine is pure', path, line: lineOf(file, node), what });
  });
  return found;
}

function impurityOf(node: ts.Node): string | null {
  if (ts.isAwaitExpression(node) || node.kind === ts.SyntaxKind.AsyncKeyword) return 'async';
  if (ts.isForOfStatement(node) && node.awaitModifier) return 'async';
  if (ts.isNewExpression(node)) return nameIn(node.expression, new Set(['Date', 'Promise']));
  if (ts.isCallExpression(node)) return nameIn(node.expression, impureCalls);
  if (!ts.isPropertyAccessExpression(node) && !ts.isElementAccessExpression(node)) return null;
  const member = ts.isPropertyAccessExpression(node) ? node.name.text : node.argumentExpression.getText();
  const owner = ts.isIdentifier(node.expression) ? node.expression.text : '';
  if (owner === 'Date' && member.includes('now')) return 'Date.now';
  if (owner === 'Math' && member.includes('random')) return 'Math.random';
  if (owner === 'Promise') return 'Promise';
  return nameIn(node.expression, impureGlobals);
}

function nameIn(node: ts.Expression, names: ReadonlySet<string>): string | null {
  return ts.isIdentifier(node) && names.has(node.text) ? node.text : null;
}
