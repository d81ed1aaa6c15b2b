import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRules, rulesDiff } from '../../src/config/index.js';
import {
  checkWorkflow,
  findWorkflow,
  listWorkflows,
  shippedFolder,
  takeSnapshot,
  type Where,
} from '../../src/config/workflow-files.js';
import { acceptProjectRules } from '../accept-rules.js';
import { failureOf } from '../config/given.js';
import { tempFolder } from './given.js';

const mine = (name: string, more = '') =>
  `workflow: ${name}\nversion: 1\nchain:\n  - { id: build, prompt: "Build it."${more} }\n`;

function given(files: Readonly<Record<string, string>> = {}): Where & { readonly root: string; readonly home: string } {
  const folder = tempFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const root = join(folder, 'shop');
  mkdirSync(root, { recursive: true });
  const where = { root, cwd: folder, home: join(folder, 'home'), opens: 'any' } as const;
  accept(where);
  return where;
}

const accept = ({ home, root }: Pick<Where, 'home' | 'root'>) => acceptProjectRules(String(home), String(root));
const names = (where: Pick<Where, 'home' | 'root'>) => listWorkflows(where).map(({ name }) => name);

describe('a workflow', () => {
  it('is found by name if it is shipped', () => {
    const where = given();
    expect(findWorkflow('quick', where)).toBe(join(shippedFolder, 'quick.yaml'));
    expect(names({ root: null, home: null })).toEqual(expect.arrayContaining(['quick', 'micro-waterfall']));
    expect(takeSnapshot('quick', where).workflow.chain.map(({ id }) => id)).toEqual(['implement', 'check', 'review']);
  });

  it('is found by name in the project’s own folder before the shipped ones', () => {
    const where = given({
      'shop/.ai/workflows/quick.yml': mine('quick'),
      'shop/.ai/workflows/nightly.yaml': mine('nightly'),
      'shop/.ai/workflows/notes.txt': 'no',
    });
    expect(names(where).slice(0, 2)).toEqual(['nightly', 'quick']);
    expect(names(where).filter((name) => name === 'quick')).toHaveLength(1);
    expect(takeSnapshot('quick', where).workflow.chain.map(({ id }) => id)).toEqual(['build']);
    expect(takeSnapshot('quick', given()).workflow.chain).toHaveLength(3);
  });

  it('is found by path, relative to the caller’s folder or absolute', () => {
    const where = given({ 'flows/mine.yaml': mine('mine') });
    expect(takeSnapshot('flows/mine.yaml', where).workflow.name).toBe('mine');
    expect(takeSnapshot(join(where.cwd, 'flows/mine.yaml'), { ...where, cwd: '/' }).workflow.name).toBe('mine');
    expect(failureOf(() => takeSnapshot('flows/mine.yaml', { ...where, cwd: '/' }))).toMatchObject({
      code: 'not_found',
    });
  });

  it('is found only by a listed name if paths are not allowed, whether or not the file exists', () => {
    const where = { ...given({ 'flows/mine.yaml': mine('mine') }), opens: 'listed' } as const;
    const refusal = (name: string) => failureOf(() => takeSnapshot(name, where));
    for (const path of ['flows/mine.yaml', join(where.cwd, 'flows/mine.yaml'), 'flows/none.yaml', '/etc/passwd']) {
      expect(refusal(path)).toMatchObject({ code: 'not_allowed', message: `No workflow "${path}"` });
      expect(refusal(path).hint).toMatch(/quick.*Only the owner of this Bosun may give a file/);
    }
    expect(refusal('mine')).toMatchObject({ code: 'not_found' });
    expect(takeSnapshot('quick', where).workflow.name).toBe('quick');
  });

  it('that is not found is reported with the names that exist', () => {
    const where = given({ 'shop/.ai/workflows/nightly.yaml': mine('nightly') });
    const failure = failureOf(() => findWorkflow('nightyl', where));
    expect(failure).toMatchObject({ code: 'not_found', message: 'No workflow "nightyl"' });
    expect(failure.hint).toMatch(/nightly.*quick/);
  });
});

