// Cleans up after tests for modules that several test files share. One process runs many files and loads such a module
// once, so a hook at the top of it would run for the first file alone; test/setup.ts runs these for every file.
type CleanUp = () => Promise<unknown> | undefined;

const afterTest: CleanUp[] = [];
const afterFile: CleanUp[] = [];

/** Call it once, at the top of a module: `cleanUp` then runs after each test of each file in this process. */
export function cleanUpAfterEachTest(cleanUp: CleanUp): void {
  afterTest.push(cleanUp);
}

/** Call it once, at the top of a module: `cleanUp` then runs at the end of each file in this process. */
export function cleanUpAfterEachFile(cleanUp: CleanUp): void {
  afterFile.push(cleanUp);
}

export const runAfterTest = (): Promise<void> => runAll(afterTest);
export const runAfterFile = (): Promise<void> => runAll(afterFile);

async function runAll(all: readonly CleanUp[]): Promise<void> {
  for (const cleanUp of all) await cleanUp();
}
