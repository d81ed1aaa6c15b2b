// Loosely, as executors write values, or strictly, within a kind.
import { severityOf } from '../../text/severity.js';
import type { Term } from './expression.js';

const numberPattern = /^-?\d{1,15}(?:\.\d{1,15})?$/;

type Operator = Extract<Term, { type: 'compare' }>['operator'];

export function compare(operator: Operator, left: unknown, right: unknown): boolean {
  if (operator === '==') return isSame(left, right);
  if (operator === '!=') return !isSame(left, right);
  const order = orderOf(left, right);
  return order !== null && isInOrder(operator, order);
}

/** Null: different kinds. */
export function compareStrictly(operator: Operator, left: unknown, right: unknown): boolean | null {
  if (!isPlain(left) || !isPlain(right)) return null;
  const severities = severitiesOf(left, right);
  if (operator === '==' || operator === '!=') {
    if (severities === null && !isOneKind(left, right)) return null;
    if (severities?.includes(null)) return null;
    const same = severities === null ? isSame(left, right) : severities[0] === severities[1];
    return same === (operator === '==');
  }
  const [low, high] = severities ?? [null, null];
  const order = low !== null && high !== null ? low - high : orderOf(left, right);
  return order === null ? null : isInOrder(operator, order);
}

/** Both or none: "blocker" and "P1" map to severities, "urgent" does not. */
function severitiesOf(left: unknown, right: unknown): readonly [number | null, number | null] | null {
  if (!isSeverity(left) && !isSeverity(right)) return null;
  return [severityRank(left), severityRank(right)];
}

const ranks: readonly string[] = ['low', 'medium', 'high', 'critical'];

function isSeverity(value: unknown): boolean {
  return typeof value === 'string' && ranks.includes(value.toLowerCase());
}

function severityRank(value: unknown): number | null {
  const word = typeof value === 'string' ? severityOf(value) : null;
  return word === null ? null : ranks.indexOf(word);
}

function isOneKind(left: string | number | boolean, right: string | number | boolean): boolean {
  if (typeof left === typeof right) return true;
  if (numberOf(left) !== null && numberOf(right) !== null) return true;
  const isTruth = (value: unknown) => /^(true|false)$/i.test(String(value));
  return isTruth(left) && isTruth(right);
}

function isInOrder(operator: Operator, order: number): boolean {
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}

/** Executors write numbers as strings, and words in any case. */
function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isPlain(left) || !isPlain(right)) return false;
  const [a, b] = [numberOf(left), numberOf(right)];
  return a !== null && b !== null ? a === b : String(left).toLowerCase() === String(right).toLowerCase();
}

/** Null: no common scale. */
function orderOf(left: unknown, right: unknown): number | null {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== null && b !== null) return a - b;
  if (typeof left !== 'string' || typeof right !== 'string') return null;
  const [before, after] = [left.toLowerCase(), right.toLowerCase()];
  const [low, high] = [ranks.indexOf(before), ranks.indexOf(after)];
  if (low >= 0 && high >= 0) return low - high;
  // Alphabetically "blocker" is below "high".
  if (low >= 0 || high >= 0) return null;
  return before < after ? -1 : Number(before > after);
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function numberOf(value: unknown): number | null {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && numberPattern.test(value) ? Number(value) : null;
}
