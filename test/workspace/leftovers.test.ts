import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  branchLeftovers,
  checkpoint,
  discardLeftovers,
  findLeftovers,
  sortLeftovers,
  type WorkSpan,
} from '../../src/workspace/index.js';
import { makeFolder, makeRepository, type Repository } from './repository.js';

const files = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', '.gitignore': '.env\n' };
const saveName = () => ({ saveTo: join(makeFolder(), 'left', 'op1.diff') });

/** An agent at work between two snapshots; with `isKilled` no one measured what it left. */
async function span({ root }: Repository, act: () => void, isKilled = false): Promise<WorkSpan> {
  const { tree: from } = await checkpoint(root);
  act();
  return { from, to: isKilled ? null : (await checkpoint(root)).tree };
}

async function leftBy(repository: Repository, spans: readonly WorkSpan[]) {
  const found = await findLeftovers(repository.root, spans);
  if (found === null) throw new Error('nothing is left over');
  return found;
}

function agentAt(repository: Repository): void {
  repository.write('a.txt', 'by the agent\n');
  repository.write('sub/neu ü.txt', 'new\n');
  repository.remove('c.txt');
  repository.git('add', 'a.txt');
}

describe('finding what agents left', () => {
  test('counts the changes of a killed agent, and nothing in a clean checkout', async () => {
    const repository = makeRepository(files);
    expect(await findLeftovers(repository.root, [await span(repository, () => undefined)])).toBeNull();
    const spans = [await span(repository, () => agentAt(repository), true)];
    const left = await leftBy(repository, spans);
    expect(left.stat).toEqual({ files: 3, insertions: 2, deletions: 2 });
    expect(left.files.map(({ path }) => path)).toEqual(['a.txt', 'c.txt', 'sub/neu ü.txt']);
  });

  test('leaves out what a person changed between and after the attempts', async () => {
    const repository = makeRepository(files);
    const first = await span(repository, () => repository.write('a.txt', 'by the agent\n'));
    repository.write('b.txt', 'by a person\n');
    const second = await span(repository, () => repository.write('d.txt', 'by the agent\n'));
    repository.write('own.txt', 'by a person\n');
    const left = await leftBy(repository, [first, second]);
    expect(left.files.map(({ path }) => path)).toEqual(['a.txt', 'd.txt']);
    const sorted = await sortLeftovers(repository.root, left);
    expect(sorted).toEqual({ left: ['a.txt', 'd.txt'], others: ['b.txt', 'own.txt'] });
  });

  test('leaves a file alone that was ignored before an agent changed .gitignore', async () => {
    const repository = makeRepository(files);
    repository.write('.env', 'secret');
    const left = await leftBy(repository, [await span(repository, () => repository.write('.gitignore', ''), true)]);
    expect(left.files.map(({ path }) => path)).toEqual(['.gitignore']);
    await discardLeftovers(repository.root, left, saveName());
    expect(repository.read('.env')).toBe('secret');
  });
});

describe('discarding', () => {
  test('takes every change back, and keeps a diff that restores it', async () => {
    const repository = makeRepository(files);
    const left = await leftBy(repository, [await span(repository, () => agentAt(repository), true)]);
    const options = saveName();
    expect(await discardLeftovers(repository.root, left, options)).toEqual({
      ...{ kind: 'done', files: 3, kept: 0 },
      savedTo: options.saveTo,
    });
    expect(repository.status()).toBe('');
    repository.git('apply', options.saveTo);
    expect(repository.read('a.txt')).toBe('by the agent\n');
    expect(repository.has('c.txt')).toBe(false);
    expect(readFileSync(options.saveTo, 'utf8')).toContain('neu');
  });

  test('keeps what a person changed or staged since, and says how many of the files', async () => {
    const repository = makeRepository(files);
    const left = await leftBy(repository, [await span(repository, () => agentAt(repository), true)]);
    repository.write('a.txt', 'by a person now\n');
    repository.write('b.txt', 'staged by a person\n');
    repository.git('add', 'b.txt');
    expect(await discardLeftovers(repository.root, left, saveName())).toMatchObject({ files: 2, kept: 1 });
    expect(repository.status().split('\n')).toEqual(['MM a.txt', 'M  b.txt']);
    expect(repository.read('a.txt')).toBe('by a person now\n');
  });

  test('does nothing a second time, or once a person committed it', async () => {
    const repository = makeRepository(files);
    const left = await leftBy(repository, [await span(repository, () => agentAt(repository), true)]);
    repository.git('add', '-A');
    repository.git('commit', '-qm', 'mine now');
    expect(await discardLeftovers(repository.root, left, saveName())).toMatchObject({ files: 0, savedTo: null });
    expect(repository.read('a.txt')).toBe('by the agent\n');
  });

  test('refuses while a merge is unfinished, and once git has dropped the record', async () => {
    const repository = makeRepository(files);
    const left = await leftBy(repository, [await span(repository, () => agentAt(repository), true)]);
    const gone = { ...left, to: '1'.repeat(40) };
    expect(await discardLeftovers(repository.root, gone, saveName())).toMatchObject({ kind: 'conflict' });
    repository.write('.git/MERGE_HEAD', 'x');
    const refused = await discardLeftovers(repository.root, left, saveName());
    expect(refused).toMatchObject({ kind: 'conflict', why: expect.stringContaining('a merge is unfinished') });
    expect(repository.read('a.txt')).toBe('by the agent\n');
  });
});

describe('committing to a branch', () => {
  const message = 'Order history (aborted)\n\nBosun: r1-op2-h1';

  test('puts the changes on a new branch, once, and clears the checkout', async () => {
    const repository = makeRepository(files);
    const left = await leftBy(repository, [await span(repository, () => agentAt(repository), true)]);
    repository.write('own.txt', 'by a person\n');
    const result = await branchLeftovers(repository.root, left, { branch: 'bosun/left', message });
    expect(result).toMatchObject({ kind: 'done', files: 3, commit: repository.git('rev-parse', 'bosun/left') });
    expect(repository.status()).toBe('?? own.txt');
    expect(repository.git('show', 'bosun/left:a.txt')).toBe('by the agent');
    expect(repository.git('branch', '--show-current')).toBe('main');
    const again = await branchLeftovers(repository.root, left, { branch: 'bosun/left', message });
    expect(again).toMatchObject({ files: 0, commit: repository.git('rev-parse', 'bosun/left') });
    expect(repository.git('rev-list', '--count', 'main..bosun/left')).toBe('1');
  });

  test('resumes after a crash between the commit and the clearing', async () => {
    const repository = makeRepository(files);
    const left = await leftBy(repository, [await span(repository, () => agentAt(repository), true)]);
    const made = repository.git('commit-tree', left.to, '-p', 'HEAD', '-m', message);
    repository.git('branch', 'bosun/left', made);
    expect(await branchLeftovers(repository.root, left, { branch: 'bosun/left', message })).toMatchObject({
      files: 3,
      commit: made,
    });
    expect(repository.status()).toBe('');
  });

  test('commits onto the branch that is checked out without touching other changes', async () => {
    const repository = makeRepository(files);
    repository.git('switch', '-qc', 'bosun/r1');
    const left = await leftBy(repository, [await span(repository, () => agentAt(repository), true)]);
    repository.write('own.txt', 'by a person\n');
    expect(await branchLeftovers(repository.root, left, { branch: 'bosun/r1', message })).toMatchObject({ files: 3 });
    expect(repository.status()).toBe('?? own.txt');
    expect(repository.git('log', '-1', '--format=%s')).toBe('Order history (aborted)');
  });
});
