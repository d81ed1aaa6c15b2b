import { execFile } from 'node:child_process';

export interface CommandEnd {
  /** null: it was not started, or did not end by itself. */
  readonly exit: number | null;
  /** Why it was not started, or what it exceeded: `ENOENT`; null: neither. */
  readonly code: string | null;
  readonly isTimedOut: boolean;
  /** Without the last line's end. */
  readonly out: string;
  readonly err: string;
}

interface CommandLimits {
  readonly cwd?: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Between SIGTERM at the time limit and SIGKILL. */
  readonly graceMs: number;
  readonly maxBytes: number;
}

/** Runs a short program without input. A failure is a result, never a rejection. */
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
    // It may exit before its input is closed.
    child.stdin?.on('error', () => undefined).end();
    const limit = setTimeout(() => {
      isTimedOut = true;
      child.kill('SIGTERM');
      force = setTimeout(() => {
        child.kill('SIGKILL');
        // A process that it left behind may hold them open.
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
