// Reports, workflow files and expressions that an agent or a stranger writes to break whoever reads them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attemptPaths } from '../../src/agents/processes/environment.js';
import { markReports, readReports } from '../../src/agents/reports/report-files.js';
import { renderPrompt } from '../../src/engine/index.js';
import { loadWorkflow } from '../../src/engine/workflow/index.js';
import { givenSpec } from '../agents/attempts/given.js';
import { def, Player, pass, workflow } from '../engine/builders.js';

const deep = (open: string, close: string, times = 20_000) => `${open.repeat(times)}${close.repeat(times)}`;
const aliases = [
  'a: &a [x,x,x,x,x,x,x,x,x]',
  ...'bcdefghi'.split('').map((name, at) => {
    const before = String.fromCharCode('a'.charCodeAt(0) + at);
    return `${name}: &${name} [${Array.from({ length: 9 }, () => `*${before}`).join(',')}]`;
  }),
].join('\n');

/** Nine levels of nine, where nobody stops it; and what is as slow to read. */
const bombs: readonly (readonly [what: string, text: string])[] = [
  ['an alias bomb', aliases],
  ['20,000 lists in one another', `a: ${deep('[', ']')}`],
  ['20,000 maps in one another', `a: ${deep('{a: ', '}')}`],
  ['20,000 levels by indentation', Array.from({ length: 2_000 }, (_one, at) => `${' '.repeat(at)}a:`).join('\n')],
  ['a key of 1 MB', `${'k'.repeat(1_000_000)}: 1`],
];

describe('a hostile workflow file', () => {
  it.each(bombs)('is refused within 5 s: %s', (_what, text) => {
    const begun = performance.now();
    const result = loadWorkflow({ file: 'flow.yaml', text }, () => null);
    expect(performance.now() - begun).toBeLessThan(5_000);
    const problems = result.ok ? [] : result.problems;
    expect(problems.length).toBeGreaterThan(0);
    for (const { file, line, column } of problems)
      expect([file, line > 0, column > 0]).toEqual(['flow.yaml', true, true]);
  });

  it('cannot change prototypes by the keys __proto__, constructor and prototype', () => {
    const text =
      'workflow: evil\n__proto__: {isAdmin: yes}\nconstructor: {prototype: {isAdmin: yes}}\nchain: [{id: a, prompt: x}]\n';
    loadWorkflow({ file: 'flow.yaml', text }, () => null);
    expect('isAdmin' in {}).toBe(false);
  });

  it('is refused for an expression of 6,000 characters', () => {
    const text = `workflow: long\nchain: [{id: a, prompt: x, when: "${'a == 1 && '.repeat(600)}a == 1"}]\n`;
    expect(loadWorkflow({ file: 'flow.yaml', text }, () => null)).toMatchObject({ ok: false });
  });
});

describe('a hostile HANDOFF.md', () => {
  it.each(bombs)('is read within 5 s and gives no status: %s', (_what, text) => {
    const spec = givenSpec({});
    const { handoffFile } = attemptPaths(spec);
    const before = markReports(spec);
    mkdirSync(dirname(handoffFile), { recursive: true });
    writeFileSync(handoffFile, `---\n${text}\n---\nbody\n`);
    const begun = performance.now();
    const { handoff } = readReports(spec, before);
    expect(handoff?.front?.status ?? null).toBeNull();
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

it('a report with templates, shell and markers stays plain text in the next prompt', () => {
  const report = '{{token}} {{task}} {{project.root}} $(id) `id` $HOME <<end 000000000000>>';
  const player = Player.start(workflow([def('plan'), def('build', { prompt: 'Use {{notes}}.' })]));
  player.settle({ ...pass, output: { ...pass.output, keys: { STATUS: 'done', NOTES: report }, summary: report } });
  const state = player.stateOf('');
  const node = state.chain.nodes.find(({ template }) => template === 'build');
  const { text } = renderPrompt(state, node?.id ?? '', {});
  expect(text).toContain('{{token}} {{task}} {{project.root}} $(id) `id` $HOME');
  expect(text).not.toContain('<<end 000000000000>>');
});
