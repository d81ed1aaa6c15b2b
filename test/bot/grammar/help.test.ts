import { describe, expect, it } from 'vitest';
import { botCommands, helpLines, VERBS } from '../../../src/bot/grammar/index.js';

describe('help', () => {
  it('has one line for each verb, with its form and its other words', () => {
    expect(helpLines()).toHaveLength(VERBS.length);
    expect(helpLines()).toContain(
      'retry [project] [node or story] [: note] — tries the failed step again, with the note for the executor',
    );
    expect(helpLines()).toContain('rollback [project] to <node> — takes the work back to before a step');
    expect(helpLines().join('\n')).toContain('(st, where are we, how is <project>)');
    expect(helpLines().join('\n')).toContain('stop [project or all]');
  });

  it('gives a command menu that a platform takes', () => {
    for (const { command, description } of botCommands()) {
      expect(command).toMatch(/^[a-z][a-z0-9_]{0,31}$/);
      expect(description.length).toBeGreaterThan(2);
      expect(description.length).toBeLessThanOrEqual(256);
    }
    expect(botCommands()).toHaveLength(VERBS.length);
  });
});
