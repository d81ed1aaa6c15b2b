// An attempt in its checkout: no secret leaves it, and what it left there is measured over all tries of its step.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attemptRunner, codingAgents } from '../../src/agents/index.js';
import {
  acceptSettings,
  refuseChangedSettings,
  restoreSettings,
  settingsGuard,
} from '../../src/base/git-settings/index.js';
import { redactor } from '../../src/base/redaction/index.js';
import { DamagedError } from '../../src/base/write-failure.js';
import { emptyEnvelope } from '../../src/engine/index.js';
import type { Progress } from '../../src/jobs/attempt-control.js';
import type { AttemptSpec } from '../../src/jobs/attempt-spec.js';
import { type MeasuredAttemptParts, measuredAttempt } from '../../src/worker/attempt/measured-attempt.js';
import { type Checkpoint, checkpoint } from '../../src/workspace/index.js';
import { acceptProjectRules } from '../accept-rules.js';
import { givenControl, givenSpec, sh } from '../agents/attempts/given.js';
import { measuredParts } from '../measured-parts.js';
import { makeFolder, makeRepository, type Repository } from '../workspace/repository.js';

function specIn(root: string, patch: Partial<AttemptSpec> = {}): AttemptSpec {
  return givenSpec({ root, logPath: join(makeFolder(), 'log.jsonl'), executor: sh('true'), ...patch });
}

/** An attempt that does this in its folder. */
function attemptThat(act: () => void, parts: Partial<MeasuredAttemptParts> = {}) {
  return measuredAttempt({
    ...measuredParts(),
    run: async () => {
      act();
      return { ...emptyEnvelope, exit: 0 };
    },
    ...parts,
  });
}

it('an agent is not started if the database turns out to be deleted', async () => {
  let hasRun = false;
  const act = () => {
    hasRun = true;
  };
  const noteCheckpoint = () => Promise.reject(new DamagedError('bosun.db was deleted'));
  const run = attemptThat(act, { noteCheckpoint });
  await expect(run(specIn(makeRepository().root), givenControl())).rejects.toThrow('was deleted');
  expect(hasRun).toBe(false);
});

describe('an attempt whose changes git cannot measure', () => {
  const noteCheckpoint = () => undefined;
  const unmeasured = {
    code: 'unmeasured',
    remedy: 'ask',
    message: expect.stringContaining("The step's changes cannot be measured: git"),
  };

  it('does not pass, because its scope is unknown', async () => {
    const { root } = makeRepository();
    const spoil = attemptThat(() => writeFileSync(join(root, '.git/index'), 'garbage'), { noteCheckpoint });
    expect(await spoil(specIn(root), givenControl())).toMatchObject({ exit: 0, diffStat: null, fault: unmeasured });
  });

  it('is another thing than a checkpoint whose note was not stored: that work is measured', async () => {
    const { root } = makeRepository();
    const full = () => Promise.reject(new Error('database or disk is full'));
    const run = attemptThat(() => writeFileSync(join(root, 'b.txt'), 'one\n'), { noteCheckpoint: full });
    expect(await run(specIn(root), givenControl())).toMatchObject({ fault: null, filesChanged: ['b.txt'] });
  });

  it('is not started if that shows beforehand', async () => {
    const { root } = makeRepository();
    writeFileSync(join(root, '.git/index'), 'garbage');
    let hasRun = false;
    const act = () => {
      hasRun = true;
    };
    const envelope = await attemptThat(act, { noteCheckpoint })(specIn(root), givenControl());
    expect(envelope.fault).toMatchObject(unmeasured);
    expect(hasRun).toBe(false);
  });
});

