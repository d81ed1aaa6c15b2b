// What comes back from an attempt keeps its shape; its texts lose their secrets.
import { expect, it } from 'vitest';
import { redacted, redactor } from '../../../src/base/redaction/index.js';
import { type Envelope, emptyEnvelope } from '../../../src/engine/index.js';

const secret = 'the-secret-value';

it('redaction covers every text of an envelope, but not counts, file paths, refs and permission marks', () => {
  const report = { status: 'pass', reason: null, summary: `s ${secret}` };
  const envelope: Envelope = {
    ...emptyEnvelope,
    exit: 0,
    fault: { code: 'the-code', message: `f ${secret}`, remedy: 'wait', waitMs: 5 },
    output: {
      isEmpty: false,
      keys: { A: `a ${secret}` },
      stories: `[{"t":"${secret}"}]`,
      summary: secret,
      tail: secret,
    },
    result: report,
    handoff: {
      front: {
        ...report,
        filesChanged: ['a.ts'],
        tests: { pass: 1, fail: 0, skip: 0 },
        reviewDigest: secret,
        questions: [secret],
      },
      body: `b ${secret}`,
    },
    checks: [
      {
        ...{ name: 'tests', command: `run ${secret}`, ok: false, exit: 1, timedOut: false, tail: `t ${secret}` },
        tests: { pass: 1, fail: 1, skip: 0, failing: [`n ${secret}`] },
      },
    ],
    warnings: [secret],
    filesChanged: [`src/${secret}.ts`],
    logPath: `/home/${secret}`,
    edits: { ok: true, ops: [{ operation: 'skip', target: 'step-001', reason: secret }] },
    scratch: { run: secret, item: secret },
    progress: secret,
    team: [{ ...report, role: 'back', exit: 0, filesChanged: [], conflicts: [] }],
    session: 'session-id',
    pushed: { ref: `refs/bosun/${secret}/back`, commit: secret },
    asks: [
      { kind: 'permission', text: secret, options: [secret], permission: { tool: 'Bash', what: secret, mark: secret } },
    ],
  };
  const shown = redacted(envelope, redactor([secret]));
  expect(JSON.parse(JSON.stringify(envelope).replaceAll(secret, '[redacted]'))).toEqual({
    ...shown,
    filesChanged: ['src/[redacted].ts'],
    logPath: '/home/[redacted]',
    pushed: { ref: 'refs/bosun/[redacted]/back', commit: '[redacted]' },
    asks: [{ ...shown.asks?.[0], permission: { ...shown.asks?.[0]?.permission, mark: '[redacted]' } }],
  });
  expect(shown).toMatchObject({
    filesChanged: envelope.filesChanged,
    logPath: envelope.logPath,
    pushed: envelope.pushed,
    asks: [{ permission: { mark: secret, what: '[redacted]' } }],
  });
});