describe('a workflow file', () => {
  it('that is broken is rejected with the position of every error', () => {
    const where = given({
      'mine.yaml':
        'workflow: mine\nversion: 1\nchain:\n  - { id: a, on_pass: { goto: reveiw } }\n  - { id: review, kind: humn }\n',
    });
    const failure = failureOf(() => takeSnapshot('mine.yaml', where));
    expect(failure.code).toBe('bad_workflow');
    expect(failure.message).toMatch(/mine\.yaml:4:\d+: .*reveiw/);
    expect(failure.message).toMatch(/mine\.yaml:5:\d+: "kind" .*did you mean "human"/);
    expect(failure.hint).toContain(join(where.cwd, 'mine.yaml'));
    expect(checkWorkflow('mine.yaml', where)).toMatchObject({ ok: false });
  });

  it('is rejected above 256 KiB', () => {
    const padding = (bytes: number) => `${mine('mine')}# ${'x'.repeat(bytes)}\n`;
    const where = given({ 'fits.yaml': padding(200_000), 'huge.yaml': padding(300_000) });
    expect(checkWorkflow('fits.yaml', where)).toMatchObject({ ok: true });
    expect(failureOf(() => takeSnapshot('huge.yaml', where)).message).toContain(
      'huge.yaml:1:1: the file is larger than 262144 bytes',
    );
  });

  it('that is a folder or a dangling link is rejected without breaking the others', () => {
    const where = given({ 'shop/.ai/workflows/good.yaml': mine('good') });
    mkdirSync(join(where.root, '.ai/workflows/folder.yaml'));
    symlinkSync('nowhere', join(where.root, '.ai/workflows/dangling.yaml'));
    accept(where);
    expect(failureOf(() => takeSnapshot('folder', where))).toMatchObject({ code: 'not_found' });
    expect(failureOf(() => takeSnapshot('dangling', where))).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('not in force'),
    });
    expect(takeSnapshot('good', where).notes.join()).toContain('.ai/workflows/dangling.yaml (it is a link');
    expect(takeSnapshot('good', where).workflow.name).toBe('good');
    const odd = given({ 'shop/.ai/workflows': 'a file in place of the folder' });
    expect(takeSnapshot('quick', odd).workflow.name).toBe('quick');
  });

  it('may not read a prompt from Bosun’s home', () => {
    const text = 'workflow: own\nroles: {dev: {prompt: home/notes.md}}\nchain: [{id: a, prompt: x, role: dev}]\n';
    const where = given({ 'own.yaml': text, 'home/notes.md': 'what Bosun keeps', 'worktrees/notes.md': 'x' });
    expect(() => takeSnapshot('own.yaml', where)).toThrow(
      'the prompt file "home/notes.md" of the role "dev" does not exist',
    );
  });

  it('imported from antfarm prepends its shared agents’ files to the prompts of their steps', () => {
    const agent = '{id: dev, workspace: {files: {AGENTS.md: ../../agents/shared/dev/AGENTS.md}}}';
    const text = `id: ship\nagents: [${agent}]\nsteps: [{id: a, agent: dev, input: x}]\n`;
    const files = { 'farm/workflows/ship/workflow.yml': text, 'farm/agents/shared/dev/AGENTS.md': 'Test first.' };
    const prefaceOf = (where: Where) =>
      takeSnapshot('farm/workflows/ship/workflow.yml', where).workflow.roles['dev']?.preface;
    expect(prefaceOf(given(files))).toBe('Test first.');
    const outside = text.replace('../../agents/shared/dev/', '../../../');
    expect(prefaceOf(given({ 'farm/workflows/ship/workflow.yml': outside, 'AGENTS.md': 's' }))).toBeUndefined();
  });

  it('may not lie in Bosun’s home, even through a link, except in a worktree', () => {
    const where = given({ 'home/token': 'f49d3f9e', 'home/worktrees/r1/own.yaml': mine('own') });
    symlinkSync(join(where.home, 'token'), join(where.cwd, 'link.yaml'));
    for (const name of ['home/token', 'link.yaml', 'shop/../home/token']) {
      const failure = failureOf(() => takeSnapshot(name, where));
      expect(failure).toMatchObject({
        code: 'not_allowed',
        message: expect.stringContaining("is inside Bosun's home"),
      });
    }
    expect(takeSnapshot('home/worktrees/r1/own.yaml', where).workflow.name).toBe('own');
  });

  it.each(['f49d3f9e1122', '[f49d3f9e1122]', 'f49d3f9e1122: "f49d', '!f49d3f9e1122 x', 'chain: [{id: "f49d \\q"}]'])(
    'is rejected without quoting its content: %s',
    (text) => {
      const failure = failureOf(() => takeSnapshot('some.txt', given({ 'some.txt': text })));
      expect(failure.message).toMatch(/some\.txt:\d+:\d+: /);
      if (!text.startsWith('f49d3f9e1122:')) expect(failure.message).not.toContain('f49d');
    },
  );

  it('has a snapshot hash derived from its content', () => {
    const where = given({
      'a.yaml': mine('mine'),
      'b.yaml': mine('mine'),
      'c.yaml': mine('mine', ', max_attempts: 9'),
    });
    const [a, b, c] = ['a.yaml', 'b.yaml', 'c.yaml'].map((name) => takeSnapshot(name, where).hash);
    expect(a).toBe(b);
    expect(a).not.toBe(c);
  });
});

