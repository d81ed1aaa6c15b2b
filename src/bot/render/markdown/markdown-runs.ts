// Agents' Markdown (decision 0062). Nothing acts: links show addresses, HTML stays text.
import { lexer, type Token, type Tokens } from 'marked';
import type { TextRun } from '../runs.js';

/** Longer text stays as written. */
const maxUnits = 8_000;
const maxDepth = 12;
/** Telegram applies at most 100 entities per message; leaves some. */
const maxMarked = 50;

export function markdownRuns(text: string): readonly TextRun[] {
  if (text.length > maxUnits) return [plain(text)];
  const runs = blocks(lexed(text), 0);
  let marked = 0;
  const bounded = runs.map((run) => {
    if (run.look === 'plain' || run.look === 'code') return run;
    marked += 1;
    return marked > maxMarked ? plain(run.text) : run;
  });
  return trimmed(joined(bounded));
}

function lexed(text: string): readonly Token[] {
  try {
    return lexer(text);
  } catch {
    return [{ type: 'text', raw: text, text } satisfies Tokens.Text];
  }
}

type Look = TextRun['look'];

function plain(text: string): TextRun {
  return { text, look: 'plain', language: null };
}

function blocks(tokens: readonly Token[], depth: number): TextRun[] {
  return tokens.flatMap((token) => block(token, depth));
}

function block(token: Token, depth: number): TextRun[] {
  if (depth > maxDepth) return [plain(token.raw)];
  switch (token.type) {
    case 'space':
      return [plain(token.raw.includes('\n\n') ? '\n' : '')];
    case 'heading':
      return [...inline(token.tokens ?? [], 'bold', depth), plain('\n')];
    case 'paragraph':
    case 'text':
      return [...inline(token.tokens ?? [token], 'plain', depth), plain('\n')];
    case 'code':
      // Text behind an unclosed fence would vanish.
      return token.text.trim() === ''
        ? [plain(`${token.raw.trimEnd()}\n`)]
        : [...codeBlock(token.text, token.lang), plain('\n')];
    case 'blockquote':
      return prefixed(blocks(token.tokens ?? [], depth + 1), '> ', '> ');
    case 'list':
      return list(token as Tokens.List, depth);
    default:
      // Rules, tables, HTML and definitions stay as written.
      return [plain(`${token.raw.trimEnd()}\n`)];
  }
}

function codeBlock(text: string, info = ''): TextRun[] {
  const language = /^[\w+#.-]{1,20}$/.exec(info)?.[0] ?? null;
  const said = language === null && info !== '' ? [plain(`${info}\n`)] : [];
  return [...said, { text, look: 'code', language }];
}

function list({ items, ordered, start }: Tokens.List, depth: number): TextRun[] {
  const first = Number(start) || 1;
  return items.flatMap((item, index) => {
    const box = item.task ? (item.checked ? '☑ ' : '☐ ') : '';
    const sign = ordered ? `${first + index}. ` : box === '' ? '• ' : '';
    const inner = item.tokens.filter(({ type }) => type !== 'checkbox');
    return prefixed(blocks(inner, depth + 1), `${sign}${box}`, '  ');
  });
}

function prefixed(runs: readonly TextRun[], first: string, later: string): TextRun[] {
  const whole = joined(runs);
  const signed = whole.map((run, index) => {
    if (run.look === 'code') return run;
    const isLast = index === whole.length - 1;
    const lines = run.text.split('\n').map((line, at, all) => {
      const endsHere = isLast && at === all.length - 1 && line === '';
      return at === 0 || endsHere ? line : `${later}${line}`;
    });
    return { ...run, text: lines.join('\n') };
  });
  return joined([plain(first), ...signed]);
}

function inline(tokens: readonly Token[], look: Look, depth: number): TextRun[] {
  return tokens.flatMap((token) => inlineOne(token, look, depth));
}

function inlineOne(token: Token, look: Look, depth: number): TextRun[] {
  if (depth > maxDepth) return [{ ...plain(token.raw), look }];
  // The outermost look counts.
  const children = 'tokens' in token ? (token.tokens ?? []) : [];
  const inside = (own: Look) => inline(children, look === 'plain' ? own : look, depth + 1);
  switch (token.type) {
    case 'strong':
      return inside('bold');
    case 'em':
      return inside('italic');
    case 'del':
      return inside('strike');
    case 'codespan':
      return [{ ...plain(token.text), look: 'mono' }];
    case 'br':
      return [{ ...plain('\n'), look }];
    case 'link':
    case 'image':
      return addressed(token as Tokens.Link | Tokens.Image, look, depth);
    case 'escape':
      return [{ ...plain(token.text), look }];
    case 'text':
      return children.length > 0 ? inline(children, look, depth + 1) : [{ ...plain(token.text), look }];
    default:
      return [{ ...plain(token.raw), look }];
  }
}

/** Security: no words can stand for another address. */
function addressed({ href, text, raw, tokens }: Tokens.Link | Tokens.Image, look: Look, depth: number): TextRun[] {
  if (href === '' || raw === href || text === href) return [{ ...plain(href === '' ? raw : href), look }];
  return [...inline(tokens ?? [], look, depth + 1), { ...plain(` (${href})`), look }];
}

function joined(runs: readonly TextRun[]): TextRun[] {
  const out: TextRun[] = [];
  for (const run of runs) {
    const last = out.at(-1);
    if (run.text === '') continue;
    if (last?.look === run.look && run.look !== 'code') out[out.length - 1] = { ...last, text: last.text + run.text };
    else out.push(run);
  }
  return out;
}

function trimmed(runs: readonly TextRun[]): readonly TextRun[] {
  const last = runs.at(-1);
  if (last === undefined || last.look === 'code') return runs;
  const text = last.text.trimEnd();
  return text === '' ? runs.slice(0, -1) : [...runs.slice(0, -1), { ...last, text }];
}
