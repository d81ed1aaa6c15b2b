// The language of `when` and `fail_when`: paths, literals, comparison, && || !, len(), any(). Never runs code.

export { holds, judge } from './evaluate.js';
export { parseExpression } from './parser.js';

export interface Expression {
  readonly text: string;
  readonly term: Term;
}

export type Term =
  | { readonly type: 'value'; readonly value: string | number | boolean | null }
  | { readonly type: 'path'; readonly path: readonly string[] }
  | { readonly type: 'not'; readonly term: Term }
  | { readonly type: 'and' | 'or'; readonly left: Term; readonly right: Term }
  | {
      readonly type: 'compare';
      readonly operator: '==' | '!=' | '<' | '<=' | '>' | '>=';
      readonly left: Term;
      readonly right: Term;
    }
  | { readonly type: 'len'; readonly term: Term }
  /** Names are looked up in each entry first. */
  | { readonly type: 'any'; readonly list: Term; readonly condition: Term };

export type Parsed =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly error: string; readonly offset: number };

export type Facts = Readonly<Record<string, unknown>>;
