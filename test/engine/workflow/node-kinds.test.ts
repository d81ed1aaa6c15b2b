// Decision record 0034 closed the kinds of node: the compiler itself must name every place that a new kind has to answer.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { kindWords, nodeKinds } from '../../../src/engine/workflow/node-kinds.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const engine = join(root, 'src/engine');
const definition = join(engine, 'workflow/definition.ts');
const table = join(engine, 'workflow/node-kinds.ts');

/** Files that switch over the kind of a node, or keep a table of kinds. */
const answering = readdirSync(engine, { recursive: true, encoding: 'utf8' })
  .map((file) => join(engine, file))
  .filter((file) => file.endsWith('.ts') && /NodeKind\b|nodeKinds|switch \((\w+\.)*kind\)/.test(read(file)));

const options: ts.CompilerOptions = {
  ...ts.convertCompilerOptionsFromJson(
    ts.parseConfigFileTextToJson('', read(join(root, 'tsconfig.json'))).config.compilerOptions,
    root,
  ).options,
  types: [],
};
const parsed = new Map<string, ts.SourceFile>();

function read(file: string): string {
  return readFileSync(file, 'utf8');
}

/** The declarations in which the compiler finds an error when the named files have other texts. */
function placesWithErrors(texts: ReadonlyMap<string, string>, files: readonly string[]): string[] {
  const host = ts.createCompilerHost(options);
  host.getSourceFile = (file, target) => {
    const text = texts.get(file);
    const source = text === undefined ? parsed.get(file) : undefined;
    if (source) return source;
    const made = ts.createSourceFile(file, text ?? read(file), target);
    if (text === undefined) parsed.set(file, made);
    return made;
  };
  const program = ts.createProgram([...files], options, host);
  const errors = files.flatMap((file) => program.getSemanticDiagnostics(program.getSourceFile(file)));
  return [...new Set(errors.map(placeOf))].sort();
}

function placeOf({ file, start = 0 }: ts.Diagnostic): string {
  const statement = file?.statements.find((one) => one.pos <= start && start < one.end);
  const named = statement && ts.isVariableStatement(statement) ? statement.declarationList.declarations[0] : statement;
  const name = named && 'name' in named ? (named.name as ts.Identifier).text : 'no declaration';
  return `${relative(engine, file?.fileName ?? '')} ${name}`;
}

function replaceOnce(text: string, found: string, by: string): string {
  expect(text.split(found), `"${found}" must be once in the source: change this test with it`).toHaveLength(2);
  return text.replace(found, by);
}

const withUnion = replaceOnce(
  read(definition),
  'export type NodeDef =',
  `export interface AddedDef extends NodeCore { readonly kind: 'added' }\nexport type NodeDef = AddedDef |`,
);
const withRow = replaceOnce(
  read(table),
  '\n} as const satisfies',
  `\n  added: { ...none, tag: 'added', tone: 'wait', shape: 'box' },\n} as const satisfies`,
);

describe('a kind of node that is added to the union', () => {
  it('has the compiler name every other place that must answer for it', { timeout: 120_000 }, () => {
    const places = placesWithErrors(
      new Map([
        [definition, withUnion],
        [table, withRow],
      ]),
      answering,
    );
    expect(places).toEqual([
      'flow/advance.ts beginReady',
      'workflow/pictures/describe.ts noteOf',
      'workflow/read/dead-keys.ts deadKeys',
      'workflow/read/defaults.ts ofItsKind',
    ]);
    const record = read(join(root, 'docs/decisions/0034-node-kinds-are-a-closed-union.md'));
    expect(places.map((place) => place.split(' ')[0]).filter((file) => !record.includes(`engine/${file}`))).toEqual([]);
  });

  it('must have a row in the table of facts', () => {
    expect(placesWithErrors(new Map([[definition, withUnion]]), [table])).toContain('workflow/node-kinds.ts nodeKinds');
  });

  it('must answer every fact in its row', () => {
    const withoutShape = replaceOnce(
      read(table),
      `tag: 'gate', tone: 'run', shape: 'diamond'`,
      `tag: 'gate', tone: 'run'`,
    );
    expect(placesWithErrors(new Map([[table, withoutShape]]), [table])).toEqual(['workflow/node-kinds.ts nodeKinds']);
  });

  it('is the only cause of these errors: the table alone has none', () => {
    expect(placesWithErrors(new Map(), [table])).toEqual([]);
  });
});

describe('the table of node kinds', () => {
  const facts = ['asksPerson', 'hasBody', 'judgesFiles', 'runsAgent', 'runsJob', 'shape', 'tag', 'tone'];

  it.each(kindWords)('says every fact of %s', (kind) => {
    expect(Object.keys(nodeKinds[kind]).sort()).toEqual(facts);
  });

  it.each(kindWords)('says at most one way in which %s does its work', (kind) => {
    const { runsJob, asksPerson, judgesFiles, hasBody, runsAgent } = nodeKinds[kind];
    // None: the engine alone decides it, as a kind that passes at once.
    expect([runsJob, asksPerson, judgesFiles, hasBody].filter(Boolean).length).toBeLessThanOrEqual(1);
    // Only a job can be an agent's.
    expect(runsAgent && !runsJob).toBe(false);
  });
});
