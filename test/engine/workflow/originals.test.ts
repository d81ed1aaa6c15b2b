// Workflow files as users of antfarm and compound-engineering-loop have them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { load, loaded, nodeOf, warningsOf } from './support.js';

const original = (name: string) => readFileSync(join(import.meta.dirname, 'originals', name), 'utf8');

const agentFiles = {
  'agents/planner/AGENTS.md': 'Plan in small stories.\n',
  'agents/planner/SOUL.md': 'You are calm.\n',
  'agents/planner/IDENTITY.md': 'You are the planner.\n',
  'agents/developer/AGENTS.md': 'Write the test first.\n',
  '../../agents/shared/verifier/AGENTS.md': 'Believe nothing.\n',
};

describe('an antfarm workflow', () => {
  const antfarm = loaded(load(original('antfarm.yml'), agentFiles));

  it('becomes a chain with a loop that starts each story by itself and keeps a progress log', () => {
    expect(antfarm.chain.map(({ id, body }) => [id, body.map((node) => node.id)])).toEqual([
      ['plan', []],
      ['stories', ['implement', 'verify']],
      ['test', []],
      ['pr', []],
      ['review', []],
    ]);
    expect(antfarm.policy.afterStory).toBe('start');
    expect(antfarm.exports).toEqual(['state', 'progress']);
  });

  it("prepends an agent's AGENTS.md, SOUL.md and IDENTITY.md to its prompts", () => {
    expect(antfarm.roles['planner']).toEqual({
      id: 'planner',
      prompt: null,
      executor: null,
      access: 'exec',
      preface: 'Plan in small stories.\n\nYou are calm.\n\nYou are the planner.',
    });
    expect(nodeOf(antfarm, 'plan').prompt).toContain('Cut this task into stories');
  });

  it('gives write access only to agents with the role coding', () => {
    expect(Object.values(antfarm.roles).map(({ id, access }) => [id, access])).toEqual([
      ['planner', 'exec'],
      ['developer', 'write'],
      ['verifier', 'exec'],
    ]);
  });

  it('routes a retry_step of a later step back to the loop', () => {
    expect(nodeOf(antfarm, 'test').onFail['default']).toMatchObject({ type: 'goto', target: 'stories' });
    expect(nodeOf(antfarm, 'test').maxLoops).toBe(2);
    expect(nodeOf(antfarm, 'verify').onFail['default']).toMatchObject({ type: 'goto', target: 'implement' });
  });

  it('draws one warning for each key without effect and for missing agent files', () => {
    expect(warningsOf(load(original('antfarm.yml'), agentFiles))).toEqual([
      'flow.yaml:9:3: "model" has no effect: set the model of an executor in config.yaml',
      'flow.yaml:10:3: "timeoutSeconds" has no effect: it limits antfarm\'s polling; set "timeoutSeconds" of an agent (without it, a step may take 30 minutes)',
      'flow.yaml:18:7: "baseDir" has no effect: agents work in the project',
      'flow.yaml:37:7: "skills" has no effect: install skills for the executor itself',
    ]);
    expect(warningsOf(load(original('antfarm.yml')))).toContainEqual(
      expect.stringContaining('the role "developer" works without agents/developer/AGENTS.md'),
    );
  });

  it('gives its steps 30 minutes, where its polling has two', () => {
    expect([nodeOf(antfarm, 'plan').timeoutMs, nodeOf(antfarm, 'implement').timeoutMs]).toEqual([1_800_000, 1_800_000]);
  });

  it('is refused when a key belongs to no antfarm version', () => {
    const result = load(original('antfarm.yml').replace('    role: coding', '    rol: coding'), agentFiles);
    expect(result).toMatchObject({
      ok: false,
      problems: [{ message: expect.stringContaining('did you mean "role"') }],
    });
  });
});

describe('a compound-engineering-loop workflow', () => {
  const text = original('compound-loop.yml');

  it('turns a context value that names itself into an optional input, with a warning', () => {
    const workflow = loaded(load(text));
    expect(workflow.inputs).toEqual({
      repo: { required: false, default: null },
      branch: { required: false, default: null },
    });
    expect(workflow.context).toEqual({ review_issues: '', plan_file: '' });
    expect(warningsOf(load(text)).filter((one) => one.includes('names itself'))).toEqual([
      'flow.yaml:15:3: the default of "task" names itself; Bosun always sets it, so this line has no effect',
      'flow.yaml:16:3: the default of "repo" names itself; Bosun reads it as an optional input: write "inputs: {repo: {}}"',
      'flow.yaml:17:3: the default of "branch" names itself; Bosun reads it as an optional input: write "inputs: {branch: {}}"',
    ]);
  });

  it('prefers an input declared in the file', () => {
    const workflow = loaded(load(`inputs: {repo: {required: true}}\n${text}`));
    expect(workflow.inputs['repo']).toEqual({ required: true, default: null });
  });

  it('keeps its poll interval and its timeouts', () => {
    const workflow = loaded(load(text));
    expect(workflow.policy.pollMs).toBe(60_000);
    expect(nodeOf(workflow, 'plan').timeoutMs).toBe(900_000);
  });
});