describe('a secret in an agent’s output', () => {
  const secret = 'never-to-be-seen';

  it('is redacted in the log, in progress events and in the envelope', async () => {
    const { root } = makeRepository();
    const shown: Progress[] = [];
    const spec = specIn(root, {
      executor: sh(
        `echo "STATUS: pass"; echo "CHANGES: ${secret} $BOSUN_TOKEN"; echo "${secret}" >&2; printf 'x\\n-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG\\n-----END PRIVATE KEY-----\\n'`,
      ),
      check: `echo ${secret}; exit 1`,
    });
    const redactOf = ({ token }: AttemptSpec) => redactor([secret, token]);
    const run = measuredAttempt({
      ...measuredParts(),
      run: attemptRunner({ agents: codingAgents, redactOf }),
      redactOf,
    });
    const control = { ...givenControl(), report: (progress: Progress) => void shown.push(progress) };
    const envelope = await run(spec, control);
    const log = readFileSync(spec.logPath, 'utf8');
    expect(envelope.output.keys['CHANGES']).toContain('[redacted] [redacted]');
    expect(envelope.checks[0]).toMatchObject({ ok: false, tail: '[redacted]' });
    expect(log).toContain('CHANGES: [redacted] [redacted]');
    expect(shown.some((one) => one.type === 'output' && one.line.includes('[redacted]'))).toBe(true);
    for (const told of [JSON.stringify(envelope), log, JSON.stringify(shown)]) {
      expect(told).not.toContain(secret);
      expect(told).not.toContain(spec.token);
      expect(told).not.toContain('MIIEvQ');
    }
  });
});

describe('a denied command', () => {
  const refused = (what: string) => ({
    kind: 'permission' as const,
    text: `Bash was refused: ${what}`,
    options: [],
    permission: { tool: 'Bash', what, mark: 'a mark' },
  });

  it('that redaction would hide beyond a secret is reported as such, and cannot be allowed', async () => {
    const asks = [refused('ls ://a:b;rm$IFS-rf$IFS.;@y'), refused('curl -H x:never-to-be-seen')];
    const run = measuredAttempt({
      ...measuredParts(),
      run: async () => ({ ...emptyEnvelope, exit: 0, asks }),
      redactOf: () => redactor(['never-to-be-seen']),
    });
    const [hidden, shown] = (await run(specIn(makeRepository().root), givenControl())).asks ?? [];
    expect(hidden?.permission?.mark).toBe('none');
    expect(hidden?.text).toContain('allowing it has no effect');
    expect(shown?.permission?.mark).toBe('a mark');
    expect(shown?.text).toBe('Bash was refused: curl -H x:[redacted]');
  });
});

