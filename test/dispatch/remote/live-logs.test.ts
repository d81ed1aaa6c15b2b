import { mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { liveLogs } from '../../../src/dispatch/remote/index.js';

const baseOf = (path: string) => join(path, '..', '..', '..');
const newPath = () => join(mkdtempSync(join(tmpdir(), 'bosun-live-')), 'logs', '_', 'impl.jsonl');
const fail = (error: unknown) => {
  throw error;
};

describe('the live log of a remote attempt', () => {
  it('can be read while the attempt runs, line by line and in order', async () => {
    const path = newPath();
    const logs = liveLogs(fail);
    logs.begin('a1', path, baseOf(path));
    for (let n = 0; n < 50; n += 1) logs.hear('a1', { type: 'output', line: `line ${n}` }, 1_000 + n);
    logs.hear('a1', { type: 'action', text: 'Edit a.ts' }, 2_000);
    logs.hear('a2', { type: 'output', line: 'of another' }, 2_000);
    await expect.poll(() => readIfAny(path).length).toBe(50);
    expect(readIfAny(path)[49]).toEqual({ t: 1_049, s: 'out', line: 'line 49' });
  });

  it('is complete when the attempt ends, and ignores later lines', () => {
    const path = newPath();
    const logs = liveLogs(fail);
    logs.begin('a1', path, baseOf(path));
    logs.hear('a1', { type: 'output', line: 'last' }, 1);
    logs.end('a1');
    expect(readIfAny(path)).toEqual([{ t: 1, s: 'out', line: 'last' }]);
    logs.hear('a1', { type: 'output', line: 'too late' }, 2);
    logs.end('a1');
    expect(readIfAny(path)).toHaveLength(1);
  });

  it('is not written through a link that an agent planted', () => {
    const path = newPath();
    const victims = mkdtempSync(join(tmpdir(), 'bosun-live-'));
    symlinkSync(victims, join(baseOf(path), 'logs'));
    const errors: unknown[] = [];
    const logs = liveLogs((error) => errors.push(error));
    logs.begin('a1', path, baseOf(path));
    logs.hear('a1', { type: 'output', line: 'evil' }, 1);
    logs.end('a1');
    expect([readdirSync(victims), errors.length]).toEqual([[], 1]);
  });

  it('reports a write error once and does not throw', () => {
    const path = newPath();
    writeFileSync(join(path, '..', '..', '..', 'file'), '');
    const errors: unknown[] = [];
    const logs = liveLogs((error) => errors.push(error));
    logs.begin('a1', join(path, '..', '..', '..', 'file', 'x', 'y.jsonl'), baseOf(path));
    logs.hear('a1', { type: 'output', line: 'nowhere' }, 1);
    logs.end('a1');
    expect(errors).toHaveLength(1);
  });
});

function readIfAny(path: string): readonly unknown[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as unknown);
  } catch {
    return [];
  }
}
