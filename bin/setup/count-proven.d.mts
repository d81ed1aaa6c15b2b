interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}
export function readProofs(report: Report, root: string): { proven: Set<string>; reasons: Map<string, string> };
export function namedFiles(report: Report): string[];
export function testFilesOf(file: string, allTestFiles: readonly string[], root: string): string[];
