// All operations, or none and the problem. Checks shapes only: steps are unknown here.

import { type FieldName, FieldReader, findName } from './edit-fields.js';
import type { EditOp, Edits, NewStep } from './envelope.js';
import { isRecord } from './json-record.js';

const maxFileChars = 256 * 1024;
const maxOperations = 100;

type Operation = EditOp['operation'];

/** All have `operation` and `reason` too. */
const fieldsOf: Readonly<Record<Operation, readonly FieldName[]>> = {
  add_after: ['target_step_id', 'new_steps'],
  split: ['target_step_id', 'replacement_steps'],
  skip: ['target_step_id'],
  reorder: ['new_order'],
  edit_description: ['target_step_id', 'new_description'],
  restart: ['target_step_id', 'new_description'],
};

/** Accepts a single operation. */
export function parseEdits(text: string): Edits {
  if (text.length > maxFileChars) {
    return refuse(`the file has ${text.length} characters; at most ${maxFileChars} are allowed`);
  }
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    const why = String(error).slice(0, 200);
    return refuse(`the file is not valid JSON, perhaps only half of it was written; write it whole: ${why}`);
  }
  const entries: readonly unknown[] = Array.isArray(data) ? data : [data];
  if (entries.length > maxOperations) {
    return refuse(`there are ${entries.length} operations; at most ${maxOperations} are allowed`);
  }
  const ops: EditOp[] = [];
  for (const [index, entry] of entries.entries()) {
    const op = readOp(entry);
    if (typeof op === 'string') return refuse(`operation ${index + 1}${nameOf(entry)}: ${op}`);
    ops.push(op);
  }
  return { ok: true, ops };
}

function refuse(error: string): Edits {
  return { ok: false, error: `All edits were refused: ${error}` };
}

function nameOf(entry: unknown): string {
  return isRecord(entry) && isOperation(entry['operation']) ? ` (${entry['operation']})` : '';
}

function readOp(entry: unknown): EditOp | string {
  if (!isRecord(entry)) return 'it must be an object with "operation" and "reason"';
  const key = findName('operation', entry);
  const operation = entry[key];
  if (!isOperation(operation)) {
    const misnamed = key === 'operation' ? '' : `use "operation", not "${key}"; `;
    const unknown = typeof operation === 'string' ? `there is no operation "${operation.slice(0, 40)}"; ` : '';
    return `${misnamed}${unknown}"operation" must be one of ${Object.keys(fieldsOf).join(', ')}`;
  }
  const reader = new FieldReader(entry);
  reader.allow(['operation', ...fieldsOf[operation], 'reason']);
  const op = readFields(operation, reader);
  return reader.problem ?? op;
}

function isOperation(value: unknown): value is Operation {
  return typeof value === 'string' && Object.hasOwn(fieldsOf, value);
}

function readFields(operation: Operation, reader: FieldReader): EditOp {
  const reason = reader.text('reason');
  if (operation === 'reorder') return { operation, order: readOrder(reader), reason };
  const target = reader.text('target_step_id');
  switch (operation) {
    case 'skip':
      return { operation, target, reason };
    case 'add_after':
      return { operation, target, reason, steps: readSteps(reader, 'new_steps', 1) };
    case 'split':
      return { operation, target, reason, steps: readSteps(reader, 'replacement_steps', 2) };
    case 'edit_description':
    case 'restart':
      return { operation, target, reason, description: reader.text('new_description') };
  }
}

function readOrder(reader: FieldReader): readonly string[] {
  const order: string[] = [];
  for (const entry of reader.list('new_order', 1)) {
    const label = typeof entry === 'string' ? entry.trim() : '';
    if (label === '') reader.fail('"new_order" must be a list of step ids');
    if (order.includes(label)) reader.fail(`"new_order" names "${label.slice(0, 40)}" twice`);
    order.push(label);
  }
  return order;
}

function readSteps(reader: FieldReader, name: FieldName, atLeast: number): readonly NewStep[] {
  return reader.list(name, atLeast).map((entry, index) => {
    const where = `step ${index + 1} of "${name}"`;
    if (!isRecord(entry)) {
      reader.fail(`${where} must be an object with "type" and "description"`);
      return { type: '', description: '' };
    }
    const fields = new FieldReader(entry);
    fields.allow(['type', 'description']);
    const step = { type: fields.text('type'), description: fields.text('description') };
    if (fields.problem !== null) reader.fail(`${where}: ${fields.problem}`);
    return step;
  });
}
