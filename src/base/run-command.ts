import { execFile } from 'node:child_process';

export interface CommandEnd {
  /** Null: not started, or killed. */
  readonly exit: number | null;
  /** `ENOENT`, or the exceeded limit. */
  readonly code: string | null;
  readonly isTimedOut: boolean;
  readonly out: string;
  readonly err: string;
}

interface CommandLimits {
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
  readonly maxBytes: number;
}

/** A failure is a result, never a rejection. */
export function runCommand(
  program: string,
  args: readonly string[],
  { cwd, env, timeoutMs, graceMs, maxBytes }: CommandLimits,
): Promise<CommandEnd> {
  return new Promise<CommandEnd>((resolve) => {
    let isTimedOut = false;
    let force: NodeJS.Timeout | undefined;
    const options = { env: { ...env }, maxBuffer: maxBytes, ...(cwd !== undefined && { cwd }) };
    const child = execFile(program, args, options, (error, out, err) => {
      clearTimeout(limit);
      clearTimeout(force);
      const code: unknown = error === null ? 0 : error.code;
      const ended = { isTimedOut, out: withoutLineEnd(out), err: withoutLineEnd(err) };
      resolve({ ...ended, exit: typeof code === 'number' ? code : null, code: typeof code === 'string' ? code : null });
    });
    child.stdin?.on('error', () => undefined).end();
    const limit = setTimeout(() => {
      isTimedOut = true;
      child.kill('SIGTERM');
      force = setTimeout(() => {
        child.kill('SIGKILL');
        // An orphan may hold the pipes open.
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, graceMs);
    }, timeoutMs);
  }).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return { exit: null, code, isTimedOut: false, out: '', err: String(error) };
  });
}

function withoutLineEnd(text: string): string {
  return text.replace(/\r?\n$/, '');
}
