import { describe, expect, it } from 'vitest';
import { parseOutput } from '../../../src/engine/report/index.js';

const keysOf = (text: string, declared: readonly string[] | null = null) => parseOutput(text, declared).keys;

describe('the printed report of an agent', () => {
  it.each<[string, string, Record<string, string>]>([
    ['a single line', 'STATUS: done', { STATUS: 'done' }],
    [
      'several keys',
      'STATUS: done\nREPO: /srv/shop\nBRANCH: feat',
      { STATUS: 'done', REPO: '/srv/shop', BRANCH: 'feat' },
    ],
    ['a value on the next line', 'CHANGES:\n- one\n- two\nSTATUS: done', { CHANGES: '- one\n- two', STATUS: 'done' }],
    [
      'a value that goes on',
      'CHANGES: one\ntwo\n\nthree\nSTATUS: done',
      { CHANGES: 'one\ntwo\n\nthree', STATUS: 'done' },
    ],
    ['the last key up to the end', 'STATUS: done\nNOTES: a\nb\n', { STATUS: 'done', NOTES: 'a\nb' }],
    ['blanks around values', 'STATUS:   done  \n  \nNOTES:\n\n  x \n\n', { STATUS: 'done', NOTES: 'x' }],
    ['digits in keys', 'STEP_2A: x', { STEP_2A: 'x' }],
    ['no blank after the colon', 'STATUS:done', { STATUS: 'done' }],
    ['Windows line ends', 'STATUS: done\r\nNOTES: a\r\nb\r\n', { STATUS: 'done', NOTES: 'a\nb' }],
    ['prose before the first key', 'I did it.\nSTATUS: done', { STATUS: 'done' }],
    ['an indented key is text', 'NOTES: a\n  STATUS: failed', { NOTES: 'a\n  STATUS: failed' }],
    ['lower case is text', 'status: failed', {}],
    [
      'addresses, paths and scopes are text',
      'NOTES: see\nHTTPS://x.y\nC:\\temp\nSTD::map',
      { NOTES: 'see\nHTTPS://x.y\nC:\\temp\nSTD::map' },
    ],
    ['the last status wins', 'STATUS: pass\nNOTES: x\nSTATUS: failing', { STATUS: 'failing', NOTES: 'x' }],
    [
      'status and decision keep one line',
      'DECISION: retry\nbecause\nSTATUS: done\nAll good.',
      { DECISION: 'retry', STATUS: 'done' },
    ],
    ['a status on the next line', 'STATUS:\n\ndone\nbye', { STATUS: 'done' }],
  ])('is parsed into keys: %s', (_title, text, keys) => {
    expect(keysOf(text)).toEqual(keys);
  });

  it.each<[string, string, Record<string, string>]>([
    ['a code fence', 'STATUS: failing\n```\nSTATUS: pass\nSUMMARY: no\n```\nIt failed.', { STATUS: 'failing' }],
    [
      'a fence of tildes within a value',
      'ISSUES: see\n~~~txt\nSTATUS: pass\n~~~',
      { ISSUES: 'see\n~~~txt\nSTATUS: pass\n~~~' },
    ],
    ['a longer fence around a shorter one', '````\n```\nSTATUS: pass\n```\nDECISION: approved\n````', {}],
    ['a quotation', '> STATUS: pass\n> DECISION: approved', {}],
  ])('ignores keys inside %s', (_title, text, keys) => {
    expect(keysOf(text)).toEqual(keys);
    expect(parseOutput(text, null).summary).toBeNull();
  });

  it('reads the keys after a code fence that never closes', () => {
    expect(keysOf('```\nnpm test\nSTATUS: done')).toEqual({ STATUS: 'done' });
  });

  it.each<[string, string, readonly string[] | undefined]>([
    ['the same word twice', 'STATUS: done\nSTATUS: Done.', undefined],
    ['two words for the same', 'STATUS: done\nSTATUS: passed', undefined],
    ['one of them quoted', '```\nSTATUS: failing\n```\nSTATUS: passed', undefined],
    ['a pass and a failure', 'STATUS: done\nSTATUS: failing\nSTATUS: ok', ['ok', 'failing']],
    ['a known and an unknown word', 'STATUS: done\nSTATUS: splendid', ['done', 'splendid']],
  ])('detects contradicting STATUS lines: %s', (_title, text, statuses) => {
    expect(parseOutput(text, null).statuses).toEqual(statuses);
  });

  it('accepts only declared keys and the built-in ones', () => {
    const text = 'ISSUES: one\nNOTE: not a key\nERROR: nor this\nSTATUS: retry\nEXTRA: no\nQUESTIONS: which?';
    expect(keysOf(text, ['issues'])).toEqual({
      ISSUES: 'one\nNOTE: not a key\nERROR: nor this',
      STATUS: 'retry',
      QUESTIONS: 'which?',
    });
  });

  it('returns the stories as raw text, separate from the keys', () => {
    const json = '[\n  {"id": "US-001", "url": "https://x/y"}\n]';
    const output = parseOutput(`STATUS: done\nSTORIES_JSON: ${json}\nREPO: /srv`, null);
    expect(output.stories).toBe(json);
    expect(output.keys).toEqual({ STATUS: 'done', REPO: '/srv' });
  });

  it('ends the stories at the next key line and drops an undeclared key', () => {
    const output = parseOutput('STORIES_JSON:\n[]\nNOTES: x\ny', []);
    expect([output.stories, output.keys]).toEqual(['[]', {}]);
  });

  it.each([
    ['a fence', '```json\n[1]\n```', '[1]'],
    ['a fence with prose after it', '```\n[1]\n```\nThat is all.', '[1]'],
    ['a fence that never closes', '```json\n[1]', '[1]'],
    ['a lone fence', '```', '```'],
  ])('strips %s from the stories', (_title, text, stories) => {
    expect(parseOutput(`STORIES_JSON:\n${text}`, null).stories).toBe(stories);
  });

  it.each([
    ['a bare heading', 'x\nSUMMARY\nDid it.\nTwice.', 'Did it.\nTwice.'],
    ['a markdown heading', 'x\n## Summary\n\nDid it.', 'Did it.'],
    ['a markdown heading with text', '### Summary: Did it.', 'Did it.'],
    ['a key', 'SUMMARY: Did it.', 'Did it.'],
    ['the last of several', 'SUMMARY: no\n## Summary\nyes', 'yes'],
    ['the last that says something', '## Summary\nyes\nSUMMARY:\n', 'yes'],
    ['text up to the next key', '## Summary\nyes\nSTATUS: done', 'yes'],
    ['nothing', '## Summary of changes\nno', null],
  ])('finds the summary as %s', (_title, text, summary) => {
    expect(parseOutput(text, []).summary).toBe(summary);
  });

  it.each(['', ' \n\t\n'])('treats %j as empty', (text) => {
    expect(parseOutput(text, null)).toEqual({ isEmpty: true, keys: {}, stories: null, summary: null, tail: '' });
  });

  it('keeps the end of the text as its tail', () => {
    const output = parseOutput(`${'a'.repeat(5000)}\nthe end\n`, null);
    expect(output.isEmpty).toBe(false);
    expect(output.tail).toMatch(/a\nthe end$/);
    expect(output.tail.length).toBeLessThanOrEqual(2048);
  });

  it('keeps at most 200 keys, and still updates known ones after that', () => {
    const text = Array.from({ length: 300 }, (_, index) => `KEY_${index}: x`).join('\n');
    const keys = keysOf(`STATUS: pass\n${text}\nSTATUS: failing`);
    expect(Object.keys(keys)).toHaveLength(200);
    expect(keys).toMatchObject({ STATUS: 'failing' });
  });

  it.each([
    ['one endless word', 'A'.repeat(1_000_000)],
    ['many keys', 'A:\n'.repeat(333_333)],
    ['blanks', `SUMMARY${' '.repeat(1_000_000)}x`],
    ['a heading of blanks', `##${' '.repeat(500_000)}summary${' '.repeat(500_000)}x`],
    ['one value of many lines', `NOTES:${' \n'.repeat(500_000)}`],
    ['fences', `STORIES_JSON:\n${'```\n'.repeat(250_000)}`],
    ['line feeds', '\r\n'.repeat(500_000)],
  ])('is parsed in linear time for a hostile megabyte of %s', (_title, text) => {
    const started = performance.now();
    parseOutput(text, null);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
