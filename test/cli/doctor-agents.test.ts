import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bosun, newFolder } from './given.js';

async function examine(program: string, more = '', used = 'a') {
  const home = newFolder();
  const config = [
    `executors:\n  a: { kind: claude, program: "${program}"${more} }`,
    '  spare: { kind: codex, program: /no/such/codex }',
    `projects:\n  shop: { root: ${process.cwd()}, executor: ${used} }\n`,
  ].join('\n');
  writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 });
  const { out } = await bosun(['doctor', '--json'], { home });
  const { checks }: { checks: { name: string; state: string; text: string; mend: string | null }[] } = JSON.parse(out);
  return (name: string) => checks.filter((one) => one.name === name);
}

function program(): string {
  const path = join(newFolder(), 'claude');
  writeFileSync(path, '#!/bin/sh\necho "9.9 (Claude Code)"\n');
  chmodSync(path, 0o755);
  return path;
}

describe('bosun doctor, checking coding agents', () => {
  it('reports the version of an agent that a project uses', async () => {
    const path = program();
    const found = await examine(path);
    expect(found('executor a')).toEqual([
      { name: 'executor a', state: 'ok', text: `${path} 9.9 (Claude Code)`, mend: null },
    ]);
  });

  it('says how to install a missing agent, and ignores a missing one that no project uses', async () => {
    const found = await examine('/no/such/claude');
    expect(found('executor a')).toMatchObject([{ state: 'bad', mend: expect.stringContaining('npm install -g') }]);
    expect(found('executor spare')).toMatchObject([{ state: 'ok' }]);
  });

  it('examines each executor of a project’s list', async () => {
    const found = await examine(program(), '', '[a, spare]');
    expect(found('executor a')).toMatchObject([{ state: 'ok' }]);
    expect(found('executor spare')).toMatchObject([{ state: 'bad', text: expect.stringContaining('/no/such/codex') }]);
  });

  it('warns of an agent with permission bypass', async () => {
    expect((await examine(program(), ', permission: bypass'))('executor a')).toMatchObject([{ state: 'warn' }]);
  });
});
