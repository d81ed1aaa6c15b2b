// What members of a team tell and are told, as one attempt: more time is for all, and what concerns all is said once.
import type { JobControl } from '../../jobs/index.js';

export interface TeamControl {
  /** What was added to the time limit so far. */
  extendedMs(): number;
  forMember(role: string): JobControl;
}

export function teamControl(control: JobControl): TeamControl {
  const listeners: ((byMs: number) => void)[] = [];
  const said = new Set<string>();
  let extendedMs = 0;
  control.onExtend((byMs) => {
    if (!(byMs > 0)) return;
    extendedMs += byMs;
    said.delete('expiring');
    for (const listen of listeners) listen(byMs);
  });
  return {
    extendedMs: () => extendedMs,
    forMember: (role) => ({
      signal: control.signal,
      onExtend: (listen) => listeners.push(listen),
      onWait: (listen) => control.onWait?.(listen),
      report: (progress) => {
        if (progress.type === 'output') {
          control.report({ ...progress, line: `[${role}] ${progress.line}` });
        } else if (progress.type === 'action' || progress.type === 'text') {
          control.report({ ...progress, text: `[${role}] ${progress.text}` });
        } else if (!said.has(progress.type)) {
          said.add(progress.type);
          control.report(progress);
        }
      },
    }),
  };
}
