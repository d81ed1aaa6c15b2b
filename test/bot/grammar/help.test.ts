import { describe, expect, it } from 'vitest';
import { botCommands, grammar, helpLines, verbRows } from '../../../src/bot/grammar/index.js';

describe('help', () => {
  it('has one line for each verb with its form and synonyms', () => {
    expect(helpLines(grammar)).toHaveLength(verbRows.length);
    expect(helpLines(grammar)).toContain(
      'retry [project] [node or story] [: note] — tries the failed step again, with the note for the executor',
    );
    expect(helpLines(grammar)).toContain('rollback [project] to <node> — takes the work back to before a step');
    expect(helpLines(grammar).join('\n')).toContain(
      "(st, where are we, how is <project>, how's <project>, hows <project>)",
    );
    expect(helpLines(grammar).join('\n')).toContain('stop [project or all]');
  });

  it('makes a command menu within platform limits', () => {
    for (const { command, description } of botCommands(grammar, 'private')) {
      expect(command).toMatch(/^[a-z][a-z0-9_]{0,31}$/);
      expect(description.length).toBeGreaterThan(2);
      expect(description.length).toBeLessThanOrEqual(256);
    }
    expect(botCommands(grammar, 'private')).toHaveLength(verbRows.length);
  });
});
