// A project's own rules, and workflows of one's own.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { givenBosun, test, until } from './bosun.js';

const strict = 'impl:\n  max_attempts: 1\n  check: "test -e strict-was-here"\n';

test('step rules apply to their own project alone', async () => {
  const plan = { impl: { status: 'failing', summary: 'no' } };
  const bosun = await givenBosun({ projects: { shop: {}, blog: {} }, plan });
  bosun.write('.ai/step-rules.yaml', strict, 'shop');
  for (const project of ['shop', 'blog']) {
    await bosun.run(project, 'US-001 one');
    await bosun.say(`approve ${bosun.asked(project).id}`);
  }
  expect(bosun.calls('impl', 'shop')).toHaveLength(1);
  expect(bosun.calls('impl', 'blog')).toHaveLength(5);
  expect(bosun.asked('shop').text).toContain('US-001 stuck at impl (1 attempt');
  expect(bosun.node('impl', 'shop').max_attempts).toBe(1);
  expect(bosun.node('impl', 'blog').max_attempts).toBe(5);
});

test('a check in the step rules counts as evidence', async () => {
  const bosun = await givenBosun({ plan: { impl: [{}, { files: { 'strict-was-here': '' } }] } });
  bosun.write('.ai/step-rules.yaml', 'impl: { max_attempts: 2, check: "test -e strict-was-here" }\n');
  await bosun.run('shop', 'US-001 one');
  await bosun.reply('review', 'ok');
  expect(bosun.calls('impl')).toHaveLength(2);
  expect(bosun.status().run?.status).toBe('completed');
});

test('a step that edits the step rules fails until they are restored, and the edit never takes effect', async () => {
  const evil = 'review: { kind: check, check: "true" }\nverify: { check: "true" }\n';
  const plan = { bdd: [{ files: { '.ai/step-rules.yaml': evil } }, {}, { files: { '.ai/step-rules.yaml': null } }] };
  const bosun = await givenBosun({ plan });
  await bosun.run('shop', 'US-001 one');
  expect(bosun.calls('bdd')).toHaveLength(3);
  expect(bosun.calls('bdd')[1]?.prompt).toContain('changed while the step was at work: .ai/step-rules.yaml');
  expect(bosun.asked().kind).toBe('review');
});

test('invalid step rules are refused with their place, and the last valid ones stay in force', async () => {
  const bosun = await givenBosun({ plan: { impl: { status: 'failing' } } });
  bosun.write('.ai/step-rules.yaml', strict);
  await bosun.run('shop', 'US-001 one');
  await bosun.say('abort');
  await bosun.pressButton('Abort it');
  bosun.write('.ai/step-rules.yaml', 'impl:\n  max_attemps: 4\n');
  const said = await bosun.run('shop', 'US-002 two');
  expect(said.text).toContain('.ai/step-rules.yaml is invalid, so the previous rules stay in force');
  expect(said.text).toMatch(/:2:3: .*max_attemps.*max_attempts/);
  await bosun.reply('review', 'ok');
  expect(bosun.calls('impl')).toHaveLength(1);
});

test('step rules that were never valid leave the workflow unchanged', async () => {
  const bosun = await givenBosun();
  bosun.write('.ai/step-rules.yaml', 'paint: { max_attempts: 4 }\n');
  const said = await bosun.run('shop', 'US-001 one');
  expect(said.text).toContain('there is no step "paint" in micro-waterfall');
  expect(bosun.node('bdd').max_attempts).toBe(3);
});

const flow = `
workflow: own
version: 1
inputs:
  task: { required: true }
  colour: { default: blue }
chain:
  - { id: draft, kind: task, prompt: "Draft {{task}} in {{colour}}.", outputs: [DRAFT_FILE] }
  - id: judge
    kind: task
    prompt: "Judge {{draft_file}}. Notes: {{notes}}"
    decision_key: DECISION
    outputs: [NOTES]
    on_decision: { approved: { goto: publish }, needs_fixes: { goto: draft }, rejected: { finish: true }, thin: next }
    max_loops: 2
    on_exhausted: ask
  - { id: extra, kind: task, prompt: Never needed. }
  - { id: publish, kind: task, prompt: "Publish {{draft_file}}." }
context: { notes: none, draft_file: "" }
`;

test('a custom workflow starts by its path from chat and follows its decisions', async () => {
  const bosun = await givenBosun({
    plan: {
      draft: { print: 'STATUS: done\nDRAFT_FILE: {{task}}.md' },
      judge: [
        { print: 'DECISION: NEEDS_FIXES\nNOTES: shorter' },
        { print: 'DECISION: perhaps' },
        { print: 'DECISION: Approved' },
      ],
    },
  });
  bosun.write('../flows/own.yaml', flow);
  await bosun.say('start shop with ./flows/own.yaml: a page');
  expect(bosun.asked().text).toContain('Workflow: own');
  await bosun.pressButton('Start');
  expect(bosun.calls().map((call) => call.step)).toEqual(['draft', 'judge', 'draft', 'judge', 'judge', 'publish']);
  expect(bosun.calls('draft')[0]?.prompt).toContain('Draft a page in blue.');
  expect(bosun.calls('judge')[0]?.prompt).toContain('Judge {{task}}.md. Notes: none');
  expect(bosun.calls('judge')[2]?.prompt).toContain(
    'Unknown decision value "perhaps" for DECISION; known are approved, needs_fixes, rejected, thin',
  );
  expect(bosun.node('extra')).toMatchObject({ state: 'skipped', skip_reason: 'routed' });
  expect(bosun.status().run).toMatchObject({ workflow: 'own', status: 'completed' });
});

