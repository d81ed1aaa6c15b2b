import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EditOp } from '../../../src/engine/index.js';
import { parseEdits } from '../../../src/engine/report/edit-ops.js';
import { experimentSize } from '../../size.js';

const step = { type: 'coding', description: 'Add a cart.' };
const other = { type: 'linting', description: 'Lint the cart.' };
const add = { operation: 'add_after', target_step_id: 'step-007', reason: 'The cart is missing.', new_steps: [step] };
const split = { operation: 'split', target_step_id: 'step-005', reason: 'Too big.', replacement_steps: [step, other] };
const skip = { operation: 'skip', target_step_id: 'step-009', reason: 'Nothing to show.' };
const reorder = { operation: 'reorder', reason: 'Models first.', new_order: ['step-005', 'step-004', 'step-010'] };
const edit = {
  operation: 'edit_description',
  target_step_id: 'step-007',
  reason: 'Vague.',
  new_description: 'Test it.',
};
const restart = {
  operation: 'restart',
  target_step_id: 'step-005',
  reason: 'Wrong way.',
  new_description: 'Other way.',
};

const read = (data: unknown) => parseEdits(JSON.stringify(data));

describe('an edits file', () => {
  it.each<[string, unknown, readonly EditOp[]]>([
    [
      'add_after',
      [{ ...add, new_steps: [step, other] }],
      [{ operation: 'add_after', target: 'step-007', reason: 'The cart is missing.', steps: [step, other] }],
    ],
    ['split', [split], [{ operation: 'split', target: 'step-005', reason: 'Too big.', steps: [step, other] }]],
    ['skip', [skip], [{ operation: 'skip', target: 'step-009', reason: 'Nothing to show.' }]],
    [
      'reorder',
      [reorder],
      [{ operation: 'reorder', order: ['step-005', 'step-004', 'step-010'], reason: 'Models first.' }],
    ],
    [
      'edit_description',
      [edit],
      [{ operation: 'edit_description', target: 'step-007', reason: 'Vague.', description: 'Test it.' }],
    ],
    [
      'restart',
      [restart],
      [{ operation: 'restart', target: 'step-005', reason: 'Wrong way.', description: 'Other way.' }],
    ],
    ['a single object', skip, [{ operation: 'skip', target: 'step-009', reason: 'Nothing to show.' }]],
    [
      'several, in their order',
      [restart, skip],
      [
        { operation: 'restart', target: 'step-005', reason: 'Wrong way.', description: 'Other way.' },
        { operation: 'skip', target: 'step-009', reason: 'Nothing to show.' },
      ],
    ],
    [
      'blanks around texts',
      [
        { ...skip, target_step_id: ' step-009\n', reason: ' Why not. ' },
        { ...reorder, new_order: [' step-1 '] },
      ],
      [
        { operation: 'skip', target: 'step-009', reason: 'Why not.' },
        { operation: 'reorder', order: ['step-1'], reason: 'Models first.' },
      ],
    ],
    ['nothing to change', [], []],
  ])('is parsed: %s', (_title, data, ops) => {
    expect(read(data)).toEqual({ ok: true, ops });
  });

  it.each<[string, unknown, string]>([
    // Which operation
    [
      'an unknown operation',
      { ...skip, operation: 'remove' },
      'operation 1: there is no operation "remove"; "operation" must be one of add_after, split, skip, reorder, edit_description, restart',
    ],
    ['an operation in capitals', { ...skip, operation: 'SKIP' }, 'there is no operation "SKIP"'],
    ['a name that every object has', { ...skip, operation: 'constructor' }, 'there is no operation "constructor"'],
    ['no operation', { ...skip, operation: undefined }, 'operation 1: "operation" must be one of add_after'],
    ['an operation that is a number', { ...skip, operation: 7 }, 'operation 1: "operation" must be one of'],
    ['no object', ['skip'], 'operation 1: it must be an object'],
    ['a list in the list', [[skip]], 'operation 1: it must be an object'],
    ['null', null, 'operation 1: it must be an object'],
    // Wrong names
    ['op', { ...skip, operation: undefined, op: 'skip' }, 'use "operation", not "op"'],
    [
      'action with an unknown word',
      { action: 'drop' },
      'use "operation", not "action"; there is no operation "drop"; "operation" must be',
    ],
    [
      'step_id',
      { ...skip, target_step_id: undefined, step_id: 'step-009' },
      'operation 1 (skip): use "target_step_id", not "step_id"',
    ],
    ['target', { ...skip, target: 'step-009' }, 'use "target_step_id", not "target"'],
    ['targetStepId', { ...skip, targetStepId: 'step-009' }, 'use "target_step_id", not "targetStepId"'],
    ['Target-Step-Id', { ...skip, 'Target-Step-Id': 'step-009' }, 'use "target_step_id", not "Target-Step-Id"'],
    ['why', { ...skip, why: 'x' }, 'use "reason", not "why"'],
    ['steps to add', { ...add, steps: [step] }, 'use "new_steps", not "steps"'],
    ['steps of a split', { ...split, steps: [step] }, 'use "replacement_steps", not "steps"'],
    ['new_steps of a split', { ...split, new_steps: [step] }, 'use "replacement_steps", not "new_steps"'],
    ['order', { ...reorder, order: [] }, 'use "new_order", not "order"'],
    ['description', { ...edit, description: 'x' }, 'use "new_description", not "description"'],
    ['description of a restart', { ...restart, description: 'x' }, 'use "new_description", not "description"'],
    [
      'all at once',
      { op: 'skip', id: 'step-009', because: 'x' },
      'use "operation", not "op"; use "target_step_id", not "id"; use "reason", not "because" (its fields are operation, target_step_id, reason)',
    ],
    [
      'a field of another operation',
      { ...skip, new_order: ['a'] },
      'there is no field "new_order" (its fields are operation, target_step_id, reason)',
    ],
    ['an unknown field', { ...skip, mood: 'good' }, 'there is no field "mood"'],
    [
      'a target of a reorder',
      { ...reorder, target_step_id: 'step-004' },
      'there is no field "target_step_id" (its fields are operation, new_order, reason)',
    ],
    [
      'kind of a step',
      { ...add, new_steps: [{ kind: 'coding', description: 'x' }] },
      'operation 1 (add_after): step 1 of "new_steps": use "type", not "kind"',
    ],
    [
      'prompt of a step',
      { ...split, replacement_steps: [step, { type: 'coding', prompt: 'x' }] },
      'step 2 of "replacement_steps": use "description", not "prompt"',
    ],
    // Texts
    ['no reason', { ...skip, reason: undefined }, '(skip): "reason" must be a text'],
    ['an empty reason', { ...skip, reason: '' }, '(skip): "reason" must be a text that is not empty'],
    [
      'a blank reason of a reorder',
      { ...reorder, reason: ' \n' },
      '(reorder): "reason" must be a text that is not empty',
    ],
    ['a reason of an add that is a list', { ...add, reason: ['x'] }, '(add_after): "reason" must be a text'],
    ['no target', { ...edit, target_step_id: undefined }, '"target_step_id" must be a text'],
    ['a target that is a number', { ...split, target_step_id: 5 }, '"target_step_id" must be a text'],
    ['a blank target', { ...restart, target_step_id: ' ' }, '"target_step_id" must be a text that is not empty'],
    ['no description', { ...edit, new_description: undefined }, '"new_description" must be a text'],
    [
      'an empty description',
      { ...edit, new_description: '' },
      '(edit_description): "new_description" must be a text that is not empty',
    ],
    [
      'an empty description of a restart',
      { ...restart, new_description: '  ' },
      '(restart): "new_description" must be a text that is not empty',
    ],
    [
      'an endless description',
      { ...edit, new_description: 'x'.repeat(20_001) },
      '"new_description" must be at most 20000 characters',
    ],
    // Lists
    ['no new steps', { ...add, new_steps: [] }, '"new_steps" must be a list of 1 to 100'],
    ['no list of new steps', { ...add, new_steps: undefined }, '"new_steps" must be a list of 1 to 100'],
    ['a new step without a list', { ...add, new_steps: step }, '"new_steps" must be a list of 1 to 100'],
    ['too many new steps', { ...add, new_steps: Array(101).fill(step) }, '"new_steps" must be a list of 1 to 100'],
    ['one replacement', { ...split, replacement_steps: [step] }, '"replacement_steps" must be a list of 2 to 100'],
    [
      'a step that is a text',
      { ...add, new_steps: [step, 'coding'] },
      'step 2 of "new_steps" must be an object with "type" and "description"',
    ],
    [
      'a step without a type',
      { ...add, new_steps: [{ description: 'x' }] },
      'step 1 of "new_steps": "type" must be a text',
    ],
    [
      'a step with an empty description',
      { ...add, new_steps: [{ type: 'coding', description: '' }] },
      'step 1 of "new_steps": "description" must be a text that is not empty',
    ],
    ['no order', { ...reorder, new_order: undefined }, '"new_order" must be a list of 1 to 100'],
    ['an empty order', { ...reorder, new_order: [] }, '"new_order" must be a list of 1 to 100'],
    ['a number in the order', { ...reorder, new_order: ['step-004', 5] }, '"new_order" must be a list of step ids'],
    ['a blank in the order', { ...reorder, new_order: ['step-004', ' '] }, '"new_order" must be a list of step ids'],
    [
      'a step twice in the order',
      { ...reorder, new_order: ['step-004', 'step-004 '] },
      '"new_order" names "step-004" twice',
    ],
    // The whole
    ['one bad of three', [add, { ...skip, reason: '' }, edit], 'operation 2 (skip): "reason" must be'],
    ['too many operations', Array(101).fill(skip), 'there are 101 operations; at most 100 are allowed'],
  ])('is refused as a whole: %s', (_title, data, error) => {
    const refused = { ok: false, error: expect.stringContaining(error) };
    expect(read(data)).toEqual(refused);
    expect(read(data)).toEqual({ ok: false, error: expect.stringMatching(/^All edits were refused: /) });
  });

  it.each([
    ['half written', JSON.stringify([add]).slice(0, -20), 'not valid JSON, perhaps only half of it was written'],
    ['empty', '', 'not valid JSON'],
    ['prose', 'I would skip step-009.', 'not valid JSON'],
    ['too large', `[${' '.repeat(256 * 1024)}]`, 'the file has 262146 characters; at most 262144 are allowed'],
    ['nested without end', '['.repeat(200_000), 'not valid JSON'],
  ])('is refused when it is %s', (_title, text, error) => {
    expect(parseEdits(text)).toEqual({ ok: false, error: expect.stringContaining(error) });
  });

  it('may reach the limits of size and operations', () => {
    expect(read(Array(100).fill(skip))).toMatchObject({ ok: true });
    expect(parseEdits(`[${' '.repeat(256 * 1024 - 2)}]`)).toEqual({ ok: true, ops: [] });
    expect(read({ ...add, new_steps: Array(100).fill(step) })).toMatchObject({ ok: true });
  });

  it('lists at most five unknown fields in its error', () => {
    const wrong = Object.fromEntries('abcdefg'.split('').map((name) => [name, 1]));
    const result = read({ ...skip, ...wrong });
    expect(result).toMatchObject({ error: expect.stringContaining('"e" (its fields') });
    const { error } = result as { error: string };
    expect([...error.matchAll(/there is no field "(\w)"/g)].map(([, name]) => name)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('yields a result for any text and never throws', () => {
    const name = fc.constantFrom(
      'operation',
      'op',
      'target_step_id',
      'reason',
      'new_steps',
      'new_order',
      'steps',
      '__proto__',
    );
    const value = fc.oneof(fc.constantFrom(...Object.keys({ skip, split, reorder })), fc.jsonValue());
    const entry = fc
      .array(fc.tuple(name, value))
      .map((pairs) => `{${pairs.map(([key, it]) => `"${key}": ${JSON.stringify(it)}`).join()}}`);
    fc.assert(
      fc.property(fc.oneof(fc.string(), entry, fc.json()), (text) => {
        const result = parseEdits(text);
        expect(result.ok ? Array.isArray(result.ops) : result.error.length > 0).toBe(true);
      }),
      { numRuns: 300 * experimentSize },
    );
  });
});
