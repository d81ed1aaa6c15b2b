import { describe, expect, it } from 'vitest';
import { grepBody, normaliseReason, normaliseStatus } from '../../../src/engine/report/index.js';

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

  it('in free text is ignored with a warning', () => {
    expect(normaliseReason('  the API has no paging ', [])).toEqual({
      reason: null,
      warning: 'unknown reason "the API has no paging"',
    });
    expect(normaliseReason('x'.repeat(500), []).warning).toHaveLength('unknown reason ""'.length + 64);
  });
});

describe('a report body in the old format', () => {
  it.each([
    ['- [NEEDS CLARIFICATION] which timeout?', 'needs_clarification'],
    ['CONSTITUTION VIOLATION: article 3', 'constitution_violation'],
    ['**SCOPE_WARNING** it grows', 'scope_warning'],
  ])('%j means failing for a reason', (body, reason) => {
    expect(grepBody(body)).toEqual({ status: 'failing', reason });
  });

  it('without a marker yields no status', () => {
    expect(grepBody('Done. Nothing needs clarification.')).toBeNull();
  });
});
