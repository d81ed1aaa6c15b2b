import { describe, expect, it } from 'vitest';
import { maxTextLength, parse, parsedJson, understand, verbRows } from '../../../src/bot/grammar/index.js';
import { verbTable } from '../../../src/bot/grammar/verbs.js';
import { corpusRows, knownNames, mustNotAct } from './corpus.js';

const wordsOf = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ');

describe('the corpus', () => {
  it.each(corpusRows.map((row) => ({ ...row, title: `${row.reply ?? 'said'}: ${JSON.stringify(row.text)}` })))(
    'reads $title as $verb',
    ({ text, reply, names, verb, project, target, note, code, reason, workflow }) => {
      const { candidates: _, inReply, ...said } = parse(text, names ?? knownNames, reply);
      expect(said).toEqual({
        text,
        verb,
        project: project ?? null,
        target: target ?? null,
        note: note ?? null,
        code: code ?? null,
        reason: reason ?? null,
        workflow: workflow ?? null,
      });
      expect(inReply).toBe(reply ?? null);
    },
  );

  it('holds at least 300 distinct sentences, two fifths of which must not act', () => {
    const different = new Map(corpusRows.map((row) => [`${row.reply} ${row.text} ${JSON.stringify(row.names)}`, row]));
    expect(different.size).toBe(corpusRows.length);
    expect(different.size).toBeGreaterThanOrEqual(300);
    expect(corpusRows.filter(mustNotAct).length / corpusRows.length).toBeGreaterThanOrEqual(0.4);
  });

  it('covers every verb and every phrase for it', () => {
    const missing = verbTable(verbRows).phrases.filter(
      ({ row, words }) =>
        !corpusRows.some(
          ({ text, verb }) =>
            verb !== null && ` ${wordsOf(text)} `.includes(` ${wordsOf(words.join(' '))} `) && verb === row.verb,
        ),
    );
    const phrases = missing.map(({ words }) => words.join(' '));
    expect(phrases, 'each needs a row in test/bot/grammar/corpus-commands.ts').toEqual([]);
    expect(new Set(corpusRows.map(({ verb }) => verb)).size).toBe(verbRows.length + 2);
  });
});

describe('a text that is too long', () => {
  it('is unclear regardless of its beginning', () => {
    const text = `shop: ${'x'.repeat(maxTextLength)}`;
    expect(parse(text, knownNames).verb).toBeNull();
    expect(parse(`ok, ${text}`, knownNames, 'review').verb).toBeNull();
    expect(understand(text, knownNames, 'question').verb).toBeNull();
    expect(parse(text.slice(0, maxTextLength), knownNames).verb).toBe('start');
  });
});

describe('understand', () => {
  it.each([
    ['stop', 'question', 'stop'],
    ['retry: use node 20', 'escalation', 'retry'],
    ['continue shop', 'review', 'continue'],
    ['cancel', 'review', 'abort'],
    ['start shop: add login', 'review', 'start'],
  ] as const)('obeys the command %j in a reply to a %s', (text, reply, verb) => {
    expect(understand(text, knownNames, reply)).toMatchObject({ verb, inReply: null });
  });

  it.each([
    ['cancel', 'confirm', 'reject'],
    ['start', 'confirm', null],
    ['ok', 'review', 'approve'],
    ['A: use tabs', 'question', 'answer'],
    ['A: use tabs', 'review', null],
    ['yes', 'question', 'answer'],
  ] as const)('reads %j in a reply to a %s as the reply itself', (text, reply, verb) => {
    expect(understand(text, knownNames, reply)).toMatchObject({ verb, inReply: reply });
  });

  it('equals parse when nothing is replied to', () => {
    expect(understand('continue A', knownNames)).toEqual(parse('continue A', knownNames));
  });
});

describe('parsedJson', () => {
  it('prints only five fields when nothing else is set', () => {
    expect(parsedJson(parse('pause A', knownNames))).toEqual({
      text: 'pause A',
      verb: 'stop',
      project: 'shop',
      target: null,
      note: null,
    });
  });

  it('adds the workflow of start and the code and reason of reject', () => {
    expect(parsedJson(parse('start A with quick: go on', knownNames))).toMatchObject({
      workflow: 'quick',
      note: 'go on',
    });
    expect(parsedJson(parse('reject i7: nfr_missing', knownNames))).toMatchObject({
      target: 'i7',
      code: 'i7',
      reason: 'nfr_missing',
    });
  });

  it('has candidates exactly when the verb is null', () => {
    expect(parsedJson(parse('continue shpo', knownNames))).toMatchObject({
      verb: null,
      candidates: [{ verb: 'continue', project: 'shop', text: 'continue shop' }],
    });
    expect(parsedJson(parse('status', knownNames))).not.toHaveProperty('candidates');
  });
});
