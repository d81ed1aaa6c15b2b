import { columnsOf, cut } from './columns.js';

/** The width of most phones. */
const phoneColumns = 40;
/** A title may have several words. */
const step = /^[·○▶?✓✗–■] \S+(?: \S+){0,9}$/;

export function fitBars(text: string): string {
  return text
    .split('\n')
    .map((line) => (isBar(line) ? fitBar(line) : line))
    .join('\n');
}

function isBar(line: string): boolean {
  const steps = line.split('  ');
  return steps.length > 1 && steps.every((one) => step.test(one));
}

/** Drops finished steps first, then distant ones. */
function fitBar(line: string): string {
  const steps = line.split('  ');
  const open = steps.findIndex((one) => !one.startsWith('✓'));
  const now = open < 0 ? steps.length : open;
  for (let done = 0; done <= now; done += 1) {
    const fitted = [...folded(steps.slice(0, done)), ...steps.slice(done)].join('  ');
    if (columnsOf(fitted) <= phoneColumns) return fitted;
  }
  const head = folded(steps.slice(0, now));
  for (let end = steps.length - 1; end > now; end -= 1) {
    const fitted = [...head, ...steps.slice(now, end), `· ${countOf(steps.slice(end))} more`].join('  ');
    if (columnsOf(fitted) <= phoneColumns) return fitted;
  }
  return cut([...head, ...steps.slice(now, now + 1)].join('  '), phoneColumns);
}

function folded(steps: readonly string[]): readonly string[] {
  return steps.length === 0 ? [] : [`✓ ${countOf(steps)} done`];
}

function countOf(steps: readonly string[]): number {
  return steps.reduce((sum, one) => sum + Number(/^[✓·] (\d+) (?:steps|more)$/.exec(one)?.[1] ?? 1), 0);
}