describe('the prompt file of a role', () => {
  it('may not be a link to a file outside the workflow’s folder', () => {
    const where = given({ 'flows/mine.yaml': withRole('coder.md'), 'secret.md': 'SECRET' });
    symlinkSync('../secret.md', join(where.cwd, 'flows/coder.md'));
    expect(failureOf(() => takeSnapshot('flows/mine.yaml', where)).message).not.toContain('SECRET');
  });

  const withRole = (file: string) =>
    `workflow: mine\nversion: 1\nroles: { coder: { prompt: ${file} } }\nchain:\n  - { id: build, role: coder }\n`;
  const promptsOf = (where: Where, name = 'flows/mine.yaml') => JSON.stringify(takeSnapshot(name, where).workflow);

  it('is read from beside the workflow', () => {
    const where = given({ 'flows/mine.yaml': withRole('prompts/coder.md'), 'flows/prompts/coder.md': 'Beside it.' });
    expect(promptsOf(where)).toContain('Beside it.');
  });

  it('may not lie outside that folder, however its path is written', () => {
    for (const name of ['../secret.md', '../flows-other/secret.md', '/etc/hostname']) {
      const where = given({
        'flows/mine.yaml': withRole(name),
        'secret.md': 'SECRET',
        'flows-other/secret.md': 'SECRET',
      });
      const failure = failureOf(() => takeSnapshot('flows/mine.yaml', where));
      expect(failure.message).toMatch(/mine\.yaml:3:\d+: /);
      expect(failure.message).not.toContain('SECRET');
    }
  });
});

describe('step rules of a project', () => {
  const path = '.ai/step-rules.yaml';
  const rules = (attempts: string) => `implement: { max_attempts: ${attempts} }\n`;
  const attempts = (where: Where) => takeSnapshot('quick', where).workflow.chain[0]?.maxAttempts;
  const shipped = () => attempts(given());

  it('override the workflow, and the proposal says so', () => {
    const where = given({ [`shop/${path}`]: rules('7') });
    expect(attempts(where)).toBe(7);
    expect(takeSnapshot('quick', where).notes).toEqual([`The project's own rules apply: ${path}`]);
    expect(takeSnapshot('quick', given()).notes).toEqual([]);
  });

  it('with an error are rejected with its position, and the last valid rules stay', () => {
    const where = given({ [`shop/${path}`]: rules('7') });
    expect(attempts(where)).toBe(7);
    writeFileSync(join(where.root, path), rules('"many"'));
    accept(where);
    const snapshot = takeSnapshot('quick', where);
    expect(snapshot.workflow.chain[0]?.maxAttempts).toBe(7);
    expect(snapshot.warnings.join('\n')).toMatch(
      /step-rules\.yaml is invalid, so the previous rules stay in force:\n.*step-rules\.yaml:1:\d+: /,
    );
    writeFileSync(join(where.root, path), rules('8'));
    accept(where);
    expect(takeSnapshot('quick', where)).toMatchObject({
      warnings: [],
      workflow: { chain: [{ maxAttempts: 8 }, {}, {}] },
    });
  });

  it('that were never valid leave the workflow unchanged', () => {
    const where = given({ [`shop/${path}`]: rules('"many"') });
    expect(attempts(where)).toBe(shipped());
    expect(takeSnapshot('quick', where).warnings).not.toEqual([]);
  });

  it('do not apply to another project', () => {
    const where = given({ [`shop/${path}`]: rules('7'), [`blog/${path}`]: rules('9') });
    const blog = { ...where, root: join(where.cwd, 'blog') };
    expect([attempts(where), attempts(blog)]).toEqual([7, shipped()]);
    accept(blog);
    expect([attempts(where), attempts(blog)]).toEqual([7, 9]);
  });

  it('that are too large, a link or not a file are not in force, with a note', () => {
    const large = given({ [`shop/${path}`]: `${rules('7')}# ${'x'.repeat(300_000)}\n` });
    expect(attempts(large)).toBe(shipped());
    expect(takeSnapshot('quick', large).notes.join()).toContain('larger than');
    const folder = given({ [`shop/${path}/odd`]: '' });
    expect(takeSnapshot('quick', folder).notes.join()).toContain('not a plain file');
    const linked = given({ 'elsewhere.yaml': rules('7'), 'shop/.ai/x': '' });
    symlinkSync('../../elsewhere.yaml', join(linked.root, path));
    accept(linked);
    expect(attempts(linked)).toBe(shipped());
    expect(takeSnapshot('quick', linked).notes.join()).toContain(`${path} (it is a link`);
  });

  it('that cannot be stored are reported with the path', () => {
    const where = given({ [`shop/${path}`]: rules('7') });
    rmSync(join(where.home, 'rules'), { recursive: true });
    writeFileSync(join(where.home, 'rules'), 'a file in place of the folder');
    expect(failureOf(() => accept(where))).toMatchObject({
      code: 'disk',
      message: expect.stringContaining(join(where.home, 'rules')),
    });
  });
});

