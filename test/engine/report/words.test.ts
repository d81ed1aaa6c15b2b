import { describe, expect, it } from 'vitest';
import { grepBody, normaliseReason, normaliseStatus, parseStories } from '../../../src/engine/report/index.js';

describe('a status word', () => {
  it.each<[string | null, string | null]>([
    ['pass', 'pass'],
    ['Passed', 'pass'],
    ['passing', 'pass'],
    ['DONE', 'pass'],
    ['complete', 'pass'],
    ['completed', 'pass'],
    ['success', 'pass'],
    ['ok', 'pass'],
    ['`done`', 'pass'],
    ['**done**.', 'pass'],
    ['fail', 'failing'],
    ['failed', 'failing'],
    ['failing', 'failing'],
    ['error', 'failing'],
    ['blocked', 'failing'],
    ['needs_human', 'needs_human'],
    ['needs-human', 'needs_human'],
    ['Needs human', 'needs_human'],
    ['question', 'needs_human'],
    ['retry', 'retry'],
    ['redo', 'retry'],
    ['needs-retry', 'retry'],
    ['not ok', null],
    ['done, but two tests fail', null],
    ['yes', null],
    ['constructor', null],
    ['', null],
    [`pass${'!'.repeat(100)}`, null],
    [null, null],
  ])('%j means %j', (word, status) => {
    expect(normaliseStatus(word)).toBe(status);
  });
});

describe('a reason', () => {
  it.each<[string | null, string | null]>([
    ['constitution_violation', 'constitution_violation'],
    ['Needs clarification', 'needs_clarification'],
    ['NFR-MISSING', 'nfr_missing'],
    ['scope_warning', 'scope_warning'],
    ['test_timeout', 'test_timeout'],
    ['security_hole', 'security_hole'],
    ['null', null],
    ['none', null],
    ['', null],
    [null, null],
  ])('%j means %j, without a warning', (text, reason) => {
    expect(normaliseReason(text, ['security_hole'])).toEqual({ reason, warning: null });
  });

  it('in free text is no reason, and the text is warned about', () => {
    expect(normaliseReason('  the API has no paging ')).toEqual({
      reason: null,
      warning: 'unknown reason "the API has no paging"',
    });
    expect(normaliseReason('x'.repeat(500)).warning).toHaveLength('unknown reason ""'.length + 64);
  });
});

describe('a body of the old format', () => {
  it.each([
    ['- [NEEDS CLARIFICATION] which timeout?', 'needs_clarification'],
    ['CONSTITUTION VIOLATION: article 3', 'constitution_violation'],
    ['**SCOPE_WARNING** it grows', 'scope_warning'],
  ])('%j is failing for a reason', (body, reason) => {
    expect(grepBody(body)).toEqual({ status: 'failing', reason });
  });

  it('without a marker says nothing', () => {
    expect(grepBody('Done. Nothing needs clarification.')).toBeNull();
  });
});

describe('stories', () => {
  const story = { id: 'US-001', title: 'Cart', description: 'A cart.', acceptanceCriteria: ['adds'] };
  const read = (...stories: unknown[]) => parseStories(JSON.stringify(stories), 3);

  it('are typed, with either spelling of their dependencies', () => {
    const read3 = read(
      story,
      { ...story, id: 'US-002', depends_on: ['US-001'] },
      { ...story, acceptanceCriteria: undefined, acceptance_criteria: ['adds'], id: 'US-003', dependsOn: ['US-002'] },
    );
    expect(read3).toEqual({
      ok: true,
      stories: [
        { ...story, dependsOn: [] },
        { ...story, id: 'US-002', dependsOn: ['US-001'] },
        { ...story, id: 'US-003', dependsOn: ['US-002'] },
      ],
    });
  });

  it.each<[string, unknown[], RegExp]>([
    ['no object', ['x'], /story 1 must be an object/],
    ['null', [null], /story 1 must be an object/],
    ['a list', [[]], /story 1 must be an object/],
    ['no id', [{ ...story, id: 7 }], /story 1 needs a string "id"/],
    ['a blank id', [{ ...story, id: ' ' }], /needs a string "id"/],
    ['no title', [{ ...story, title: undefined }], /story 1 \(US-001\) needs a string "title"/],
    ['a blank title', [{ ...story, title: '' }], /needs a string "title"/],
    ['no description', [{ ...story, description: null }], /needs a string "description"/],
    ['an endless description', [{ ...story, description: 'x'.repeat(30_000) }], /needs a string "description"/],
    ['no criteria', [{ ...story, acceptanceCriteria: [] }], /non-empty array of strings/],
    ['a criterion that is a number', [{ ...story, acceptanceCriteria: [1] }], /non-empty array of strings/],
    ['criteria as text', [{ ...story, acceptanceCriteria: 'x' }], /non-empty array of strings/],
    ['dependencies as text', [{ ...story, dependsOn: 'US-002' }], /"depends_on" that is no array/],
    ['a dependency on itself', [{ ...story, dependsOn: ['US-001'] }], /depends on itself/],
    ['the same id twice', [story, story], /two stories have the id "US-001"/],
    ['too many', [story, story, story, story], /has 4 stories; at most 3/],
  ])('with %s are refused as a whole', (_title, stories, error) => {
    expect(read(...stories)).toEqual({ ok: false, error: expect.stringMatching(error) });
  });

  it.each([
    ['no JSON', '[{', /not valid JSON/],
    ['no array', '{}', /must be an array/],
  ])('that are %s are refused', (_title, text, error) => {
    expect(parseStories(text, 3)).toEqual({ ok: false, error: expect.stringMatching(error) });
  });
});
