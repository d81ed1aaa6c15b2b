// Keeps the first problem as a sentence.
import type { JsonRecord } from './json-record.js';

export type FieldName =
  | 'operation'
  | 'target_step_id'
  | 'reason'
  | 'new_steps'
  | 'replacement_steps'
  | 'new_order'
  | 'new_description'
  | 'type'
  | 'description';

const maxListLength = 100;
const maxTextChars = 20_000;
const maxNamesShown = 5;

/** Executors confuse these names; the error suggests the right one. */
const wrongNames: Readonly<Record<FieldName, readonly string[]>> = {
  operation: ['op', 'action', 'edit', 'type', 'kind', 'command'],
  target_step_id: ['step_id', 'target', 'target_id', 'target_step', 'step', 'id', 'after', 'label', 'node'],
  reason: ['why', 'because', 'rationale', 'explanation'],
  new_steps: ['steps', 'replacement_steps', 'new_step'],
  replacement_steps: ['steps', 'new_steps', 'replacements', 'into'],
  new_order: ['order', 'steps', 'step_ids', 'target_step_ids'],
  new_description: ['description', 'text', 'prompt', 'new_text'],
  type: ['step_type', 'kind', 'new_type'],
  description: ['desc', 'text', 'prompt', 'title', 'instructions', 'new_description', 'step_description'],
};

/** Reads on with empty values: check `problem` first. */
export class FieldReader {
  readonly #fields: JsonRecord;
  #problem: string | null = null;

  constructor(fields: JsonRecord) {
    this.#fields = fields;
  }

  get problem(): string | null {
    return this.#problem;
  }

  allow(names: readonly FieldName[]): void {
    const wrong = Object.keys(this.#fields).filter((name) => !names.some((one) => one === name));
    if (wrong.length === 0) return;
    const problems = wrong.slice(0, maxNamesShown).map((name) => {
      const right = names.find((one) => isMeant(one, name));
      const shown = name.slice(0, 40);
      return right === undefined ? `there is no field "${shown}"` : `use "${right}", not "${shown}"`;
    });
    this.fail(`${problems.join('; ')} (its fields are ${names.join(', ')})`);
  }

  text(name: FieldName): string {
    const value = this.#own(name);
    if (typeof value !== 'string') return this.#none(name, 'a text');
    if (value.trim() === '') return this.#none(name, 'a text that is not empty');
    if (value.length > maxTextChars) return this.#none(name, `at most ${maxTextChars} characters`);
    return value.trim();
  }

  list(name: FieldName, atLeast: number): readonly unknown[] {
    const value = this.#own(name);
    if (Array.isArray(value) && value.length >= atLeast && value.length <= maxListLength) return value;
    this.#none(name, `a list of ${atLeast} to ${maxListLength}`);
    return [];
  }

  fail(problem: string): void {
    this.#problem ??= problem;
  }

  #own(name: FieldName): unknown {
    return Object.hasOwn(this.#fields, name) ? this.#fields[name] : undefined;
  }

  #none(name: FieldName, allowed: string): '' {
    this.fail(`"${name}" must be ${allowed}`);
    return '';
  }
}

/** Accepts known wrong names. */
export function findName(right: FieldName, fields: JsonRecord): string {
  if (Object.hasOwn(fields, right)) return right;
  return Object.keys(fields).find((name) => isMeant(right, name)) ?? right;
}

function isMeant(right: FieldName, written: string): boolean {
  const plain = written
    .slice(0, 40)
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  return plain === right || wrongNames[right].includes(plain);
}