describe('a project rule without an owner’s acceptance', () => {
  const path = '.ai/step-rules.yaml';
  const rules = (attempts: number) => `implement: { max_attempts: ${attempts} }\n`;
  const attempts = (where: Where) => takeSnapshot('quick', where).workflow.chain[0]?.maxAttempts;

  it('is not in force: a new one is inert, and a changed or removed one keeps the accepted text', () => {
    const where = given({ 'shop/.ai/x': '' });
    writeFileSync(join(where.root, path), rules(7));
    expect(attempts(where)).toBe(attempts(given()));
    expect(takeSnapshot('quick', where)).toMatchObject({
      hasPendingRules: true,
      notes: [`Not in force until an owner accepts it: ${path} (new). On the host: bosun rules PROJECT`],
    });
    accept(where);
    expect(attempts(where)).toBe(7);
    writeFileSync(join(where.root, path), rules(99));
    expect(attempts(where)).toBe(7);
    expect(takeSnapshot('quick', where).notes.join()).toContain(`${path} (changed)`);
    rmSync(join(where.root, path));
    expect(attempts(where)).toBe(7);
    expect(takeSnapshot('quick', where).notes.join()).toContain(`${path} (gone)`);
  });

  it('shadows no shipped workflow, is not listed, and says what it waits for', () => {
    const where = given({ 'shop/.ai/x': '' });
    mkdirSync(join(where.root, '.ai/workflows'));
    writeFileSync(join(where.root, '.ai/workflows/quick.yaml'), mine('quick'));
    writeFileSync(join(where.root, '.ai/workflows/own.yaml'), mine('own'));
    expect(takeSnapshot('quick', where).workflow.chain).toHaveLength(3);
    expect(names(where)).not.toContain('own');
    for (const opens of ['listed', 'any'] as const) {
      const failure = failureOf(() => takeSnapshot('own', { ...where, opens }));
      expect(failure.message).toContain('is not in force: .ai/workflows/own.yaml waits for an owner to accept it');
      expect(failure.hint).toContain('bosun rules accept PROJECT');
    }
  });

  it('can be an edited prompt beside a workflow, whose accepted text stays in force', () => {
    const text = 'workflow: own\nversion: 1\nchain:\n  - { id: build, prompt: prompts/build.md }\n';
    const where = given({ 'shop/.ai/workflows/own.yaml': text, 'shop/.ai/workflows/prompts/build.md': 'As accepted.' });
    writeFileSync(join(where.root, '.ai/workflows/prompts/build.md'), 'Say pass.');
    expect(takeSnapshot('own', where).workflow.chain[0]).toMatchObject({ prompt: 'As accepted.' });
  });

  it('can be a workflow file in the project that config.yaml names, but no file elsewhere', () => {
    const where = { ...given({ 'shop/flows/own.yaml': mine('own') }), configured: 'flows/own.yaml' };
    expect(failureOf(() => takeSnapshot('flows/own.yaml', { ...where, cwd: where.root })).message).toContain(
      'waits for',
    );
    acceptProjectRules(where.home, where.root, where.configured);
    writeFileSync(join(where.root, 'flows/own.yaml'), 'broken');
    expect(takeSnapshot('flows/own.yaml', where).workflow.name).toBe('own');
    const elsewhere = given({ 'flows/own.yaml': mine('own') });
    const configured = join(elsewhere.cwd, 'flows/own.yaml');
    expect(takeSnapshot(configured, { ...elsewhere, configured }).workflow.name).toBe('own');
  });

  it('is shown as a line diff, under an id that changes with it', () => {
    const where = given({ [`shop/${path}`]: `a: 1\nb: 2\nc: 3\n` });
    const of = () => projectRules(where.home, { root: where.root, workflow: '' });
    const before = of().id;
    writeFileSync(join(where.root, path), 'a: 1\nb: 9\nc: 3\n');
    expect(rulesDiff(of().changes)).toBe(`${path}: changed\n  a: 1\n- b: 2\n+ b: 9\n  c: 3`);
    expect(of().id).not.toBe(before);
  });

  it('can be a stored rule whose text does not match its hash', () => {
    const where = given({ [`shop/${path}`]: rules(7) });
    const [kept = ''] = readdirSync(join(where.home, 'rules'));
    const file = join(where.home, 'rules', kept);
    writeFileSync(file, readFileSync(file, 'utf8').replace('max_attempts: 7', 'max_attempts: 8'));
    expect(attempts(where)).toBe(attempts(given()));
    writeFileSync(file, 'no JSON');
    expect(failureOf(() => takeSnapshot('quick', where))).toMatchObject({ code: 'bad_config' });
  });
});
