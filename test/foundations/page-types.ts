// Compiles files of src with the changes of docs/extending.md applied in memory.
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../..', import.meta.url));

const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, root);

/** Changed texts by their path below the root. */
export type Changed = ReadonlyMap<string, string>;

/** Returns the files with errors, sorted. Compiling again with the program of before reads only what changed. */
export function compileWith(files: readonly string[], changed: Changed, before?: ts.Program) {
  // The engine imports nothing of Node, and to load its types takes longer than the rest.
  const isPure = files.every((path) => path.startsWith('src/engine/'));
  const set = isPure ? { ...options, types: [] } : options;
  const host = ts.createCompilerHost(set);
  const { readFile, fileExists, getSourceFile } = host;
  host.readFile = (name) => changed.get(relative(root, name)) ?? readFile(name);
  host.fileExists = (name) => changed.has(relative(root, name)) || fileExists(name);
  // The folder of a new file is not there.
  host.directoryExists = () => true;
  host.getSourceFile = (name, target) => {
    const text = changed.get(relative(root, name));
    if (text !== undefined) return ts.createSourceFile(name, text, target);
    return before?.getSourceFile(name) ?? getSourceFile(name, target);
  };
  const paths = files.map((path) => join(root, path));
  const program = ts.createProgram(paths, set, host, before);
  const broken = files.filter((_path, at) => {
    const file = program.getSourceFile(paths[at] ?? '');
    return file === undefined || program.getSemanticDiagnostics(file).length > 0;
  });
  return { program, broken: broken.sort() };
}
