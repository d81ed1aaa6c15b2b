interface Progress {
  readonly say: (line: string) => void;
  readonly doing: string;
  readonly everyMs?: number;
}

export function runStep(step: {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly lock: { addChild(pid: number): void } | null;
  readonly what: string;
  readonly hint: string;
  readonly progress?: Progress | null;
}): Promise<string>;
