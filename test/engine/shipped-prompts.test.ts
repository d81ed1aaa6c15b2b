// The prompts of the shipped workflows as an executor gets them, kept as files so that a change of one is seen whole.
import { describe, expect, it } from 'vitest';
import { renderPrompt, type State } from '../../src/engine/index.js';
import { item, nodesOf, Player } from './builders.js';
import { loadShipped, shippedNames } from './workflow/support.js';

const settings = {
  progress_file: '/shop/.ai/runs/r12/progress.txt',
  edits_file: '/shop/workflow_edits/US-001.json',
  'project.root': '/shop',
  'project.base': 'main',
  'project.check': 'npm run check',
  'project.lint': 'npm run lint',
  'project.tests': 'npm test',
};
const none = { 'project.base': '', 'project.check': '', 'project.lint': '', 'project.tests': '' };

/** A first try of each step, with earlier steps' values filled by their names. */
function promptsOf(name: string, more: Readonly<Record<string, string>> = {}) {
  const workflow = loadShipped(name);
  const player = Player.create(workflow as never, { items: [item('US-001')], task: 'Add order history' });
  const defs = nodesOf(workflow);
  const given = defs
    .flatMap(({ outputs, decisionKey }) => [...(outputs ?? []), ...(decisionKey ? [decisionKey] : [])])
    .map((key) => [key.toLowerCase(), `(${key})`]);
  const loops = defs.filter(({ kind }) => kind === 'loop');
  const nodes = defs.map((def) => ({ ...aNode, id: def.id, label: def.id, template: def.id, title: def.title }));
  const state = (key: string): State => {
    const base = player.stateOf('');
    const context = { ...Object.fromEntries(given), ...base.run.context };
    return { ...base, run: { ...base.run, context }, chain: { ...base.chain, key, nodes } as never };
  };
  return defs.flatMap((def) => {
    if (def.kind !== 'task') return [];
    const key = loops.some((loop) => [...loop.body, ...loop.stepTypes].some(({ id }) => id === def.id)) ? 'US-001' : '';
    return [{ id: def.id, ...renderPrompt(state(key), def.id, { ...settings, ...more }) }];
  });
}

const aNode = { attempt: 1, live: null, last: null, description: null, args: null, state: 'ready', generation: 1 };

/** English text has about four characters to a token. */
const tokens = (text: string) => Math.round(text.length / 4);

describe('the prompts of a shipped workflow', () => {
  it.each(shippedNames)('%s are as they were last read', async (name) => {
    const prompts = promptsOf(name);
    const sizes = prompts.map(({ id, text }) => `${id}: about ${tokens(text)} tokens`);
    const bodies = prompts.map(({ id, text }) => `<!-- ${id} -->\n\n${text}`);
    await expect([...sizes, '', ...bodies].join('\n')).toMatchFileSnapshot(`prompts/${name}.md`);
    expect(prompts.flatMap(({ id, missing }) => missing.map((one) => `${id}: ${one}`))).toEqual([]);
  });

  it.each(shippedNames)('%s say nothing about a blank, also in a project without settings', (name) => {
    for (const { id, text } of promptsOf(name, none)) {
      expect([id, text]).toEqual([
        id,
        expect.not.stringMatching(/``|\{\{|[Ww]here +is|that is empty|\(\)|base [,.]|: \n\n\n/),
      ]);
    }
  });

  it('have a fixed part of under 900 characters', () => {
    for (const { id, text } of promptsOf('quick')) {
      const fixed = text.slice(text.indexOf('## When you end'));
      expect([id, fixed.length]).toEqual([id, expect.toSatisfy((length: number) => length > 400 && length < 900)]);
    }
  });

  it('order no git command that asks a person: Bosun makes branches and commits', () => {
    for (const name of shippedNames) {
      for (const { id, text } of promptsOf(name)) {
        if (id === 'rebase_resolve') continue;
        expect([id, text]).toEqual([
          id,
          expect.not.stringMatching(/git (?:add|commit|switch|checkout|push|pull)\b|gh pr|>> ?["$.]/),
        ]);
      }
    }
  });

  it('use one word for a status, in the role and at the end', () => {
    for (const name of shippedNames) {
      for (const { id, text } of promptsOf(name)) {
        const [, words = ''] = /^status: (.*)$/m.exec(text) ?? [];
        const role = text.slice(0, text.indexOf('## When you end'));
        const said = [...role.matchAll(/^STATUS: (\w+)/gm)].map(([, word]) => word);
        expect([id, said.filter((word) => !words.split(' | ').includes(String(word)))]).toEqual([id, []]);
      }
    }
  });
});