test('a decision loop is bounded and then asks with the count', async () => {
  const bosun = await givenBosun({ plan: { draft: { print: 'x' }, judge: { print: 'DECISION: needs_fixes' } } });
  bosun.write('../own.yaml', flow);
  await bosun.run('shop', 'a page', { workflow: `${bosun.folder}/own.yaml`, set: { colour: 'red' } });
  expect(bosun.calls('draft')[0]?.prompt).toContain('Draft a page in red.');
  expect(bosun.calls('judge')).toHaveLength(3);
  expect(bosun.asked()).toMatchObject({ kind: 'escalation' });
  expect(bosun.asked().text).toMatch(/judge.*2|2.*judge/);
  await bosun.pressButton('Retry');
  expect(bosun.calls('judge').length).toBeGreaterThan(3);
});

test('a decision can finish the run early and skips the remaining steps', async () => {
  const bosun = await givenBosun({ plan: { judge: { print: 'DECISION: rejected' } } });
  bosun.write('../own.yaml', flow);
  await bosun.run('shop', 'a page', { workflow: './own.yaml' });
  expect(bosun.status().run?.status).toBe('completed');
  expect(bosun.node('publish').state).toBe('skipped');
});

test.each([
  [
    'an unknown key',
    'workflow: own\nversion: 1\nchain:\n  - { id: a, kind: task, prompt: x, max_atempts: 2 }\n',
    /own\.yaml:4:\d+: .*max_atempts.*max_attempts/,
  ],
  [
    'a route that leads nowhere',
    'workflow: own\nversion: 1\nchain:\n  - { id: reveiw, kind: task, prompt: x, on_fail: { default: { goto: review } } }\n',
    /own\.yaml:4:\d+: .*"review".*"reveiw"/,
  ],
  ['no file', null, /No workflow "\.\/own\.yaml"/],
])('a workflow with %s starts nothing and reports the mistake', async (_, text, why) => {
  const bosun = await givenBosun();
  if (text !== null) bosun.write('../own.yaml', text);
  const said = await bosun.say('start shop with ./own.yaml: a page');
  expect(said.exit).toBe(3);
  expect(said.text).toMatch(why);
  expect(bosun.status().run).toBeNull();
  await expect(bosun.run('shop', 'a page', { workflow: './own.yaml' })).rejects.toThrow(why);
});

test('a workflow edited while it runs does not change the run', async () => {
  const bosun = await givenBosun({ plan: { draft: { until: 'go' }, judge: { print: 'DECISION: approved' } } });
  bosun.write('../own.yaml', flow);
  await bosun.run('shop', 'a page', { workflow: './own.yaml', hasty: true });
  await bosun.called('draft');
  bosun.write('../own.yaml', flow.replace('goto: publish', 'goto: extra'));
  bosun.openGate('go');
  await bosun.rest();
  expect(bosun.calls().map((call) => call.step)).toEqual(['draft', 'judge', 'publish']);
});

const limited = `
workflow: limited
version: 1
limits: { dispatches: 2 }
chain:
  - { id: a, kind: task, prompt: A. }
  - { id: b, kind: task, prompt: B. }
  - { id: c, kind: task, prompt: C. }
`;

test('a run at its dispatch limit asks for more, which only an owner may allow', async () => {
  const shop = { members: { ola: 'operator', own: 'owner' } };
  const bosun = await givenBosun({ projects: { shop } });
  bosun.write('../limited.yaml', limited);
  await bosun.run('shop', 'a thing', { workflow: './limited.yaml' });
  expect(bosun.calls().map((call) => call.step)).toEqual(['a', 'b']);
  expect(bosun.asked()).toMatchObject({
    kind: 'budget',
    text: "2 steps ran, which is this run's limit.\nNext: c",
  });
  expect(bosun.status().run).toMatchObject({ status: 'paused', pause_reason: 'budget' });
  expect(await bosun.pressButton('Allow 100 more', { as: 'ola' })).toMatchObject({ exit: 3 });
  await bosun.say('continue');
  expect(bosun.calls()).toHaveLength(2);
  await bosun.pressButton('Allow 100 more', { as: 'own' });
  expect(bosun.calls().map((call) => call.step)).toEqual(['a', 'b', 'c']);
  expect(bosun.status().run?.status).toBe('completed');
});

test('the money budget is raised in chat, and an invalid amount is refused', async () => {
  const bosun = await givenBosun({ projects: { shop: { workflow: 'quick', budget: { run_usd: 1 } } } });
  await bosun.run('shop', 'a thing');
  expect((await bosun.say('budget shop +5')).text).toBe('shop: the budget of this task is $6.00 now.');
  expect((await bosun.say('budget shop lots')).exit).not.toBe(0);
});

test('an invalid config.yaml is refused at runtime, and the old one stays until it is fixed', async () => {
  const bosun = await givenBosun({ projects: { shop: { workflow: 'stories' } } });
  const file = join(bosun.folder, 'home', 'config.yaml');
  const good = readFileSync(file, 'utf8');
  writeFileSync(file, '{ projects: { shop: { rot: 1 } } }');
  await until('it is refused', () =>
    bosun.logged.some((line) => line.includes('is invalid, so the previous version stays')),
  );
  await bosun.run('shop', 'US-001 one');
  expect(bosun.asked().kind).toBe('review');
  writeFileSync(file, good.replace('"aliases":[]', '"aliases":["Z"]'));
  await until('it is taken', () => bosun.status().aliases.length > 0);
  expect((await bosun.say('status Z')).text).toContain('shop: waiting for you');
});
