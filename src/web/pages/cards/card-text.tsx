// Lays out the text of a card: lists as lists, and facts set apart.
import { shortened } from '../shared/text.js';

interface Part {
  readonly kind: 'line' | 'head' | 'list' | 'fact';
  readonly lines: readonly string[];
}

const fact =
  /^(Workflow|Steps|Files|Changes|Tests|Time|Cost|Task|Budget|Worktree|Branch|Checks|Step|Tool)(?::| )\s*(?=\S)/;
/** The line of numbers of a review: `3 files +47 −0 · tests 42/42 · 16 min · $0.42`. */
const numbers = /^(?:\d+ files? \+|no files changed|changes not measured).* · (?:no )?tests/;
/** Longer text may need to scroll. */
const longChars = 1_000;
/** Cards of earlier versions have a colon. */
const codeLine = /^Code:? [\w-]{1,40}$/;
const entry = /^(?:[-•✓–]|\d{1,3}\.)\s+/;

export function CardText({ text, title }: { readonly text: string; readonly title: string }) {
  const lines = shortened(text, 4_000).split('\n');
  const own = lines.filter((line, index) => !(index === 0 && line.trim() === title) && !codeLine.test(line));
  const parts = partsOf(own.flatMap((line) => (numbers.test(line) ? namedNumbers(line) : [line])));
  const facts = parts.flatMap((part) => (part.kind === 'fact' ? part.lines : []));
  return (
    <div class="told" dir="auto">
      <div class="about" tabindex={text.length > longChars ? 0 : undefined}>
        {parts.map((part) => (part.kind === 'fact' ? null : <Shown part={part} />))}
      </div>
      {facts.length === 0 ? null : (
        <dl class="facts">
          {facts.map((line) => {
            const [, name = ''] = fact.exec(line) ?? [];
            return (
              <>
                <dt>{name}</dt>
                <dd>{line.replace(fact, '')}</dd>
              </>
            );
          })}
        </dl>
      )}
    </div>
  );
}

/** Names each number, for the table of facts. */
function namedNumbers(line: string): readonly string[] {
  return line.split(' · ').map((one) => {
    if (/^(?:no )?tests/.test(one)) return `Tests: ${one.replace(/^tests /, '')}`;
    if (/\$|^cost/.test(one)) return `Cost: ${one}`;
    return /^\d+ (?:s|min|h)\b/.test(one) ? `Time: ${one}` : `Changes: ${one}`;
  });
}

function Shown({ part }: { readonly part: Part }) {
  const { kind, lines } = part;
  if (kind === 'list')
    return (
      <ul class="criteria">
        {lines.map((line) => (
          <li>{line.replace(entry, '')}</li>
        ))}
      </ul>
    );
  if (kind === 'head') return <p class="soft">{lines.join(' ')}</p>;
  return <pre>{lines.join('\n')}</pre>;
}

function partsOf(lines: readonly string[]): readonly Part[] {
  const parts: { kind: Part['kind']; lines: string[] }[] = [];
  for (const line of lines) {
    const kind = kindOf(line);
    const last = parts.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else parts.push({ kind, lines: [line] });
  }
  return parts;
}

function kindOf(line: string): Part['kind'] {
  if (entry.test(line)) return 'list';
  if (fact.test(line)) return 'fact';
  return line.length < 60 && line.endsWith(':') ? 'head' : 'line';
}
