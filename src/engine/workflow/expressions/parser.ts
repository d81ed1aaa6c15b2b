// Recursive descent: `||`, `&&`, one comparison, `!`.
import type { Parsed, Term } from './expression.js';
import { type Token, tokenise } from './tokens.js';

const maxDepth = 50;

type Comparison = Extract<Term, { type: 'compare' }>['operator'];

const comparisons: ReadonlyMap<string, Comparison> = new Map(
  (['==', '!=', '<', '<=', '>', '>='] as const).map((sign) => [sign, sign]),
);

const literals: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Security: never quotes content, because naming a file must not reveal it. */
const foundWords = { sign: 'a sign', end: 'the end', path: 'a name', number: 'a number', text: 'a text' } as const;

const meantWords: Readonly<Record<string, string>> = { and: '&&', or: '||', not: '!' };

export function parseExpression(text: string): Parsed {
  const cut = tokenise(text);
  if (!cut.ok) return cut;
  const reader = new TermReader(cut.tokens, text.length);
  const term = reader.readAll();
  return term === null ? { ok: false, ...reader.problem } : { ok: true, expression: { text, term } };
}

/** Reads return null after a problem. */
class TermReader {
  readonly #tokens: readonly Token[];
  readonly #end: Token;
  #at = 0;
  #depth = 0;
  problem = { error: '', offset: 0 };

  constructor(tokens: readonly Token[], length: number) {
    this.#tokens = tokens;
    this.#end = { type: 'end', text: '', offset: length };
  }

  readAll(): Term | null {
    const term = this.#readOr();
    if (term === null) return null;
    const next = this.#peek();
    if (next.type === 'end') return term;
    if (comparisons.has(next.text)) return this.#fail('a comparison has two sides; put one of them into parentheses');
    return this.#failAt('&&, || or the end');
  }

  #readOr(): Term | null {
    let left = this.#readAnd();
    while (left !== null && this.#take('||')) left = pair('or', left, this.#readAnd());
    return left;
  }

  #readAnd(): Term | null {
    let left = this.#readComparison();
    while (left !== null && this.#take('&&')) left = pair('and', left, this.#readComparison());
    return left;
  }

  #readComparison(): Term | null {
    const left = this.#readNot();
    const sign = this.#peek();
    const operator = sign.type === 'sign' ? comparisons.get(sign.text) : undefined;
    if (left === null || operator === undefined) return left;
    this.#at += 1;
    const right = this.#readNot();
    return right && { type: 'compare', operator, left, right };
  }

  #readNot(): Term | null {
    if (!this.#take('!')) return this.#readSingle();
    const term = this.#deeper(() => this.#readNot());
    return term && { type: 'not', term };
  }

  #readSingle(): Term | null {
    if (this.#take('(')) {
      const inner = this.#deeper(() => this.#readOr());
      return inner && this.#close(inner);
    }
    const { type, text } = this.#peek();
    if (type === 'sign' || type === 'end') return this.#failAt('a name, a value or "("');
    this.#at += 1;
    if (type === 'text') return { type: 'value', value: text };
    if (type === 'number') return { type: 'value', value: Number(text) };
    return this.#take('(') ? this.#readCall(text) : readName(text);
  }

  #readCall(name: string): Term | null {
    if (name !== 'len' && name !== 'any') {
      this.#at -= 2;
      const meant = meantWords[name];
      return this.#fail(meant ? `use "${meant}", not "${name}"` : `there is no ${name}(); only len() and any()`);
    }
    const first = this.#deeper(() => this.#readOr());
    if (first === null) return null;
    if (name === 'len') return this.#close({ type: 'len', term: first });
    if (!this.#take(',')) return this.#failAt('", condition)": any() takes a list and a condition');
    const condition = this.#deeper(() => this.#readOr());
    return condition && this.#close({ type: 'any', list: first, condition });
  }

  #close(term: Term): Term | null {
    return this.#take(')') ? term : this.#failAt('")"');
  }

  #deeper(read: () => Term | null): Term | null {
    if (this.#depth >= maxDepth) return this.#fail(`it is nested more than ${maxDepth} levels deep`);
    this.#depth += 1;
    const term = read();
    this.#depth -= 1;
    return term;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? this.#end;
  }

  #take(sign: string): boolean {
    const { type, text } = this.#peek();
    const isThere = type === 'sign' && text === sign;
    if (isThere) this.#at += 1;
    return isThere;
  }

  #failAt(expected: string): null {
    const { type, text } = this.#peek();
    const meant = type === 'path' ? meantWords[text.toLowerCase()] : undefined;
    const hint = meant === undefined ? '' : `; use "${meant}", not "${text}"`;
    const found = type === 'sign' || meant !== undefined ? `"${text}"` : foundWords[type];
    return this.#fail(`expected ${expected}, found ${found}${hint}`);
  }

  #fail(error: string): null {
    const { offset } = this.#peek();
    this.problem = { error: `${error} (at offset ${offset})`, offset };
    return null;
  }
}

function pair(type: 'and' | 'or', left: Term, right: Term | null): Term | null {
  return right && { type, left, right };
}

function readName(text: string): Term {
  const value = literals.get(text);
  return value === undefined ? { type: 'path', path: text.split('.') } : { type: 'value', value };
}
