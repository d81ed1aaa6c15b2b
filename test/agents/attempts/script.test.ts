import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { attemptRunner, codingAgents } from '../../../src/agents/index.js';
import type { AttemptSpec } from '../../../src/jobs/attempt-spec.js';
import { givenControl, givenFolder, givenSpec, put } from './given.js';

const run = attemptRunner({ agents: codingAgents });

function givenScript(answers: unknown, changes: Partial<AttemptSpec> = {}): AttemptSpec {
  const root = givenFolder();
  const file = put(root, 'script.yaml', typeof answers === 'string' ? answers : stringify(answers));
  return givenSpec({ root, executor: { kind: 'script', file, env: {}, passEnv: [] }, ...changes });
}

describe('a scripted agent', () => {
  it('plays an answer, marked as scripted', async () => {
    const control = givenControl();
    const spec = givenScript([
      {
        step: 'impl',
        write: { 'src/cart.ts': 'export {};\n' },
        append: { 'notes.txt': 'more\n' },
        run: ['sh', '-c', 'cat src/cart.ts > ran.txt; cat >> ran.txt'],
        result: { status: 'pass', reason: null },
        handoff: { front: { status: 'pass', files_changed: ['src/cart.ts'] }, body: '# Done' },
        output: 'STATUS: done\nSUMMARY: It is done.',
      },
    ]);
    put(spec.workdir, 'notes.txt', 'some\n');
    const envelope = await run(spec, control);
    expect(envelope).toMatchObject({
      exit: 0,
      fault: null,
      warnings: [],
      result: { status: 'pass', reason: null },
      handoff: { front: { status: 'pass', filesChanged: ['src/cart.ts'] }, body: '# Done' },
      output: { keys: { STATUS: 'done' }, summary: 'It is done.' },
    });
    expect(control.seen).toContainEqual({
      type: 'output',
      line: expect.stringMatching(/^\[scripted\] US-001 impl, try 1/),
    });
    expect(readFileSync(join(spec.workdir, 'notes.txt'), 'utf8')).toBe('some\nmore\n');
    expect(readFileSync(join(spec.workdir, 'ran.txt'), 'utf8')).toBe('export {};\nDo it.');
  });

  it('takes the first answer for step, item and try, and counts a repeated attempt once', async () => {
    const spec = givenScript({
      answers: [
        { step: 'verify', output: 'WHICH: other step' },
        { step: 'impl', item: 'US-002', output: 'WHICH: other item' },
        { step: 'impl', try: 2, output: 'WHICH: second', exit: 3 },
        { step: 'step-003', output: 'WHICH: any' },
      ],
    });
    const play = async (changes: Partial<AttemptSpec>) => {
      const { output, exit } = await run({ ...spec, ...changes }, givenControl());
      return [output.keys['WHICH'], exit];
    };
    expect(await play({ attempt: 'a1', attemptNumber: 1 })).toEqual(['any', 0]);
    expect(await play({ attempt: 'a2', attemptNumber: 1 })).toEqual(['second', 3]);
    expect(await play({ attempt: 'a2', attemptNumber: 1 })).toEqual(['second', 3]);
    expect(await play({ attempt: 'a3' })).toEqual(['any', 0]);
    expect(await play({ attempt: 'b1', item: 'US-002' })).toEqual(['other item', 0]);
  });

  it('returns the exit code of the command that it runs', async () => {
    expect((await run(givenScript([{ step: 'impl', run: ['sh', '-c', 'exit 4'] }]), givenControl())).exit).toBe(4);
    const missing = await run(givenScript([{ step: 'impl', run: ['no-such-program-here'] }]), givenControl());
    expect(missing).toMatchObject({ exit: 127, output: { tail: expect.stringContaining('no-such-program-here') } });
  });

  it('may answer without output', async () => {
    const { exit, output } = await run(givenScript([{ step: 'impl' }]), givenControl());
    expect([exit, output.isEmpty]).toEqual([0, true]);
  });

  it('is killed at the time limit while it delays', async () => {
    const spec = givenScript([{ step: 'impl', delay_ms: 60_000 }], { timeoutMs: 500 });
    expect((await run(spec, givenControl())).killed).toBe('timeout');
  });

  it('reads a relative script path from the project', async () => {
    const spec = givenScript([{ step: 'impl', output: 'X: y' }]);
    const relative = { ...spec, executor: { kind: 'script', file: 'script.yaml', env: {}, passEnv: [] } } as const;
    expect((await run(relative, givenControl())).output.keys).toMatchObject({ X: 'y' });
  });

  it('survives a damaged try counter', async () => {
    const spec = givenScript([{ step: 'impl', try: 1, output: 'X: y' }]);
    put(spec.sharedDir, 'script-tries.json', '{');
    expect((await run(spec, givenControl())).output.keys).toMatchObject({ X: 'y' });
  });

  it.each<[string, unknown, string, RegExp]>([
    ['has no answer', [{ step: 'verify' }], 'no_answer', /no answer for step "impl", item "US-001", try 1; add one/],
    ['is no list', { impl: {} }, 'bad_script', /is not valid at its top: must be a list of answers/],
    ['has an unknown key', [{ step: 'impl', ouput: 'x' }], 'bad_script', /is not valid at 0: .*ouput/],
    ['has an exit code beyond 255', [{ step: 'impl', exit: 256 }], 'bad_script', /is not valid at 0.exit/],
    ['is no YAML', '[', 'bad_script', /could not be read/],
    ['writes outside', [{ step: 'impl', write: { '../x': '' } }], 'bad_script', /outside the working directory/],
    [
      'writes to an absolute path',
      [{ step: 'impl', append: { '/tmp/x': '' } }],
      'bad_script',
      /outside the working directory/,
    ],
    [
      'writes through a link',
      [{ step: 'impl', write: { 'link/x/y': '' } }],
      'bad_script',
      /outside the working directory/,
    ],
    [
      'writes to a link that leads nowhere',
      [{ step: 'impl', write: { dangling: '' } }],
      'bad_script',
      /outside the working directory/,
    ],
  ])('that %s is a fault with a message', async (_title, answers, code, message) => {
    const spec = givenScript(answers);
    const outside = givenFolder();
    mkdirSync(spec.workdir, { recursive: true });
    symlinkSync(outside, join(spec.workdir, 'link'));
    symlinkSync(join(outside, 'none'), join(spec.workdir, 'dangling'));
    expect((await run(spec, givenControl())).fault).toEqual({ code, message: expect.stringMatching(message) });
    expect(existsSync(join(outside, 'x'))).toBe(false);
  });

  it('with a missing script file is a fault', async () => {
    const spec = givenSpec({ executor: { kind: 'script', file: 'none.yaml', env: {}, passEnv: [] } });
    expect((await run(spec, givenControl())).fault).toMatchObject({
      code: 'bad_script',
      message: expect.stringContaining('none.yaml'),
    });
  });

  it('can request edits, add scratch notes and play the roles of a team', async () => {
    const spec = givenScript(
      [
        { step: 'impl', role: 'backend', result: { status: 'pass' }, output: 'WHO: backend' },
        {
          step: 'impl',
          role: 'frontend',
          handoff: { front: { status: 'pass' } },
          edits: [{ operation: 'skip', target_step_id: 'step-009', reason: 'done' }],
          scratch: 'for all',
          item_scratch: 'for this one',
          progress: '## US-001',
        },
      ],
      {
        keepsProgress: true,
        team: [
          { role: 'backend', prompt: '', writes: [], turn: 0 },
          { role: 'frontend', prompt: '', writes: [], turn: 0 },
        ],
      },
    );
    const control = givenControl();
    expect(await run(spec, control)).toMatchObject({
      handoff: { front: { status: 'pass' } },
      output: { keys: { WHO: 'backend' } },
      edits: { ok: true, ops: [{ operation: 'skip', target: 'step-009' }] },
      scratch: { run: 'for all', item: 'for this one' },
      progress: expect.stringMatching(/## US-001\n$/),
      team: [
        { role: 'backend', status: 'pass' },
        { role: 'frontend', status: 'pass' },
      ],
    });
    expect(control.seen).toContainEqual({
      type: 'output',
      line: expect.stringMatching(/^\[backend\] \[scripted\] US-001 impl backend, try 1/),
    });
  });

  it('without an answer for a role is a fault that names the role', async () => {
    const team = [{ role: 'backend', prompt: '', writes: [], turn: 0 }];
    const spec = givenScript([{ step: 'impl', role: 'frontend' }, { step: 'verify' }], { team });
    expect((await run(spec, givenControl())).fault).toMatchObject({
      code: 'no_answer',
      message: expect.stringMatching(/^backend: .*item "US-001", role "backend", try 1/),
    });
  });
});
