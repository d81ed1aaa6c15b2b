// A Markdown file as it reads.
import type { Child } from 'hono/jsx';
import { type DocumentBlock, type MarkedPart, type MarkedParts, markdownDocument } from '../../../bot/index.js';
import type { PatchFile } from './patch.js';

export function canBeRead({ path, kind }: PatchFile): boolean {
  return /\.(md|markdown)$/i.test(path) && kind !== 'deleted' && kind !== 'binary';
}

/** The text behind the change. */
export function newText({ hunks }: PatchFile): string {
  const blocks = hunks.flatMap((hunk) => hunk.blocks);
  const lines = blocks.flatMap((block) => (block.kind === 'same' ? block.lines : block.new));
  return lines.map(({ text }) => text).join('\n');
}

export function Rendered({ text }: { readonly text: string }) {
  return (
    <div class="rendered" dir="auto">
      {markdownDocument(text).map(drawn)}
    </div>
  );
}

function drawn(block: DocumentBlock): Child {
  switch (block.kind) {
    case 'heading':
      return heading(block);
    case 'paragraph':
      return <p>{said(block.words)}</p>;
    case 'words':
      return said(block.words);
    case 'code':
      return <pre class="code">{block.text}</pre>;
    case 'written':
      return <pre>{block.text}</pre>;
    case 'quote':
      return <blockquote>{block.blocks.map(drawn)}</blockquote>;
    case 'list':
      return list(block);
    case 'table':
      return table(block);
    case 'rule':
      return <hr />;
  }
}

/** Below the headings of the page. */
function heading({ level, words }: Extract<DocumentBlock, { kind: 'heading' }>): Child {
  if (level === 1) return <h3>{said(words)}</h3>;
  return level === 2 ? <h4>{said(words)}</h4> : <h5>{said(words)}</h5>;
}

function list({ start, items }: Extract<DocumentBlock, { kind: 'list' }>): Child {
  const inside = items.map(({ isDone, blocks }) => (
    <li>
      {isDone === null ? null : isDone ? '☑ ' : '☐ '}
      {blocks.map(drawn)}
    </li>
  ));
  return start === null ? <ul>{inside}</ul> : <ol start={start}>{inside}</ol>;
}

function table({ header, rows }: Extract<DocumentBlock, { kind: 'table' }>): Child {
  return (
    <table>
      <thead>
        <tr>
          {header.map((cell) => (
            <th>{said(cell)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            {row.map((cell) => (
              <td>{said(cell)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function said(words: MarkedParts): Child[] {
  return words.map(word);
}

function word(one: MarkedPart): Child {
  switch (one.look) {
    case 'plain':
      return one.text;
    case 'code':
      return <code>{one.text}</code>;
    case 'strong':
      return <strong>{said(one.words)}</strong>;
    case 'em':
      return <em>{said(one.words)}</em>;
    case 's':
      return <s>{said(one.words)}</s>;
    case 'break':
      return <br />;
  }
}
