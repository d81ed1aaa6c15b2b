// How evidence is worded for a chat: what is small stands in the message, and what may hold secrets stays out.
import { describe, expect, it } from 'vitest';
import { evidenceView, withoutSecretFiles } from '../../../src/bot/commands/reading/gather-evidence.js';

const part = (path: string) => `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;

describe('a patch for a chat', () => {
  it('names files that usually hold keys, and leaves their content out', () => {
    const secret = ['.env', 'app/.env.production', 'deploy/server.pem', 'home/.ssh/id_ed25519', '.npmrc'];
    const plain = ['src/env.ts', '.env.example', 'docs/key.md', 'pem.ts'];
    const { patch, hidden } = withoutSecretFiles([...secret, ...plain].map(part).join(''));
    expect(hidden).toEqual(secret);
    expect(patch).toBe(plain.map(part).join(''));
  });

  it('finds such a file in a folder whose name looks like the end of a header, and a name that git quotes', () => {
    const quoted = 'diff --git "a/\\303\\251.pem" "b/\\303\\251.pem"\n+key\n';
    const odd = 'diff --git a/one.txt b/.env\n+KEY=1\n';
    const { patch, hidden } = withoutSecretFiles([part('x b/.env'), part('x b/a.ts'), quoted, odd].join(''));
    expect(hidden).toEqual(['x b/.env', '\\303\\251.pem', 'a file whose name cannot be read']);
    expect(patch).toBe(part('x b/a.ts'));
  });
});

describe('evidence', () => {
  const about = { title: 'Diff · x', place: ['shop', '', '1 file'], list: ['a.txt +1 −0'], language: 'diff' };

  it('that is small is code in the message, and a fence in it closes nothing', () => {
    const { text, file } = evidenceView({ ...about, whole: { name: 'x.diff', text: '+a\n```\n+b' } });
    expect(text).toBe("Diff · x\nshop · 1 file\na.txt +1 −0\n```diff\n+a\n'''\n+b\n```");
    expect(file).toBeNull();
  });

  it('that is large is a file, with keys and control characters removed', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `+line ${index}`);
    const text = [...lines, `+ghp_${'x'.repeat(36)} \u001b[31mred`].join('\n');
    const shown = evidenceView({ ...about, whole: { name: 'x.diff', text } });
    expect(shown.text).toBe('Diff · x\nshop · 1 file\na.txt +1 −0');
    expect(shown.file).toEqual({ name: 'x.diff', text: `${lines.join('\n')}\n+[redacted] red\n` });
  });
});
