// What a parsed expression comes to. Only own properties are looked at, and only so many entries of lists.
import type { Expression, Facts, Term } from './expression.js';

const MAX_LIST_ENTRIES = 10_000;
/** Over all lists, for `any` inside `any` multiplies. */
const MAX_LOOKS = 50_000;

const severities: readonly string[] = ['low', 'medium', 'high', 'critical'];
const NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;

type Compare = Extract<Term, { type: 'compare' }>;

/** Whether the expression is true of these facts. What is not there is null; it never throws. */
export function holds(expression: Expression, facts: Facts): boolean {
  return isTrue(new Evaluation().valueOf(expression.term, [facts]));
}

/** `scopes`: where names are looked up, the nearest first. */
class Evaluation {
  #looksLeft = MAX_LOOKS;

  valueOf(term: Term, scopes: readonly unknown[]): unknown {
    switch (term.type) {
      case 'value':
        return term.value;
      case 'path':
        return lookUp(term.path, scopes);
      case 'not':
        return !this.#isTrue(term.term, scopes);
      case 'and':
        return this.#isTrue(term.left, scopes) && this.#isTrue(term.right, scopes);
      case 'or':
        return this.#isTrue(term.left, scopes) || this.#isTrue(term.right, scopes);
      case 'compare':
        return compare(term.operator, this.valueOf(term.left, scopes), this.valueOf(term.right, scopes));
      case 'len':
        return lengthOf(this.valueOf(term.term, scopes));
      case 'any': {
        const list = this.valueOf(term.list, scopes);
        return (
          Array.isArray(list) &&
          list.slice(0, MAX_LIST_ENTRIES).some((entry) => this.#fits(term.condition, entry, scopes))
        );
      }
    }
  }

  #isTrue(term: Term, scopes: readonly unknown[]): boolean {
    return isTrue(this.valueOf(term, scopes));
  }

  #fits(condition: Term, entry: unknown, scopes: readonly unknown[]): boolean {
    this.#looksLeft -= 1;
    return this.#looksLeft >= 0 && this.#isTrue(condition, [entry, ...scopes]);
  }
}

function lookUp(path: readonly string[], scopes: readonly unknown[]): unknown {
  const [first = '', ...rest] = path;
  let value = ownValue(
    scopes.find((scope) => has(scope, first)),
    first,
  );
  for (const name of rest) value = ownValue(value, name);
  return value;
}

function ownValue(owner: unknown, name: string): unknown {
  return has(owner, name) ? (owner[name] ?? null) : null;
}

function has(owner: unknown, name: string): owner is Readonly<Record<string, unknown>> {
  return typeof owner === 'object' && owner !== null && Object.hasOwn(owner, name);
}

function isTrue(value: unknown): boolean {
  if (typeof value === 'string') return value !== '' && value.toLowerCase() !== 'false';
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}

function compare(operator: Compare['operator'], left: unknown, right: unknown): boolean {
  if (operator === '==') return isSame(left, right);
  if (operator === '!=') return !isSame(left, right);
  const order = orderOf(left, right);
  if (order === null) return false;
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}

/** Executors write numbers and truth as text, and words in any case: what says the same is the same. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isPlain(left) || !isPlain(right)) return false;
  const [a, b] = [numberOf(left), numberOf(right)];
  return a !== null && b !== null ? a === b : String(left).toLowerCase() === String(right).toLowerCase();
}

/** Negative, zero or positive; null when the two are not on one scale. */
function orderOf(left: unknown, right: unknown): number | null {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== null && b !== null) return a - b;
  if (typeof left !== 'string' || typeof right !== 'string') return null;
  const [before, after] = [left.toLowerCase(), right.toLowerCase()];
  const [low, high] = [severities.indexOf(before), severities.indexOf(after)];
  if (low >= 0 && high >= 0) return low - high;
  // A severity and a word that nobody knows: the alphabet would call "blocker" less than "high".
  if (low >= 0 || high >= 0) return null;
  return before < after ? -1 : Number(before > after);
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : null;
}
