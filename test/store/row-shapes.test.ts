import fc from 'fast-check';
import { describe, expect, it, onTestFinished, test } from 'vitest';
import type { Event } from '../../src/engine/index.js';
import { emptyChain, emptyEnvelope } from '../../src/engine/index.js';
import { connect } from '../../src/store/file/connection.js';
import { rowShape } from '../../src/store/file/sparse-json.js';
import { attemptShape, chainShape, eventShape, nodeShape, runShape } from '../../src/store/runs/row-shapes.js';
import { openStore } from '../open-store.js';
import { aNode, anAttempt, aRun, aState, batch, tempFolder } from './given.js';

const { live: _live, last: _last, ...node } = aNode('n1');
const { nodes: _nodes, ...chain } = emptyChain('');
const settled: Event = { type: 'attempt_settled', run: 'r1', chain: '', at: 1, attempt: 'a', envelope: emptyEnvelope };

const shapes = [
  ['an attempt', attemptShape, anAttempt('a')],
  ['a node', nodeShape, node],
  ['a chain', chainShape, chain],
  ['a run', runShape, aRun(1)],
  ['an event', eventShape, settled],
] as const;

describe.each(shapes)('the row of %s', (_name, shape, usual) => {
  const { write, read } = shape as { write(value: object): string; read(body: string): object };

  it('reads back what was written, whatever its values', () => {
    const keys = Object.keys(usual).filter((key) => !['digests', 'envelope', 'type'].includes(key));
    const change = fc.dictionary(fc.constantFrom(...keys, 'added'), fc.jsonValue({ noUnicodeString: false }));
    fc.assert(
      fc.property(change, (changed) => {
        const value = JSON.parse(JSON.stringify({ ...usual, ...changed }));
        expect(read(write(value))).toEqual(value);
      }),
    );
  });

  it('reads rows of earlier versions, which left nothing out', () => {
    expect(read(JSON.stringify(usual))).toEqual(usual);
  });
});

it('leaves out what is at its default', () => {
  expect(JSON.parse(attemptShape.write(anAttempt('a')))).not.toHaveProperty('costUsd');
  expect(eventShape.write(settled)).toContain('"envelope":{"exit":null,"result":null}');
});

it('completes a report within an envelope, and each digest within a chain', () => {
  const envelope = { ...emptyEnvelope, output: { ...emptyEnvelope.output, tail: 'ok' } };
  expect(eventShape.read(eventShape.write({ ...settled, envelope }))).toEqual({ ...settled, envelope });
  const digests = [{ step: 's', text: null, questions: [], files: ['a'] }];
  expect(chainShape.read(chainShape.write({ ...chain, digests }))).toEqual({ ...chain, digests });
});

it('writes what a default does not equal: null, an empty list, another object', () => {
  const shape = rowShape<Record<string, unknown>>({ defaults: { list: [], nested: { a: '' }, none: null } });
  for (const value of [
    { list: null, nested: { a: 'x' }, none: 0 },
    { list: {}, nested: [], none: [] },
  ]) {
    expect(shape.read(shape.write(value))).toEqual(value);
  }
  expect(shape.write({ list: [], nested: { a: '' }, none: null })).toBe('{}');
});

// Rows on disk rely on these. Add to them; never change or remove one.
it('keeps every default that a row may rely on', () => {
  const kept = Object.fromEntries(shapes.slice(0, 4).map(([name, shape]) => [name, shape.read('{}')]));
  const event = eventShape.read('{"type":"attempt_settled","envelope":{"output":{"tail":"x"}}}');
  expect({ ...kept, event }).toMatchInlineSnapshot(`
    {
      "a chain": {
        "context": {},
        "digests": [],
        "edges": {},
        "notes": [],
        "scratch": "",
      },
      "a node": {
        "abandons": 0,
        "args": null,
        "description": null,
        "dispatches": 0,
        "firstAttempt": null,
        "generation": 1,
        "insertedBy": null,
        "params": {},
        "restarts": 0,
        "retry": 0,
        "skipReason": null,
        "verdict": null,
      },
      "a run": {
        "begin": null,
        "branch": null,
        "budgetUsd": null,
        "context": {},
        "costUsd": 0,
        "credit": 0,
        "endedAt": null,
        "finishing": null,
        "grants": [],
        "held": false,
        "live": [],
        "named": null,
        "oneShot": false,
        "ops": [],
        "pauseReason": null,
        "position": null,
        "progress": null,
        "purse": null,
        "scratch": "",
        "stash": null,
        "tokensIn": 0,
        "tokensOut": 0,
      },
      "an attempt": {
        "asks": [],
        "checks": [],
        "claim": null,
        "costUsd": null,
        "denied": [],
        "diffStat": null,
        "durationMs": 0,
        "endedAt": null,
        "filesChanged": [],
        "logPath": null,
        "notBefore": null,
        "notes": [],
        "outcome": null,
        "program": null,
        "reason": null,
        "resumes": null,
        "retryAt": null,
        "session": null,
        "startedAt": null,
        "summary": null,
        "team": [],
        "tests": null,
        "tokensIn": null,
        "tokensOut": null,
        "warnings": [],
        "worker": null,
      },
      "event": {
        "envelope": {
          "checks": [],
          "costUsd": null,
          "diffStat": null,
          "durationMs": 0,
          "edits": null,
          "fault": null,
          "filesChanged": [],
          "handoff": null,
          "killed": null,
          "logPath": null,
          "output": {
            "isEmpty": true,
            "keys": {},
            "stories": null,
            "summary": null,
            "tail": "x",
          },
          "progress": null,
          "scratch": {
            "item": "",
            "run": "",
          },
          "team": [],
          "tokensIn": null,
          "tokensOut": null,
          "warnings": [],
        },
        "type": "attempt_settled",
      },
    }
  `);
});

test('a database whose rows an earlier version wrote in full reads the same and goes on', () => {
  const path = `${tempFolder()}/bosun.db`;
  const before = openStore(path);
  const run = aRun(1);
  const nodes = [aNode('n1', { last: anAttempt('a1') })];
  const state = aState(run, { chain: { ...emptyChain(''), nodes } });
  before.commit(batch({ states: [{ before: null, after: state }], events: [settled] }));
  const known = [before.spine('r1'), before.chain('r1', ''), before.events('r1', 0, 9)];
  before.close();
  const old = connect(path);
  for (const [table, body] of [
    ['runs', run],
    ['nodes', node],
    ['chains', chain],
    ['attempts', anAttempt('a1')],
  ] as const) {
    old.prepare(`UPDATE ${table} SET body = ?`).run(JSON.stringify(body));
  }
  old.exec('DROP TABLE archives; PRAGMA user_version = 9');
  old.close();
  const after = openStore(path);
  onTestFinished(() => after.close());
  expect([after.spine('r1'), after.chain('r1', ''), after.events('r1', 0, 9)]).toEqual(known);
});
