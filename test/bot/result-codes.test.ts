// Result codes (E006, W003) are for scripts and the terminal, not for people on a phone.

import { describe, expect, it } from 'vitest';
import { renderView as onSlack } from '../../src/bot/channels/slack/render/index.js';
import { renderView as onTelegram } from '../../src/bot/channels/telegram/render/index.js';
import { withoutCodes } from '../../src/bot/index.js';
import { view } from '../../src/bot/views/view.js';

const cases = [
  ['shop has nothing to do (E006). Give it a task.', 'shop has nothing to do. Give it a task.'],
  ['shop has no run now (E006): r1 is completed.', 'shop has no run now: r1 is completed.'],
  ['Stuck · Order history\nE002: no phase is left. Say where it stands.', 'Stuck · Order history\nno phase is left.'],
  ['W001: judge adds mend → verify. The chain grows.', 'judge adds mend → verify. The chain grows.'],
  // Linters have codes of their own.
  ['check: line 3 is too long (E501)', 'check: line 3 is too long (E501)'],
] as const;

describe('result codes', () => {
  it.each(cases)('"%s" loses its code on Telegram, Slack and the page', (said, shown) => {
    const sent = view('answer', said);
    expect(sent.text).toBe(said);
    expect(withoutCodes(said)).toContain(shown);
    for (const parts of [onTelegram(sent, ({ press }) => press), onSlack(sent, ({ press }) => press)]) {
      expect(JSON.stringify(parts)).toContain(shown.split('\n').at(-1));
      expect(JSON.stringify(parts)).not.toMatch(/[EW]00\d/);
    }
  });
});
