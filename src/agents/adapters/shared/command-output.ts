// For the log. A long output loses its beginning, because the end tells most.
import type { AgentEvent } from '../port.js';

const maxChars = 8_000;

/** `exit` null: unknown. */
export function commandOutput(text: string, exit: number | null): readonly AgentEvent[] {
  const lines = [endOf(text), exit === null || exit === 0 ? '' : `exit ${exit}`].filter((line) => line !== '');
  return lines.length === 0 ? [] : [{ type: 'printed', text: lines.join('\n') }];
}

export function endOf(text: string): string {
  const whole = text.trimEnd();
  const left = whole.length - maxChars;
  return left > 0 ? `… (${left} characters before)\n${whole.slice(left)}` : whole;
}
