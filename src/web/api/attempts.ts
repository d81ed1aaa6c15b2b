import { statSync } from 'node:fs';
import { z } from 'zod';
import type { AttemptRow } from '../../store/index.js';
import type { WebContext } from '../context/web-context.js';
import { envelopeOf, logPlaceOf } from '../http/attempt-record.js';
import { problem } from '../http/problem.js';
import { limit } from '../http/query.js';
import { attemptJson, exampleAttempt, linesOf } from './attempt-json.js';
import { readLogWindow } from './log-window.js';
import { missing } from './not-there.js';
import { newestOf, reading } from './route.js';
import { attemptWhole, logWindow } from './shapes.js';

const offset = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0);

export const attemptRoutes = [
  reading({
    path: '/api/attempts/:attempt',
    summary: 'An attempt with its evidence and envelope',
    answer: attemptWhole,
    example: {
      ...exampleAttempt,
      claim: null,
      checks: [],
      failing_tests: [],
      warnings: [],
      files_changed: ['hello.txt'],
      diff_stat: { files: 1, insertions: 1, deletions: 0 },
      envelope: { exit: 0 },
    },
    fails: [404],
    revision: ({ web, param }) => {
      const row = web.services.runtime.reader.attempt(param('attempt'));
      return row && newestOf(web, row.run);
    },
    read({ web, param }) {
      const row = web.services.runtime.reader.attempt(param('attempt'));
      return row ? wholeOf(web, row) : missing('attempt', param('attempt'));
    },
  }),
  reading({
    path: '/api/attempts/:attempt/log',
    summary: "An attempt's log from an offset on: whole lines, at most 256 KB",
    query: z.strictObject({ limit, offset: offset.describe('The offset in bytes: "next" of an earlier response.') }),
    answer: logWindow,
    example: {
      items: [{ id: '0', at: '2026-03-02T09:30:01.000Z', from: 'out', line: 'hello' }],
      next: null,
      size: 62,
      is_over: true,
    },
    fails: [404],
    revision: ({ web, param }) => {
      const row = web.services.runtime.reader.attempt(param('attempt'));
      const place = row && logPlaceOf(web, row);
      const size = place && statSync(place.path, { throwIfNoEntry: false })?.size;
      return row && size ? `${row.attempt.state}.${size}` : null;
    },
    async read({ web, param, query }) {
      const row = web.services.runtime.reader.attempt(param('attempt'));
      if (!row) return missing('attempt', param('attempt'));
      const found = await readLogWindow(logPlaceOf(web, row), query.offset, query.limit);
      if (found) return { ...found, is_over: row.attempt.state === 'settled' };
      const hint = 'The attempt may not have started yet, or its log was deleted.';
      return problem(404, 'not_found', `There is no log of ${row.attempt.id}`, hint);
    },
  }),
];

function wholeOf(web: WebContext, row: AttemptRow) {
  const { attempt } = row;
  const envelope = envelopeOf(web.services.runtime.reader, row);
  return {
    ...attemptJson(row),
    claim: attempt.claim,
    checks: attempt.checks.map(({ name, command, ok, exit, timedOut, tail }) => {
      return { name, command, ok, exit, timed_out: timedOut, tail };
    }),
    failing_tests: attempt.tests?.failing ?? [],
    warnings: attempt.warnings,
    files_changed: attempt.filesChanged,
    diff_stat: attempt.diffStat && linesOf(attempt.diffStat),
    envelope: envelope && { ...envelope },
  };
}
