import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attemptRunner, codingAgents } from '../../../src/agents/index.js';
import { givenControl, givenFolder, givenSpec, put, sh } from './given.js';

const run = attemptRunner({ agents: codingAgents, clock: () => Date.UTC(2026, 0, 2, 3, 4, 5) });

describe('the progress log of a run', () => {
  it('starts with run, task and start time before the first attempt', async () => {
    const spec = givenSpec({
      keepsProgress: true,
      task: 'Show orders\nin a list',
      executor: sh('cat "$BOSUN_PROGRESS_FILE"; echo "## US-001" >> "$BOSUN_PROGRESS_FILE"'),
    });
    const header =
      '# Progress Log\nRun: r1\nTask: Show orders\nStarted: 2026-01-02T03:04:05.000Z\n\n## Codebase Patterns\n\n---\n';
    const { progress, output } = await run(spec, givenControl());
    expect(`${output.tail}\n`).toBe(header);
    expect(progress).toBe(`${header}## US-001\n`);
  });

  it('is kept from attempt to attempt, even if they fail', async () => {
    const spec = givenSpec({ keepsProgress: true, executor: sh('echo more >> "$BOSUN_PROGRESS_FILE"; exit 1') });
    put(spec.sharedDir, 'progress.txt', 'as it was\n');
    expect((await run(spec, givenControl())).progress).toBe('as it was\nmore\n');
    expect((await run({ ...spec, kind: 'check' }, givenControl())).progress).toBe('as it was\nmore\n');
  });

  it('does not exist if the run keeps none', async () => {
    const spec = givenSpec({ executor: sh('true') });
    expect((await run(spec, givenControl())).progress).toBeNull();
    expect(existsSync(join(spec.sharedDir, 'progress.txt'))).toBe(false);
  });

  it('is returned with its patterns and its end if it is long, and the file stays unchanged', async () => {
    const spec = givenSpec({ keepsProgress: true, executor: sh('true') });
    const blocks = Array.from({ length: 4000 }, (_, index) => `## US-${index}\ndone`).join('\n');
    const text = `# Progress Log\nRun: r1\n\n## Codebase Patterns\n- use the factory\n\n---\n${blocks}\n`;
    put(spec.sharedDir, 'progress.txt', text);
    const { progress } = await run(spec, givenControl());
    expect(progress?.length).toBe(24_000);
    expect(progress).toMatch(/^## Codebase Patterns\n- use the factory\n\n\(what lies between was cut\)\n/);
    expect(progress).toMatch(/## US-3999\ndone\n$/);
    expect(readFileSync(join(spec.sharedDir, 'progress.txt'), 'utf8')).toBe(text);
  });

  it.each([
    ['without patterns', `${'x'.repeat(30_000)}end`, /^\(what lies between was cut\)\nx+end$/],
    [
      'of patterns alone',
      `## Codebase Patterns\n${'- one\n'.repeat(9000)}`,
      /^## Codebase Patterns\n[\s\S]*was cut\)\n[\s\S]*- one\n$/,
    ],
  ])('is returned with its end if it is long and %s', async (_what, text, expected) => {
    const spec = givenSpec({ keepsProgress: true, executor: sh('true') });
    put(spec.sharedDir, 'progress.txt', text);
    const { progress } = await run(spec, givenControl());
    expect(progress?.length).toBe(24_000);
    expect(progress).toMatch(expected);
  });

  it.each([
    ['a link that leads outside', 'ln -sf "$OUTSIDE" "$F"', [/leads outside/]],
    ['a giant', 'head -c 5000000 /dev/zero > "$F"', [/at most 4194304/]],
    ['gone', 'rm "$F"', []],
  ])('is not returned if it is %s afterwards', async (_what, line, warnings) => {
    const outside = put(givenFolder(), 'secret', 'secret');
    const executor = sh(`OUTSIDE=${outside}; F="$BOSUN_PROGRESS_FILE"; ${line}; echo hi`);
    const spec = givenSpec({ keepsProgress: true, executor });
    expect(await run(spec, givenControl())).toMatchObject({ exit: 0, progress: null, warnings });
  });
});
