// The line of a progress card that shows the chain, made to fit: `✓ 4  ▶ impl  · verify  · 1 more`.
import { columnsOf, cut } from '../../render/columns.js';

const step = /^[·○▶?✓✗–■] \S+$/;

export function isBar(line: string): boolean {
  const steps = line.split('  ');
  return steps.length > 1 && steps.every((one) => step.test(one));
}

/** What is done goes first, then what is far off; what is under way stays to the last. */
export function fitBar(line: string, width: number): string {
  if (columnsOf(line) <= width) return line;
  const steps = line.split('  ');
  const firstOpen = steps.findIndex((one) => !one.startsWith('✓'));
  const done = firstOpen < 0 ? steps.length : firstOpen;
  const open = steps.slice(done);
  const head = done > 0 ? [`✓ ${done} done`] : [];
  for (let shown = open.length; shown > 0; shown -= 1) {
    const rest = open.length > shown ? [`· ${open.length - shown} more`] : [];
    const fitted = [...head, ...open.slice(0, shown), ...rest].join('  ');
    if (columnsOf(fitted) <= width) return fitted;
  }
  return cut([...head, ...open].join('  '), width);
}