describe('the changes of all attempts of a step', () => {
  it('are measured from before the first attempt, and include only files that the attempts changed', async () => {
    const repository = makeRepository({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n', 'd.txt': 'd\n' });
    const before: Checkpoint = await checkpoint(repository.root);
    repository.write('b.txt', 'by the first try\n');
    repository.write('c.txt', 'by the first try\n');
    repository.write('d.txt', 'by a person, between them\n');
    const second = attemptThat(
      () => {
        repository.write('a.txt', 'by the second\n');
        repository.write('b.txt', 'b\n');
      },
      { earlierTries: () => ({ before, files: ['b.txt', 'c.txt'] }) },
    );
    expect(await second(specIn(repository.root), givenControl())).toMatchObject({
      filesChanged: ['a.txt', 'b.txt'],
      filesKept: ['a.txt', 'c.txt'],
    });
  });

  it('are examined in full, beyond the number of files that is stored', async () => {
    const repository = makeRepository({ 'a.txt': 'a\n' });
    const { filesChanged, filesKept, strays } = await attemptThat(() => {
      for (let count = 0; count < 600; count += 1) repository.write(`made/${count}.txt`, 'made\n');
      repository.write('zz.txt', 'made\n');
      symlinkSync('/etc', join(repository.root, 'zzz'));
    })(specIn(repository.root), givenControl());
    expect(filesChanged).toHaveLength(500);
    expect(filesKept).toHaveLength(602);
    expect(filesKept).toContain('zz.txt');
    expect(strays).toEqual(['zzz']);
  });

  it('are not measured without an earlier attempt or after its checkpoint was pruned', async () => {
    const { root } = makeRepository();
    const first = await attemptThat(() => undefined, { earlierTries: () => null })(specIn(root), givenControl());
    expect(first.filesKept).toBeUndefined();
    const gone = { head: '0'.repeat(40), branch: null, tree: '1'.repeat(40), staged: null };
    const notes: string[] = [];
    const parts = {
      earlierTries: () => ({ before: gone, files: ['a.txt'] }),
      log: (text: string) => void notes.push(text),
    };
    const later = await attemptThat(() => undefined, parts)(specIn(root), givenControl());
    expect([later.filesKept, later.diffStat?.files]).toEqual([undefined, 0]);
    expect(notes).toEqual([expect.stringContaining('since the first try')]);
  });
});

describe('git settings changed by an agent', () => {
  const plantExclude = (path: string, what: string) => {
    rmSync(path, { force: true });
    if (what.startsWith('a link')) symlinkSync('/etc/hosts', path);
    else execFileSync('mkfifo', [path]);
  };
  const plant = (repository: Repository, what: string) => {
    const { root } = repository;
    if (what === 'config')
      repository.write('.git/config', `${repository.read('.git/config')}[filter "x"]\n\tclean = touch ran\n`);
    if (what === 'a line that git reads otherwise')
      repository.write('.git/config', `${repository.read('.git/config')}[branch "x"] remote = "a\\\nb"\n`);
    if (what === 'attributes') repository.write('.git/info/attributes', '* filter=x\n');
    if (what === 'a hook') repository.write('.git/hooks/pre-commit', '#!/bin/sh\n');
    if (what === 'a hook of its own folder') repository.write('.husky/pre-commit', 'touch ran\n');
    if (what === 'an included file') repository.write('.git/more', '[core]\n\tpager = touch ran\n');
    if (what === "a submodule's settings") {
      repository.write('.git/modules/lib/HEAD', 'ref: refs/heads/main\n');
      repository.write('.git/modules/lib/config', '[core]\n\tfsmonitor = touch ran\n');
    }
    if (what.endsWith('in place of what git ignores')) plantExclude(join(root, '.git/info/exclude'), what);
    if (what === 'the repository itself') {
      renameSync(join(root, '.git'), join(root, '.git-was'));
      cpSync(join(root, '.git-was'), join(root, '.git'), { recursive: true });
    }
    if (what === 'a link to another repository') {
      renameSync(join(root, '.git'), join(root, '.git-was'));
      symlinkSync('.git-was', join(root, '.git'));
    }
  };
  const given = () => {
    const repository = makeRepository({ 'a.txt': 'a\n', '.husky/pre-commit': 'true\n' });
    repository.git('config', 'core.hooksPath', '.husky');
    repository.git('config', 'include.path', 'more');
    repository.write('.git/more', '[alias]\n\tst = status\n');
    const settings = settingsGuard(makeFolder());
    const attempt = (act: () => void, id = 'r1-n1-d1') =>
      attemptThat(act, { settings })(specIn(repository.root, { attempt: id }), givenControl());
    return { repository, settings, attempt };
  };

  it.each([
    ['config', '.git/config: filter.x.clean'],
    ['a line that git reads otherwise', '.git/config'],
    ['attributes', '.git/info/attributes (new)'],
    ['a hook', '.git/hooks/pre-commit (new)'],
    ['a hook of its own folder', '.husky/pre-commit'],
    ['an included file', '.git/more: alias.st, core.pager'],
    ["a submodule's settings", '.git/modules/lib/config: core.fsmonitor'],
    ['a link in place of what git ignores', '.git/info/exclude (new)'],
    ['a pipe in place of what git ignores', '.git/info/exclude (new)'],
    ['the repository itself', '.git'],
    ['a link to another repository', '.git'],
  ])('are reported by name before git runs with them: %s', async (what, told) => {
    const { repository, settings, attempt } = given();
    const { fault, diffStat } = await attempt(() => plant(repository, what));
    expect(fault).toMatchObject({ code: 'git_settings', remedy: 'ask' });
    expect(fault?.message.split('\n')).toContain(told);
    expect(fault?.message).not.toContain('touch ran');
    expect(diffStat).toBeNull();
    // Nor later, nor after Bosun was started again, nor for the next agent.
    settings.keep(new Set());
    await expect(checkpoint(repository.root)).rejects.toMatchObject({ code: 'git_settings' });
    expect((await attempt(() => expect.unreachable('an agent was started'), 'r1-n1-d2')).fault?.code).toBe(
      'git_settings',
    );
    expect(repository.has('ran')).toBe(false);
  });

  it('stay after a person accepts them, and are reverted if a person restores them', async () => {
    const { repository, attempt } = given();
    await attempt(() => {
      for (const what of ['config', 'attributes', 'an included file', 'a hook of its own folder'])
        plant(repository, what);
    });
    restoreSettings(repository.root);
    expect((await attempt(() => undefined)).fault).toBeNull();
    expect([repository.read('.husky/pre-commit'), repository.has('.git/info/attributes')]).toEqual(['true\n', false]);
    await attempt(() => {
      plant(repository, 'a hook');
      plant(repository, 'an included file');
      repository.remove('.husky');
    });
    acceptSettings(repository.root);
    expect((await attempt(() => undefined)).fault).toBeNull();
    expect(repository.has('.git/hooks/pre-commit')).toBe(true);
    await attempt(() => plant(repository, 'config'));
    restoreSettings(repository.root);
    expect(repository.has('.git/hooks/pre-commit')).toBe(true);
  });

  it('block all checkouts of the repository, while git’s own bookkeeping does not count as a change', async () => {
    const { repository, attempt } = given();
    const tree = join(makeFolder(), 'tree');
    repository.git('worktree', 'add', '-q', tree);
    const own = await attempt(() => repository.git('switch', '-q', '-c', 'other', '--track', 'main'));
    expect([own.fault, own.exit]).toEqual([null, 0]);
    await attempt(() => {
      rmSync(join(tree, '.git'));
      cpSync(join(repository.root, '.git'), join(tree, '.git'), { recursive: true });
      expect(() => refuseChangedSettings(tree)).toThrow('.git of');
      plant(repository, 'config');
    });
    await expect(checkpoint(tree)).rejects.toMatchObject({ code: 'git_settings' });
  });

  it('are not suspected when Bosun removes another story’s worktree or opens one in its place', async () => {
    const { repository, settings, attempt } = given();
    const { root, git } = repository;
    const tree = join(makeFolder(), 'tree');
    const gitDir = join(root, '.git/worktrees/tree');
    git('worktree', 'add', '-q', '-b', 'story', tree);
    const removed = await attempt(() => {
      git('worktree', 'remove', '--force', '--force', tree);
      refuseChangedSettings(root);
      git('worktree', 'add', '-q', tree, 'story');
      // As git has it for a moment while it adds one.
      renameSync(join(gitDir, 'commondir'), join(gitDir, 'later'));
      refuseChangedSettings(root);
      renameSync(join(gitDir, 'later'), join(gitDir, 'commondir'));
    });
    expect(removed.fault).toBeNull();
    // Settings that an agent planted for the checkout count although there is none at the moment.
    const planted = await attempt(() => {
      renameSync(join(tree, '.git'), join(tree, 'was'));
      writeFileSync(join(gitDir, 'config.worktree'), '[core]\n\tfsmonitor = touch ran\n');
    });
    expect(planted.fault?.message).toContain('.git/worktrees/tree/config.worktree: core.fsmonitor');
    restoreSettings(root);
    renameSync(join(tree, 'was'), join(tree, '.git'));
    settings.keep(new Set());
    const gone = await attempt(() => rmSync(gitDir, { recursive: true }));
    expect(gone.fault?.message).toContain('.git/worktrees/tree/commondir (gone)');
  });

  it('do not include the owner’s earlier settings, nor changes made between attempts', async () => {
    const { repository, attempt } = given();
    repository.git('config', 'filter.up.clean', 'tr a-z A-Z');
    repository.write('.gitattributes', '*.up filter=up\n');
    expect((await attempt(() => repository.write('x.up', 'x\n'))).diffStat).toMatchObject({ files: 1 });
    expect(repository.git('show', `${(await checkpoint(repository.root)).tree}:x.up`)).toBe('X');
    repository.git('config', 'core.pager', 'less');
    expect((await attempt(() => undefined)).fault).toBeNull();
  });

  it('are reverted without asking in a checkout that is only a copy', async () => {
    const { repository, settings } = given();
    const run = attemptThat(() => plant(repository, 'a hook'), { settings, putsSettingsBack: true });
    const { fault, warnings } = await run(specIn(repository.root), givenControl());
    expect([fault, warnings.join()]).toEqual([null, expect.stringContaining('.git/hooks/pre-commit (new)')]);
    expect(repository.has('.git/hooks/pre-commit')).toBe(false);
  });
});

describe('project rules changed during an attempt', () => {
  const path = '.ai/step-rules.yaml';
  const own = '.ai/workflows/own.yaml';

  it('are listed among the changed files, whether git tracks them or not', async () => {
    const repository = makeRepository({ 'a.txt': 'one\n', [own]: 'old' });
    const write = attemptThat(() => {
      repository.write(path, 'impl: {}');
      rmSync(join(repository.root, own));
      repository.write('b.txt', 'two');
    });
    const { touchedRules, filesChanged } = await write(specIn(repository.root), givenControl());
    expect(touchedRules).toEqual([path, own]);
    expect(filesChanged).toEqual([path, own, 'b.txt']);
    const later = await attemptThat(() => repository.write('c.txt', 'x'))(specIn(repository.root), givenControl());
    expect(later.touchedRules).toBeUndefined();
  });

  it('count from the first attempt until they are restored or accepted by an owner', async () => {
    const repository = makeRepository({ 'a.txt': 'one\n' });
    const spec = specIn(repository.root);
    const home = makeFolder();
    let first: Checkpoint | undefined;
    const noteCheckpoint = (_: string, before: Checkpoint) => {
      first ??= before;
    };
    const earlierTries = () => (first === undefined ? null : { before: first, files: [path] });
    const parts = { noteCheckpoint, earlierTries, home };
    expect((await attemptThat(() => repository.write(path, 'x'), parts)(spec, givenControl())).touchedRules).toEqual([
      path,
    ]);
    const again = attemptThat(() => undefined, parts);
    expect((await again(spec, givenControl())).touchedRules).toEqual([path]);
    acceptProjectRules(home, repository.root);
    expect((await again(spec, givenControl())).touchedRules).toBeUndefined();
    rmSync(join(repository.root, path));
    expect((await again(spec, givenControl())).touchedRules).toBeUndefined();
  });

  it('are detected in a worktree, in the project’s folder and behind a replaced .ai folder', async () => {
    const repository = makeRepository({ 'a.txt': 'one\n' });
    const { root } = makeRepository({ [own]: 'old' });
    const spec = { ...specIn(repository.root), root };
    const write = attemptThat(() => {
      repository.write(path, 'x');
      writeFileSync(join(root, own), 'new');
    });
    expect((await write(spec, givenControl())).touchedRules).toEqual([path, join(root, own)]);
    const link = attemptThat(() => {
      renameSync(join(root, '.ai'), join(root, '.moved'));
      symlinkSync('.moved', join(root, '.ai'));
    });
    expect((await link(spec, givenControl())).touchedRules).toEqual([join(root, '.ai'), join(root, own)]);
  });
});

describe('a symbolic link made by an attempt', () => {
  it('that leads out of the checkout is reported, even if it dangles', async () => {
    const repository = makeRepository({ 'a.txt': 'one\n', 'sub/b.txt': 'two\n' });
    const outside = makeFolder();
    const links = attemptThat(() => {
      symlinkSync('/etc/passwd', join(repository.root, 'absolute'));
      symlinkSync('../../..', join(repository.root, 'sub', 'up'));
      symlinkSync(join(outside, 'nothing'), join(repository.root, 'dangling'));
      symlinkSync('absolute', join(repository.root, 'twice'));
      symlinkSync('sub/b.txt', join(repository.root, 'within'));
      symlinkSync('sub/none', join(repository.root, 'within-dangling'));
      repository.write('plain.txt', 'x');
    });
    const { strays } = await links(specIn(repository.root), givenControl());
    expect(strays).toEqual(['absolute', 'dangling', 'sub/up', 'twice']);
  });

  it('is fine within the repository that contains the project', async () => {
    const repository = makeRepository({ 'shop/a.txt': 'one\n', 'shared/b.txt': 'two\n' });
    const root = join(repository.root, 'shop');
    const within = attemptThat(() => symlinkSync('../shared/b.txt', join(root, 'b.txt')));
    expect((await within(specIn(root), givenControl())).strays).toBeUndefined();
    const out = attemptThat(() => symlinkSync('../../x', join(root, 'c.txt')));
    expect((await out(specIn(root), givenControl())).strays).toEqual(['c.txt']);
  });

  it('is not reported if it existed before', async () => {
    const repository = makeRepository();
    symlinkSync('/etc/passwd', join(repository.root, 'old'));
    const { strays } = await attemptThat(() => undefined)(specIn(repository.root), givenControl());
    expect(strays).toBeUndefined();
  });

  it('in place of the working folder is a fault, and nothing is measured behind it', async () => {
    const { root } = makeRepository();
    const other = makeRepository({ 'b.txt': 'two\n' }).root;
    const replace = attemptThat(() => {
      renameSync(root, `${root}.moved`);
      symlinkSync(other, root);
    });
    const envelope = await replace(specIn(root), givenControl());
    expect(envelope).toMatchObject({
      fault: { code: 'workdir_replaced', remedy: 'ask', message: expect.stringContaining(root) },
      diffStat: null,
      filesChanged: [],
    });
    rmSync(root);
  });

  it('in place of a parent folder is a fault as well', async () => {
    const parent = makeFolder();
    mkdirSync(join(parent, 'a', 'b'), { recursive: true });
    mkdirSync(join(parent, 'c', 'b'), { recursive: true });
    writeFileSync(join(parent, 'a', 'b', 'x'), '');
    const replace = attemptThat(() => {
      renameSync(join(parent, 'a'), join(parent, 'was'));
      symlinkSync('c', join(parent, 'a'));
    });
    const { fault } = await replace(specIn(join(parent, 'a', 'b')), givenControl());
    expect(fault?.code).toBe('workdir_replaced');
  });
});

describe('an evidence file of a gate', () => {
  const evidence = { files: ['audit.json', 'old.json'], survey: null };
  const files = { 'audit.json': '{"passed":true}', 'old.json': '{"passed":true}' };

  it.each(['agent', 'check'] as const)('is reported as written, even with unchanged content: %s', async (kind) => {
    const { root, write } = makeRepository(files);
    utimesSync(join(root, 'audit.json'), new Date(1_000), new Date(1_000));
    const run = attemptThat(() => write('audit.json', '{"passed":true}'));
    expect((await run(specIn(root, { kind, evidence }), givenControl())).wrote).toEqual(['audit.json']);
    const idle = attemptThat(() => undefined);
    expect((await idle(specIn(root, { kind, evidence }), givenControl())).wrote).toEqual([]);
    expect(await idle(specIn(root, { kind }), givenControl())).not.toHaveProperty('wrote');
  });

  it('is reported as written by an interrupted earlier attempt', async () => {
    const { root, write } = makeRepository(files);
    let noted: Checkpoint | null = null;
    const first = attemptThat(() => write('audit.json', '{"passed":false}'), {
      noteCheckpoint: (_attempt, at) => {
        noted = at;
      },
    });
    await first(specIn(root, { evidence }), givenControl());
    const second = attemptThat(() => undefined, { earlierCheckpoint: () => noted });
    expect((await second(specIn(root, { evidence }), givenControl())).wrote).toEqual(['audit.json']);
  });
});

describe('what a reviewer is asked about', () => {
  it('is measured from before the chain, and from the last request for changes', async () => {
    const repository = makeRepository({ 'a.txt': 'a\n' });
    const began = await checkpoint(repository.root);
    repository.write('b.txt', 'b\n');
    const judged = await checkpoint(repository.root);
    const act = () => void repository.write('a.txt', 'a\nmore\n');
    const spec = specIn(repository.root, { baseline: { whole: began.tree, since: judged.tree } });
    const { work } = await attemptThat(act)(spec, givenControl());
    const { tree } = await checkpoint(repository.root);
    expect(work).toEqual({
      whole: {
        ...{ from: began.tree, to: tree, stat: { files: 2, insertions: 2, deletions: 0 } },
        files: [
          { path: 'a.txt', insertions: 1, deletions: 0 },
          { path: 'b.txt', insertions: 1, deletions: 0 },
        ],
      },
      since: {
        ...{ from: judged.tree, to: tree, stat: { files: 1, insertions: 1, deletions: 0 } },
        files: [{ path: 'a.txt', insertions: 1, deletions: 0 }],
      },
    });
  });

  it('is left out if git no longer has the tree that it is compared with', async () => {
    const { root } = makeRepository({ 'a.txt': 'a\n' });
    const spec = specIn(root, { baseline: { whole: '1'.repeat(40) } });
    expect(await attemptThat(() => undefined)(spec, givenControl())).not.toHaveProperty('work');
  });
});
