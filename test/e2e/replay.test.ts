// Written conversations: the shipped one, one that expects what does not come, and files that are none.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { runReplay } from '../../src/cli/demo/replay.js';
import { readConversation } from '../../src/cli/demo/replay-file.js';
import { acquireLock } from '../../src/config/home/lock.js';
import { openHome } from '../open-home.js';

beforeEach(() => {
  vi.stubEnv('DEMO_DELAY_MS', '0');
  return () => vi.unstubAllEnvs();
});

function givenFile(content: string, name = 'talk.yaml'): string {
  const dir = mkdtempSync(join(tmpdir(), 'bosun-replay-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(dir, name), content);
  return join(dir, name);
}

async function replayed(file: string, home: string | null = null) {
  const output = new PassThrough();
  const printed = text(output);
  try {
    const code = await runReplay(file, { home: home === null ? null : openHome(home), output, isColored: false });
    output.end();
    return { code, printed: await printed };
  } finally {
    output.end();
  }
}

describe('a replay', () => {
  it('plays the shipped conversation, and everything it expects is posted', async () => {
    const { code, printed } = await replayed(join(import.meta.dirname, '../../examples/conversations/demo.yaml'));
    expect(printed).toContain('> continue A\n');
    expect(printed).toContain('2 of 2 stories done');
    expect(code).toBe(0);
  }, 60_000);

  it('stops at the first unmet expectation and names its line', async () => {
    const file = givenFile(
      '- say: whoami\n  expect: the owner\n\n- say: projects\n  expect:\n    - demo\n    - no such words\n- say: status\n',
    );
    const { code, printed } = await replayed(file);
    expect(code).toBe(1);
    expect(printed).toContain(`${file}:4: expected "no such words", but no message contains it`);
    expect(printed).not.toContain('> status');
  });

  it('checks an expectation only against messages posted since, in the same thread', async () => {
    const file = givenFile(
      '- say: whoami\n- {say: projects, thread: other}\n- {expect: the owner}\n- {expect: the owner, thread: other}\n',
    );
    const { code, printed } = await replayed(file);
    expect(code).toBe(1);
    expect(printed).toContain('── thread other');
    expect(printed).toContain(`${file}:4:`);
  });

  it.each([
    ['a reply without a card', '- reply: yes', 'No card is open'],
    ['a button that is not there', '- press: Launch', 'no message offers the button "Launch"'],
    ['an unknown person', '- {say: status, as: mallory}', 'mallory'],
  ])('stops at %s', async (_name, content, expected) => {
    const { code, printed } = await replayed(givenFile(content));
    expect(code).toBe(1);
    expect(printed).toContain(expected);
  });

  it('speaks as people of the given home, from JSON lines too', async () => {
    const file = givenFile(
      '{"say":"whoami","as":"bob","expect":"You are Bob"}\n\n{"say":"whoami","expect":"the owner"}\n',
      'talk.jsonl',
    );
    const home = join(file, '..', 'home');
    openHome(home);
    writeFileSync(join(home, 'config.yaml'), 'people: { bob: {} }\n');
    const { code, printed } = await replayed(file, home);
    expect(printed).toContain('bob> whoami');
    expect(code).toBe(0);
  });

  it('refuses a home in which another Bosun runs', async () => {
    const file = givenFile('- say: whoami');
    const home = openHome(join(file, '..', 'home'));
    const acquired = await acquireLock(home, { waitMs: 0, info: { port: 1, role: 'up' } });
    if (acquired.kind !== 'acquired') throw new Error('the lock is held');
    onTestFinished(() => acquired.lock.release());
    await expect(replayed(file, home.dir)).rejects.toMatchObject({ code: 'busy_home' });
  });
});

describe('an invalid conversation file', () => {
  const bomb = Array.from({ length: 6 }, (_, level) => {
    const ten = level === 0 ? 'x' : `*a${level - 1}`;
    return `- &a${level} [${Array.from({ length: 10 }, () => ten).join(', ')}]`;
  }).join('\n');
  const manySteps = '- say: status\n'.repeat(1_001);
  it.each([
    ['no list', 'say: status', /:1: it must be a list/],
    ['nothing', '# only a comment', /:1: the file has no steps/],
    ['broken YAML', '- say: status\n- say: "open', /:2:/],
    ['an unknown key', '- say: status\n- sya: status\n', /:2: .*sya/],
    ['two acts in one step', '- say: a\n  press: b', /:1: has more than one/],
    ['an empty step', '- as: bob', /:1: has none of/],
    ['words of the wrong kind', '- say: status\n- say: [1]', /:2: say: /],
    ['words without a button', '- {say: a, text: b}', /:1: has a text without a press/],
    ['a word that is too long', `- say: ${'x'.repeat(20_001)}`, /longer than 20000/],
    ['too many steps', manySteps, /:1001: it has more than 1000 steps/],
    ['too many bytes', `# ${'x'.repeat(300_000)}`, /larger than 256 KB/],
    ['nesting that would break the parser', '- '.repeat(50_000), /nested too deep/],
    ['aliases that unfold to too much', bomb, /its aliases .* expand to too much text/],
  ])('is refused with its line: %s', (_name, content, expected) => {
    expect(() => readConversation(givenFile(content))).toThrow(expected);
  });

  it('is refused with its line: malformed JSON lines', () => {
    expect(() => readConversation(givenFile('{"say":"a"}\n{say}\n', 'talk.jsonl'))).toThrow(/:2: the line is not JSON/);
  });

  it('is refused: a folder, a pipe or a missing file', () => {
    const file = givenFile('');
    execFileSync('mkfifo', [`${file}.pipe`]);
    expect(() => readConversation(join(file, '..'))).toThrow(/is not a file/);
    expect(() => readConversation(`${file}.pipe`)).toThrow(/is not a file/);
    expect(() => readConversation(`${file}.none`)).toThrow(/Cannot read .* \(ENOENT\)/);
  });
});
