import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attemptRunner, codingAgents } from '../../../src/agents/index.js';
import type { AttemptSpec } from '../../../src/jobs/attempt-spec.js';
import { givenControl, givenFolder, givenSpec, put, sh } from './given.js';

const run = attemptRunner({ agents: codingAgents });
const skip = '[{"operation": "skip", "target_step_id": "step-009", "reason": "not needed"}]';
const ops = [{ operation: 'skip', target: 'step-009', reason: 'not needed' }];
const writing = (text: string, rest = 'echo STATUS: done') =>
  sh(`printf '%s' '${text}' > "$BOSUN_EDITS_FILE"; ${rest}`);

const editsFile = (spec: AttemptSpec) => join(spec.workdir, 'workflow_edits', 'US-001.json');
const kept = (spec: AttemptSpec, ending: string) => join(spec.sharedDir, 'edits', `${spec.attempt}${ending}`);

describe('chain edits in a file', () => {
  it('are read once, and the file is moved to the shared folder', async () => {
    const spec = givenSpec({ executor: writing(skip) });
    const envelope = await run(spec, givenControl());
    expect(envelope).toMatchObject({ edits: { ok: true, ops }, warnings: [] });
    expect(existsSync(editsFile(spec))).toBe(false);
    expect(readFileSync(kept(spec, '.json'), 'utf8')).toBe(skip);
    expect((await run({ ...spec, executor: sh('echo hi') }, givenControl())).edits).toBeNull();
    expect(existsSync(join(spec.workdir, 'workflow_edits'))).toBe(false);
  });

  it('left by an earlier attempt are moved away before the attempt', async () => {
    const spec = givenSpec({ executor: sh('test ! -e "$BOSUN_EDITS_FILE"') });
    put(spec.workdir, 'workflow_edits/US-001.json', skip);
    expect(await run(spec, givenControl())).toMatchObject({
      exit: 0,
      edits: null,
      warnings: [expect.stringMatching(/the edits file of an earlier attempt/)],
    });
    expect(readFileSync(join(spec.sharedDir, 'stale', `${spec.attempt}-edits.json`), 'utf8')).toBe(skip);
  });

  it('of a story in a worktree are read from the shared folder', async () => {
    const spec = givenSpec({ executor: writing(skip), slot: 1, workdir: givenFolder() });
    put(spec.workdir, 'workflow_edits/US-001.json', 'somebody else’s');
    expect(await run(spec, givenControl())).toMatchObject({ edits: { ok: true, ops }, warnings: [] });
    expect(readFileSync(kept(spec, '.json'), 'utf8')).toBe(skip);
    expect(existsSync(editsFile(spec))).toBe(true);
    expect(existsSync(join(spec.sharedDir, 'workflow_edits', 'US-001.json'))).toBe(false);
  });

  it('for another story are left alone and ignored', async () => {
    const spec = givenSpec({ executor: sh(`printf '%s' '${skip}' > workflow_edits/US-002.json; echo hi`) });
    expect((await run(spec, givenControl())).edits).toBeNull();
    expect(existsSync(join(spec.workdir, 'workflow_edits', 'US-002.json'))).toBe(true);
  });

  it.each([
    ['that failed without a word', { executor: writing(skip, 'exit 1') }],
    ['whose time was up', { executor: writing(skip, 'sleep 60'), timeoutMs: 300 }],
  ])('of an attempt %s are kept without being applied', async (_which, changes) => {
    const spec = givenSpec(changes);
    expect(await run(spec, givenControl())).toMatchObject({ edits: null, warnings: [/discarded/] });
    expect(existsSync(editsFile(spec))).toBe(false);
    expect(existsSync(kept(spec, '.json'))).toBe(false);
    expect(readFileSync(kept(spec, '.discarded.json'), 'utf8')).toBe(skip);
  });

  it('of an attempt stopped during its checks are kept without being applied', async () => {
    const control = givenControl((progress, self) => {
      if (progress.type === 'phase' && progress.phase === 'check') self.abort('cancel');
    });
    const spec = givenSpec({ executor: writing(skip), check: 'sleep 60' });
    expect(await run(spec, control)).toMatchObject({ killed: 'cancel', edits: null });
    expect(existsSync(kept(spec, '.discarded.json'))).toBe(true);
  });

  it('of an attempt that reports despite a nonzero exit code are returned', async () => {
    const spec = givenSpec({ executor: writing(skip, 'echo STATUS: failing; exit 1') });
    expect((await run(spec, givenControl())).edits).toEqual({ ok: true, ops });
  });

  it.each([
    ['half written', skip.slice(0, 30), /not valid JSON/],
    ['of an unknown operation', '[{"operation": "explode", "reason": "why not"}]', /explode/],
    ['empty', '', /not valid JSON/],
  ])('%s are all rejected, without failing the attempt', async (_which, text, error) => {
    const spec = givenSpec({ executor: writing(text) });
    expect(await run(spec, givenControl())).toMatchObject({ exit: 0, edits: { ok: false, error } });
    expect(readFileSync(kept(spec, '.json'), 'utf8')).toBe(text);
  });

  it.each([
    ['too large', 'head -c 300000 /dev/zero > "$F"', /at most 262144/],
    ['a pipe', 'mkfifo "$F"', /not a regular file/],
    ['a folder', 'mkdir "$F"', /not a regular file/],
    ['a link that leads outside', 'ln -s "$OUTSIDE" "$F"', /leads outside/],
  ])('in a file that is %s are rejected, and the file is removed', async (_which, line, error) => {
    const outside = put(givenFolder(), 'edits.json', skip);
    const spec = givenSpec({ executor: sh(`OUTSIDE=${outside}; F="$BOSUN_EDITS_FILE"; ${line}; echo hi`) });
    expect(await run(spec, givenControl())).toMatchObject({ exit: 0, edits: { ok: false, error } });
    expect(existsSync(editsFile(spec))).toBe(false);
    expect(readFileSync(outside, 'utf8')).toBe(skip);
  });

  it('in a folder owned by another user are left alone', async () => {
    const foreign = givenFolder();
    put(foreign, 'US-001.json', skip);
    const spec = givenSpec({ executor: sh('echo hi') });
    symlinkSync(foreign, join(spec.workdir, 'workflow_edits'));
    const envelope = await run(spec, givenControl());
    expect(envelope.edits).toMatchObject({ ok: false, error: /leads outside/ });
    expect(envelope.warnings).toEqual([expect.stringMatching(/did not touch/)]);
    expect(existsSync(join(foreign, 'US-001.json'))).toBe(true);
  });

  it('that cannot be archived are still returned, and not read by the next attempt', async () => {
    const spec = givenSpec({ executor: writing(skip) });
    put(spec.sharedDir, 'edits', 'a file where the folder should be');
    expect(await run(spec, givenControl())).toMatchObject({
      edits: { ok: true, ops },
      warnings: [/cannot keep the edits/],
    });
    rmSync(join(spec.sharedDir, 'edits'));
    mkdirSync(join(spec.sharedDir, 'edits'));
    // What could not be kept is still there, and the next attempt does not take it for its own.
    expect((await run({ ...spec, executor: sh('echo hi') }, givenControl())).edits).toBeNull();
  });
});
