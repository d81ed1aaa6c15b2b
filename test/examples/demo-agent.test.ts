import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import {
  childOptions,
  demoFolder,
  demoRemark,
  firstStory,
  git,
  makeRepo,
  play,
  playAll,
  read,
  repoAfter,
  testsAreGreen,
  treeOf,
} from './demo-project.js';

const demoQuestion = 'Should orders be sorted newest first?';

describe('the demo project', () => {
  it('starts with passing tests and brings no repository of its own', () => {
    expect(existsSync(join(demoFolder, '.git'))).toBe(false);
    expect(testsAreGreen(makeRepo())).toBe(true);
  });

  it('starts with one story', () => {
    const stories = z.array(z.object({ id: z.string() })).parse(JSON.parse(read(demoFolder, 'prd.json')));
    expect(stories.map((story) => story.id)).toEqual(['US-001']);
  });
});

describe('the first story of the scripted agent', () => {
  it('prints first that it is scripted and how to replace it, and names the step in its report', () => {
    const { out, front, result } = play(makeRepo(), 'sdd-delta');
    expect(out.split('\n')[0]).toMatch(/scripted .* not an AI.*"executor" in config\.yaml/);
    expect(front).toMatchObject({ story: 'US-001', step: 'sdd-delta', attempt: 1, reason: null });
    expect(front.files_changed).toEqual(['docs/deltas/US-001.md']);
    expect(result).toMatch(/^status: pass\nreason: null\nsummary: .+\n$/m);
  });

  it('writes scenarios with one open question, and lists both again at contract', () => {
    const repo = makeRepo();
    const { front } = play(repo, 'bdd');
    const spec = read(repo, 'docs/bdd/US-001.md');
    expect(spec).toMatch(/^Given .*\nWhen .*\nThen /m);
    expect(spec.match(/\[NEEDS CLARIFICATION\]/g)).toHaveLength(1);
    expect(front.review_digest).toHaveLength(4);
    expect(front.questions).toEqual(['How long may an empty cart be remembered?']);
    const contract = play(repo, 'contract').front;
    expect(contract.review_digest).toEqual(front.review_digest);
    expect(contract.questions).toEqual(front.questions);
  });

  it('applies a number from requested changes', () => {
    const repo = makeRepo();
    const { front } = play(repo, 'bdd', { said: 'forget empty carts after 2 minutes' });
    expect(front.questions).toEqual([]);
    play(repo, 'scaffold');
    expect(read(repo, 'src/order-settings.js')).toContain('EMPTY_CART_SECONDS = 120;');
  });

  it('adds only the affected endpoint to the contract', () => {
    const repo = makeRepo();
    const before = read(repo, 'docs/api/openapi.yaml').split('\n');
    play(repo, 'contract');
    const after = read(repo, 'docs/api/openapi.yaml');
    const paths = z.object({ paths: z.record(z.string(), z.unknown()) }).parse(parse(after)).paths;
    expect(Object.keys(paths)).toEqual(['/cart', '/orders']);
    const added = after.split('\n').filter((line) => !before.includes(line));
    expect(git(repo, 'diff', '--numstat', '--', 'docs/api')).toMatch(/^6\t0\t/);
    expect(added[0]).toBe('  /orders:');
  });

  it('writes failing tests that use the remark of the approval', () => {
    const repo = repoAfter(3);
    const { front, body } = play(repo, 'scaffold', { said: demoRemark });
    expect(front).toMatchObject({ status: 'pass', tests_pass: 4, tests_fail: 6 });
    expect(body).toContain(demoRemark);
    expect(read(repo, 'src/order-settings.js')).toContain('EMPTY_CART_SECONDS = 30;');
    expect(read(repo, 'test/orders.test.js')).toContain('forgotten after 30 seconds');
    expect(testsAreGreen(repo)).toBe(false);
  });

  it.each([false, true])('reads only the words of the person from the prompt (section left open: %s)', (isOpen) => {
    const { body } = play(makeRepo(), 'sdd-delta', { said: demoRemark, isOpen });
    expect(body).toContain(`## A person said\n\n${demoRemark}\n\n## Next session`);
  });

  it('leaves one test failing at first, then asks, and changes nothing while it asks', () => {
    const repo = repoAfter(4);
    const first = play(repo, 'impl', { attempt: 1 });
    expect(first.front).toMatchObject({ status: 'failing', tests_pass: 9, tests_fail: 1 });
    expect(first.result).toContain('orders are listed by date');
    const code = read(repo, 'src/orders.js');
    const second = play(repo, 'impl', { attempt: 2 });
    expect(second.front).toMatchObject({ status: 'needs_human', attempt: 2, questions: [demoQuestion] });
    expect(second.result).toContain(`status: needs_human\nreason: null\nsummary: ${demoQuestion}\n`);
    expect(read(repo, 'src/orders.js')).toBe(code);
  });

  it.each([
    ['Yes, newest first.', 'the newest order comes first'],
    ['no, oldest on top', 'the oldest order comes first'],
  ])('makes all tests pass with the answer "%s" and commits only its code', (said, title) => {
    const repo = repoAfter(6);
    const { front, body } = play(repo, 'impl', { attempt: 2, said });
    expect(front).toMatchObject({ status: 'pass', tests_pass: 11, tests_fail: 0 });
    expect(body).toContain(said);
    expect(read(repo, 'src/orders.js')).toContain(JSON.stringify(said));
    expect(read(repo, 'test/orders-direction.test.js')).toContain(title);
    expect(testsAreGreen(repo)).toBe(true);
    expect(git(repo, 'show', '--format=%an %s', '--name-only').trim().split('\n')).toEqual([
      'Demo agent US-001: code and tests of order history',
      '',
      'src/order-settings.js',
      'src/orders.js',
      'test/orders-direction.test.js',
      'test/orders.test.js',
    ]);
    expect(git(repo, 'status', '--porcelain')).toContain('docs/');
  });

  it('continues without an answer at the third attempt and notes its assumption', () => {
    const repo = repoAfter(6);
    expect(play(repo, 'impl', { attempt: 3 }).front.status).toBe('pass');
    expect(read(repo, 'src/orders.js')).toContain('is an assumption');
  });

  it('keeps earlier remarks when a killed step runs again without them', () => {
    const repo = repoAfter(7);
    const green = treeOf(repo);
    git(repo, 'reset', '-q', '--hard', 'HEAD~1');
    play(repo, 'scaffold');
    expect(read(repo, 'src/order-settings.js')).toContain('EMPTY_CART_SECONDS = 30;');
    play(repo, 'impl', { attempt: 2 });
    expect(read(repo, 'src/orders.js')).toBe(green['src/orders.js']);
  });

  it('verifies by running the tests, and reports failing when they fail', () => {
    const repo = repoAfter(7);
    expect(play(repo, 'verify').front).toMatchObject({ status: 'pass', tests_pass: 11, tests_fail: 0, tests_skip: 0 });
    git(repo, 'rm', '-q', 'src/order-settings.js');
    expect(play(repo, 'verify').front.status).toBe('failing');
  });

  it('updates the memory section by section, names the next story and leaves changes to commit', () => {
    const repo = repoAfter(8);
    const { out } = play(repo, 'update-memory');
    expect(out).toMatch(/^NEXT_STORY: US-002 Discount codes$/m);
    const memory = read(repo, 'PROJECT_MEMORY.md');
    expect(memory).toContain('## DONE\n\n- The cart: adding, totals, empty or not.\n- US-001 Order history: ');
    expect(memory).toContain('## TESTS\n\n- 11 pass, 0 fail, 0 skipped\n');
    expect(memory).toContain('## NEXT\n\n- US-002 Discount codes\n');
    expect(memory.match(/^## \w+$/gm)).toEqual(['## DONE', '## TESTS', '## LOG', '## NEXT', '## NOW']);
    expect(git(repo, 'status', '--porcelain')).toContain('PROJECT_MEMORY.md');
  });

  it('leaves the same tree when every step runs twice', () => {
    const once = repoAfter(firstStory.length);
    const twice = makeRepo();
    playAll(twice, 2);
    expect(treeOf(twice)).toEqual(treeOf(once));
    expect(git(twice, 'rev-list', '--count', 'HEAD').trim()).toBe('2');
  });

  it('leaves the same tree when a step was killed and ran again', () => {
    const last = firstStory.length - 2;
    const whole = treeOf(repoAfter(last));
    for (const timeout of [40, 80, 120, 160, 240, 320, 480]) {
      const repo = repoAfter(last - 1);
      const [step, call] = ['impl', { attempt: 2, said: 'Yes, newest first.' }] as const;
      spawnSync(process.execPath, ['agent.mjs'], { ...childOptions(repo, step, call), timeout, killSignal: 'SIGKILL' });
      expect(play(repo, step, call).front.status).toBe('pass');
      expect(treeOf(repo)).toEqual(whole);
    }
  });
});

describe('other work of the scripted agent', () => {
  it.each(['US-002', 'US-077'])('passes every step of %s at the first attempt', (item) => {
    const repo = makeRepo();
    for (const step of ['bdd', 'sdd-delta', 'contract', 'scaffold', 'impl', 'verify', 'update-memory']) {
      const { front, out } = play(repo, step, { item });
      expect(front).toMatchObject({ status: 'pass', story: item, questions: [] });
      expect(out).not.toContain('NEXT_STORY');
      if (step === 'scaffold') expect(testsAreGreen(repo)).toBe(false);
    }
    expect(testsAreGreen(repo)).toBe(true);
  });

  it.each(['implement', 'task'])('writes a small file for the step %s', (step) => {
    const repo = makeRepo();
    const { front } = play(repo, step, { item: '' });
    expect(front).toMatchObject({ status: 'pass', files_changed: ['docs/notes/r1.md'] });
    expect(front.story).toBeUndefined();
    expect(existsSync(join(repo, 'docs/notes/r1.md'))).toBe(true);
  });

  it('asks for a real agent at an unknown step', () => {
    expect(play(makeRepo(), 'brainstorm').front.status).toBe('needs_human');
  });
});
