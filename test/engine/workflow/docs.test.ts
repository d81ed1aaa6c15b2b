import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toMermaid } from '../../../src/engine/workflow/index.js';
import { itemNames, projectNames, reasons, vocabulary } from '../../../src/engine/workflow/vocabulary/vocabulary.js';
import { load, loadShipped, problemsOf, warningsOf } from './support.js';

const docs = readFileSync(join(import.meta.dirname, '../../../docs/workflows.md'), 'utf8');

describe('docs/workflows.md', () => {
  it.each(Object.entries(vocabulary))('names every key of a %s', (_shape, keys) => {
    for (const key of keys) expect(docs).toMatch(new RegExp(`[\`{ ]${key}\\b`));
  });

  it('names every reason and every item.* and project.* template variable', () => {
    const names = [
      ...reasons,
      ...itemNames.map((one) => `item.${one}`),
      ...projectNames.map((one) => `project.${one}`),
    ];
    for (const name of names) expect(docs).toContain(`\`${name}\``);
  });

  it.each(['micro-waterfall', 'quick'])('shows the current graph of %s', (name) => {
    expect(docs).toContain(`\`\`\`mermaid\n${toMermaid(loadShipped(name))}\`\`\``);
  });

  it('contains an example that loads', () => {
    const example = /```yaml\n(workflow: fix\n[\s\S]*?)```/.exec(docs)?.[1] ?? '';
    const result = load(example);
    expect([...problemsOf(result), ...warningsOf(result)]).toEqual([]);
    expect(result.ok).toBe(true);
  });

  const pieces = [...docs.matchAll(/```yaml\n( {2}- [\s\S]*?)```/g)].map((match) => String(match[1]));

  it('contains at least five snippets to copy', () => {
    expect(pieces.length).toBeGreaterThanOrEqual(5);
  });

  it.each(pieces)('contains a snippet that loads: %s', (piece) => {
    const work = piece.includes('goto: work') ? '  - { id: work, prompt: "{{review_issues}}" }\n' : '';
    const head = `workflow: mine\nchain:\n${work}`;
    const result = load(`${head}${piece}`, { 'prompts/mine/impl.md': 'Do it.' });
    expect([...problemsOf(result), ...warningsOf(result)]).toEqual([]);
  });
});
