// Bosun reads some hundred files at once when it starts: too low a limit of open files ends that with Node's stack trace.
import { readFileSync } from 'node:fs';

const leastFiles = 256;

/** The sentence that says so, or null when the limit is high enough or unknown. */
export function tooFewOpenFiles() {
  const limit = openFilesLimit();
  if (limit === null || limit >= leastFiles) return null;
  return (
    `error: limits: the limit of open files (ulimit -n) is ${limit}; Bosun needs at least ${leastFiles}: ` +
    'run ulimit -n 1024 and try again, or raise the hard limit (LimitNOFILE of a systemd unit)'
  );
}

/** Node has raised it to the hard limit when this runs. */
function openFilesLimit() {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    // Not Linux: the report takes some milliseconds longer. "unlimited" is no number.
    const soft = process.report.getReport().userLimits?.open_files?.soft;
    return typeof soft === 'number' ? soft : null;
  }
}
