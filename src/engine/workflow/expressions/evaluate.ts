// Security: reads own properties only, and bounds the entries visited.
import type { Expression, Facts, Term } from './expression.js';
import { compare, compareStrictly } from './expression-compare.js';

const maxListEntries = 10_000;
/** Over all lists, because nested `any` multiplies. */
const maxLooks = 50_000;

type Compare = Extract<Term, { type: 'compare' }>;

/** `unknown`: the facts do not decide. `absent`: a list or file is missing, and the other side of `||` may decide. */
const unknown: unique symbol = Symbol('unknown');
const absent: unique symbol = Symbol('absent');

/** A missing fact is null. Never throws. */
export function holds(expression: Expression, facts: Facts): boolean {
  return isTrue(new Evaluation(false).valueOf(expression.term, [facts]));
}

/** `undecidedBy`: missing, or not comparable. */
type Judgement = boolean | { readonly undecidedBy: readonly string[] };

/** A missing fact leaves it undecided. */
export function judge(expression: Expression, facts: Facts): Judgement {
  const evaluation = new Evaluation(true);
  const truth = truthOf(evaluation.noted(expression.term, [facts]));
  if (typeof truth === 'boolean') return truth;
  return { undecidedBy: [...(truth === absent ? evaluation.absent : evaluation.undecided)] };
}

/** Searches scopes nearest first. */
class Evaluation {
  readonly #isStrict: boolean;
  readonly undecided = new Set<string>();
  readonly absent = new Set<string>();
  #looksLeft = maxLooks;

  constructor(isStrict: boolean) {
    this.#isStrict = isStrict;
  }

  valueOf(term: Term, scopes: readonly unknown[]): unknown {
    switch (term.type) {
      case 'value':
        return term.value;
      case 'path':
        return this.#lookUp(term, scopes);
      case 'not':
        return this.#isStrict ? negated(this.noted(term.term, scopes)) : !this.#isTrue(term.term, scopes);
      case 'and':
      case 'or':
        return this.#isStrict ? this.#both(term, scopes) : this.#loosely(term, scopes);
      case 'compare':
        return this.#compare(term, scopes);
      case 'len':
        return this.#length(term.term, scopes);
      case 'any':
        return this.#any(term, scopes);
    }
  }

  #isTrue(term: Term, scopes: readonly unknown[]): boolean {
    return isTrue(this.valueOf(term, scopes));
  }

  #loosely({ type, left, right }: Extract<Term, { type: 'and' | 'or' }>, scopes: readonly unknown[]): boolean {
    return type === 'and'
      ? this.#isTrue(left, scopes) && this.#isTrue(right, scopes)
      : this.#isTrue(left, scopes) || this.#isTrue(right, scopes);
  }

  /** Three-valued: a false side decides `&&`, a true one `||`. */
  #both({ type, left, right }: Extract<Term, { type: 'and' | 'or' }>, scopes: readonly unknown[]): unknown {
    const settling = type === 'or';
    const [one, other] = [truthOf(this.noted(left, scopes)), truthOf(this.noted(right, scopes))];
    if (one === settling || other === settling) return settling;
    if (one === unknown || other === unknown) return unknown;
    if (one === absent || other === absent) return type === 'or' && one !== other ? false : absent;
    return !settling;
  }

  /** A bare path must be true or false. */
  noted(term: Term, scopes: readonly unknown[]): unknown {
    const value = this.valueOf(term, scopes);
    if (term.type === 'path' && truthOf(value) === unknown) this.undecided.add(term.path.join('.'));
    return value;
  }

  #compare({ operator, left, right }: Compare, scopes: readonly unknown[]): unknown {
    const [one, other] = [this.valueOf(left, scopes), this.valueOf(right, scopes)];
    if (!this.#isStrict) return compare(operator, one, other);
    // A comparison with null is always decided.
    if (isNothing(left) || isNothing(right)) return compare(operator, presentOf(one), presentOf(other));
    if (one === absent || other === absent) return this.#absentSide(left, right);
    const result = one === unknown || other === unknown ? null : compareStrictly(operator, one, other);
    if (result !== null) return result;
    for (const side of [left, right]) if (side.type === 'path') this.undecided.add(side.path.join('.'));
    return unknown;
  }

  #absentSide(left: Term, right: Term): unknown {
    for (const side of [left, right]) if (side.type === 'path') this.absent.add(side.path.join('.'));
    return absent;
  }

  #length(term: Term, scopes: readonly unknown[]): unknown {
    const value = this.valueOf(term, scopes);
    if (!this.#isStrict || typeof value === 'string' || (typeof value === 'object' && value !== null)) {
      return lengthOf(value);
    }
    return this.#noList(value, term);
  }

  #any(term: Extract<Term, { type: 'any' }>, scopes: readonly unknown[]): unknown {
    const list = this.valueOf(term.list, scopes);
    if (Array.isArray(list)) return this.#anyOf(list, term, scopes);
    return this.#isStrict ? this.#noList(list, term.list) : false;
  }

  #noList(value: unknown, term: Term): unknown {
    const isAbsent = isMissing(value);
    if (term.type === 'path') this[isAbsent ? 'absent' : 'undecided'].add(term.path.join('.'));
    return isAbsent ? absent : unknown;
  }

  #anyOf(entries: readonly unknown[], term: Extract<Term, { type: 'any' }>, scopes: readonly unknown[]): unknown {
    let found: unknown = false;
    for (const entry of entries.slice(0, maxListEntries)) {
      this.#looksLeft -= 1;
      if (this.#looksLeft < 0) return this.#isStrict ? this.#cutShort(term.list) : found;
      const value = this.noted(term.condition, [entry, ...scopes]);
      if (this.#isStrict ? truthOf(value) === true : isTrue(value)) return true;
      if (this.#isStrict && truthOf(value) !== false) found = unknown;
    }
    return this.#isStrict && entries.length > maxListEntries ? this.#cutShort(term.list) : found;
  }

  /** A limit cut the search, so it is undecided. */
  #cutShort(list: Term): unknown {
    if (list.type === 'path') this.undecided.add(list.path.join('.'));
    return unknown;
  }

  #lookUp({ path }: Extract<Term, { type: 'path' }>, scopes: readonly unknown[]): unknown {
    const [first = '', ...rest] = path;
    const owner = scopes.find((scope) => has(scope, first));
    let value = ownValue(owner, first);
    // An optional file is missing.
    if (this.#isStrict && rest.length > 0 && owner !== undefined && value === null) return absent;
    for (const name of rest) value = ownValue(value, name);
    return value;
  }
}

function isNothing(term: Term): boolean {
  return term.type === 'value' && term.value === null;
}

function isMissing(value: unknown): boolean {
  return value === unknown || value === absent || value === null;
}

function presentOf(value: unknown): unknown {
  return isMissing(value) ? null : value;
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

type Truth = boolean | typeof unknown | typeof absent;

/** Strict: "no" and "failed" are neither. */
function truthOf(value: unknown): Truth {
  if (typeof value === 'boolean' || value === unknown || value === absent) return value;
  if (typeof value === 'number') return value !== 0;
  if (typeof value !== 'string') return Array.isArray(value) && value.length === 0 ? false : unknown;
  const word = value.toLowerCase();
  return word === 'true' ? true : word === 'false' || word === '' ? false : unknown;
}

function negated(value: unknown): Truth {
  const truth = truthOf(value);
  return typeof truth === 'boolean' ? !truth : truth;
}

function lengthOf(value: unknown): number {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
}
