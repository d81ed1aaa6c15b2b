import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attemptRunner, codingAgents, renderScratch } from '../../../src/agents/index.js';
import { givenControl, givenFolder, givenSpec, put, sh } from './given.js';

const run = attemptRunner({ agents: codingAgents });

describe('the scratch notes of an attempt', () => {
  it('are read from its own files, for all stories and for this one', async () => {
    const spec = givenSpec({
      executor: sh(
        `echo 'The API needs a key.' >> "$BOSUN_SCRATCH_FILE"; echo 'Cart is in src/.' >> "$BOSUN_ITEM_SCRATCH_FILE"`,
      ),
    });
    const { scratch, warnings } = await run(spec, givenControl());
    expect(scratch).toEqual({ run: 'The API needs a key.', item: 'Cart is in src/.' });
    expect(warnings).toEqual([]);
  });

  it('are empty if it wrote none', async () => {
    const spec = givenSpec({ executor: sh('echo hi') });
    put(spec.sharedDir, 'scratch.md', 'known\n');
    expect((await run(spec, givenControl())).scratch).toEqual({ run: '', item: '' });
  });

  it.each([
    ['adds to it', 'known\n', `printf 'new\\n~~~\\nknown\\n' >> "$F"`, 'new\n~~~\nknown'],
    ['adds to an unended line', 'known', `printf '\\nnew\\n' >> "$F"`, 'new'],
    ['changes the last line', 'known', `printf ' better\\n' >> "$F"`, 'known better'],
    ['writes it anew', 'known\nold\n', `printf 'new\\nknown\\n' > "$F"`, 'new'],
    ['begins it', null, `printf 'new\\n' > "$F"`, 'new'],
    ['takes something away', 'known\nold\n', `printf 'known\\n' > "$F"`, ''],
    ['takes it away', 'known\n', 'rm "$F"', ''],
  ])('include its changes when it %s in the shared file', async (_what, before, line, added) => {
    for (const [path, key] of [
      ['scratch.md', 'run'],
      ['scratch/US-001.md', 'item'],
      ['scratch_US-001.md', 'item'],
    ] as const) {
      const spec = givenSpec({ executor: sh(`F="$BOSUN_SHARED_DIR/${path}"; ${line}`) });
      if (before !== null) put(spec.sharedDir, path, before);
      const { scratch } = await run(spec, givenControl());
      expect(scratch).toEqual({ run: '', item: '', [key]: added });
    }
  });

  it('exclude those of other attempts that end meanwhile', async () => {
    const spec = givenSpec();
    const go = join(spec.root, 'go');
    renderScratch(spec.root, spec.sharedDir, null, 'known');
    const control = givenControl((progress) => {
      if (progress.type !== 'output' || progress.line !== 'ready') return;
      renderScratch(spec.root, spec.sharedDir, null, 'known\nof another attempt');
      put(spec.root, 'go', 'go');
    });
    const executor = sh(
      `echo mine >> "$BOSUN_SHARED_DIR/scratch.md"; echo ready; until [ -e ${go} ]; do sleep 0.02; done; echo more >> "$BOSUN_SHARED_DIR/scratch.md"`,
    );
    expect((await run({ ...spec, executor }, control)).scratch.run).toBe('mine\nmore');
    const text = readFileSync(join(spec.sharedDir, 'scratch.md'), 'utf8');
    expect(text).toBe('known\nof another attempt\nmine\nmore\n');
  });

  it('keep the last 4000 characters, marked as cut', async () => {
    const spec = givenSpec({
      executor: sh(`yes line | head -n 2000 >> "$BOSUN_SCRATCH_FILE"; echo end >> "$BOSUN_SCRATCH_FILE"`),
    });
    const { run: added } = (await run(spec, givenControl())).scratch;
    expect(added.length).toBe(4000);
    expect(added).toMatch(/^\(the beginning was cut\)\n[\s\S]*\nend$/);
  });

  it('outside a story have a file of their own', async () => {
    const spec = givenSpec({ item: '', executor: sh('echo one >> "$BOSUN_SHARED_DIR/scratch/_.md"') });
    expect((await run(spec, givenControl())).scratch).toEqual({ run: '', item: 'one' });
  });

  it('are not read through a link out of the shared folder, and do not fail the attempt', async () => {
    const outside = put(givenFolder(), 'secret', 'secret\n');
    const spec = givenSpec({ executor: sh('echo STATUS: done') });
    mkdirSync(dirname(join(spec.sharedDir, 'scratch.md')), { recursive: true });
    symlinkSync(outside, join(spec.sharedDir, 'scratch.md'));
    expect(await run(spec, givenControl())).toMatchObject({
      exit: 0,
      scratch: { run: '', item: '' },
      warnings: [/scratch.md leads outside/],
    });
  });
});

describe('the shared scratch file', () => {
  it('is rendered without duplicates, under a safe name', () => {
    const folder = givenFolder();
    renderScratch(folder, folder, null, 'one\n');
    put(folder, 'scratch.md', 'one\nunasked\n');
    renderScratch(folder, folder, null, 'one\nunasked\ntwo\n');
    expect(readFileSync(join(folder, 'scratch.md'), 'utf8')).toBe('one\nunasked\ntwo\n');
    renderScratch(folder, folder, 'US-001', '');
    expect(readFileSync(join(folder, 'scratch', 'US-001.md'), 'utf8')).toBe('');
    renderScratch(folder, folder, '../x', 'inside');
    expect(existsSync(join(folder, 'x.md'))).toBe(false);
  });

  it('keeps unreported lines of a running agent, and drops lines that Bosun dropped', () => {
    const folder = givenFolder();
    renderScratch(folder, folder, null, 'one\ntwo');
    put(folder, 'scratch.md', 'one\ntwo\nadded\n');
    renderScratch(folder, folder, null, 'two');
    expect(readFileSync(join(folder, 'scratch.md'), 'utf8')).toBe('two\nadded\n');
  });
});
