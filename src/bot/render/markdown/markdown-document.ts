// A Markdown file as a tree, for the page. Nothing acts: links show their addresses, pictures their words, HTML stays text.
import { Lexer, type Token, type Tokens } from 'marked';

export type MarkedParts = readonly MarkedPart[];

export type MarkedPart =
  | { readonly look: 'plain' | 'code'; readonly text: string }
  | { readonly look: 'strong' | 'em' | 's'; readonly words: MarkedParts }
  | { readonly look: 'break' };

export type DocumentBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly words: MarkedParts }
  | { readonly kind: 'paragraph' | 'words'; readonly words: MarkedParts }
  | { readonly kind: 'code' | 'written'; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly DocumentBlock[] }
  /** `start` null: bullets. */
  | { readonly kind: 'list'; readonly start: number | null; readonly items: readonly ListItem[] }
  | {
      readonly kind: 'table';
      readonly header: readonly MarkedParts[];
      readonly rows: readonly (readonly MarkedParts[])[];
    }
  | { readonly kind: 'rule' };

export interface ListItem {
  /** Null: no box. */
  readonly isDone: boolean | null;
  readonly blocks: readonly DocumentBlock[];
}

/** A longer file stays as written. */
const maxUnits = 64 * 1024;
/** A longer paragraph stays as written: the lexer is quadratic in it. */
const maxInline = 2_000;
const maxDepth = 12;

export function markdownDocument(text: string): readonly DocumentBlock[] {
  const asWritten = [{ kind: 'written', text } as const];
  if (text.length > maxUnits) return asWritten;
  try {
    return blocks(new Lexer().blockTokens(text), 0);
  } catch {
    // Nested too deeply for the lexer.
    return asWritten;
  }
}

function blocks(tokens: readonly Token[], depth: number): readonly DocumentBlock[] {
  return tokens.flatMap((token) => block(token, depth));
}

function block(token: Token, depth: number): readonly DocumentBlock[] {
  if (depth > maxDepth) return [{ kind: 'written', text: token.raw }];
  switch (token.type) {
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    case 'heading':
      return [{ kind: 'heading', level: token.depth, words: wordsOf(token.text) }];
    case 'paragraph':
      return [{ kind: 'paragraph', words: wordsOf(token.text) }];
    case 'text':
      return [{ kind: 'words', words: wordsOf(token.text) }];
    case 'code':
      return [{ kind: 'code', text: token.text }];
    case 'hr':
      return [{ kind: 'rule' }];
    case 'blockquote':
      return [{ kind: 'quote', blocks: blocks(token.tokens ?? [], depth + 1) }];
    case 'list':
      return [list(token as Tokens.List, depth)];
    case 'table':
      return [table(token as Tokens.Table)];
    default:
      return [{ kind: 'written', text: token.raw.trimEnd() }];
  }
}

function list({ items, ordered, start }: Tokens.List, depth: number): DocumentBlock {
  return {
    kind: 'list',
    start: ordered ? Number(start) || 1 : null,
    items: items.map(({ task, checked, tokens }) => ({
      isDone: task ? checked === true : null,
      blocks: blocks(tokens, depth + 1),
    })),
  };
}

function table({ header, rows }: Tokens.Table): DocumentBlock {
  const cells = (row: readonly Tokens.TableCell[]) => row.map(({ text }) => wordsOf(text));
  return { kind: 'table', header: cells(header), rows: rows.map(cells) };
}

function wordsOf(text: string): MarkedParts {
  return text.length > maxInline ? [plain(text)] : inline(Lexer.lexInline(text), 0);
}

function plain(text: string): MarkedPart {
  return { look: 'plain', text };
}

function inline(tokens: readonly Token[], depth: number): MarkedParts {
  return tokens.flatMap((token) => inlineOne(token, depth));
}

function inlineOne(token: Token, depth: number): MarkedParts {
  if (depth > maxDepth) return [plain(token.raw)];
  const inside = () => inline('tokens' in token ? (token.tokens ?? []) : [], depth + 1);
  switch (token.type) {
    case 'strong':
    case 'em':
      return [{ look: token.type, words: inside() }];
    case 'del':
      return [{ look: 's', words: inside() }];
    case 'codespan':
      return [{ look: 'code', text: token.text }];
    case 'br':
      return [{ look: 'break' }];
    case 'link':
      if (token.href === '') return [plain(token.raw)];
      return token.text === token.href ? [plain(token.href)] : [...inside(), plain(` (${token.href})`)];
    case 'image':
      return [plain(`${token.text} (${token.href})`)];
    case 'escape':
    case 'text':
      return [plain(token.text)];
    default:
      return [plain(token.raw)];
  }
}
