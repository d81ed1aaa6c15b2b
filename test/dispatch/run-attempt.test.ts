// An attempt in its checkout: no secret leaves it, and what it left there is measured over all tries of its step.
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attemptRunner } from '../../src/dispatch/executor/index.js';
import type { AttemptSpec, Progress } from '../../src/dispatch/job.js';
import { redactor } from '../../src/dispatch/redact/index.js';
import { type CheckoutParts, inCheckout } from '../../src/dispatch/run-attempt.js';
import { type Checkpoint, checkpoint } from '../../src/dispatch/workspace/index.js';
import { emptyEnvelope } from '../../src/engine/index.js';
import { givenControl, givenSpec, sh } from './executor/given.js';
import { makeFolder, makeRepository } from './workspace/repository.js';

function specIn(root: string, patch: Partial<AttemptSpec> = {}): AttemptSpec {
  return givenSpec({ root, logPath: join(makeFolder(), 'log.jsonl'), executor: sh('true'), ...patch });
}

/** An attempt that does this in its folder. */
function attemptThat(act: () => void, parts: Partial<CheckoutParts> = {}) {
  return inCheckout({
    run: async () => {
      act();
      return { ...emptyEnvelope, exit: 0 };
    },
    noteCheckpoint: () => undefined,
    log: () => undefined,
    ...parts,
  });
}

describe('a secret', () => {
  const secret = 'never-to-be-seen';

  it('that an agent prints is neither in its log, nor in what it shows, nor in what comes back', async () => {
    const { root } = makeRepository();
    const shown: Progress[] = [];
    const spec = specIn(root, {
      executor: sh(
        `echo "STATUS: pass"; echo "CHANGES: ${secret} $BOSUN_TOKEN"; echo "${secret}" >&2; printf 'x\\n-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG\\n-----END PRIVATE KEY-----\\n'`,
      ),
      check: `echo ${secret}; exit 1`,
    });
    const redactOf = ({ token }: AttemptSpec) => redactor([secret, token]);
    const run = inCheckout({
      run: attemptRunner({ redactOf }),
      noteCheckpoint: () => undefined,
      redactOf,
      log: () => undefined,
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

describe('a refused command', () => {
  const refused = (what: string) => ({
    kind: 'permission' as const,
    text: `Bash was refused: ${what}`,
    options: [],
    permission: { tool: 'Bash', what, mark: 'a mark' },
  });

  it('of which more than a secret would be hidden is told of, and cannot be allowed', async () => {
    const asks = [refused('ls ://a:b;rm$IFS-rf$IFS.;@y'), refused('curl -H x:never-to-be-seen')];
    const run = inCheckout({
      run: async () => ({ ...emptyEnvelope, exit: 0, asks }),
      noteCheckpoint: () => undefined,
      redactOf: () => redactor(['never-to-be-seen']),
      log: () => undefined,
    });
    const [hidden, shown] = (await run(specIn(makeRepository().root), givenControl())).asks ?? [];
    expect(hidden?.permission?.mark).toBe('none');
    expect(hidden?.text).toContain('allowing it changes nothing');
    expect(shown?.permission?.mark).toBe('a mark');
    expect(shown?.text).toBe('Bash was refused: curl -H x:[redacted]');
  });
});

describe('what the tries of a step left', () => {
  it('is measured from before the first, as far as they changed it', async () => {
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

  it('is looked at whole, also where it is more than is noted', async () => {
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

  it('is not measured where there was none before, nor where that is no longer known', async () => {
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

describe('a link', () => {
  it('that leads out of the checkout is named, also one that leads to nothing yet', async () => {
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

  it('is nobody’s business within the repository that the project is a folder of', async () => {
    const repository = makeRepository({ 'shop/a.txt': 'one\n', 'shared/b.txt': 'two\n' });
    const root = join(repository.root, 'shop');
    const within = attemptThat(() => symlinkSync('../shared/b.txt', join(root, 'b.txt')));
    expect((await within(specIn(root), givenControl())).strays).toBeUndefined();
    const out = attemptThat(() => symlinkSync('../../x', join(root, 'c.txt')));
    expect((await out(specIn(root), givenControl())).strays).toEqual(['c.txt']);
  });

  it('that was there before is not the attempt’s', async () => {
    const repository = makeRepository();
    symlinkSync('/etc/passwd', join(repository.root, 'old'));
    const { strays } = await attemptThat(() => undefined)(specIn(repository.root), givenControl());
    expect(strays).toBeUndefined();
  });

  it('in place of the folder is a fault, and nothing is measured where it leads', async () => {
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

  it('above the folder is one too', async () => {
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
