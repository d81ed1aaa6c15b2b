interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[];
  }[];
}
export function readProofs(report: Report, root: string): { proven: Set<string>; reasons: Map<string, string> };
export function namedFiles(report: Report): string[];
export function testFilesOf(file: string, allTestFiles: readonly string[], root: string): string[];

interface DesignCount {
  readonly design: string;
  readonly name: string;
  readonly items: number;
  readonly proven: number;
  readonly decided: number;
  readonly missing: readonly { readonly item: string; readonly why: string }[];
}

export function readDecided(folder: string): Set<string>;
export function countDesigns(
  designs: Readonly<
    Record<string, { readonly name: string; readonly count: number; readonly added: readonly string[] }>
  >,
  proofs: ReturnType<typeof readProofs>,
  decided: ReadonlySet<string>,
): readonly DesignCount[];
export function itemOf(design: string, number: number): string;
