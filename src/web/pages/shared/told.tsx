// Lays out the text of a card: lists as lists, and facts set apart.
import { shortened } from './text.js';

interface Part {
  readonly kind: 'line' | 'head' | 'list' | 'fact';
  readonly lines: readonly string[];
}

const fact =
  /^(Workflow|Steps|Files|Changes|Tests|Time|Task|Cost|Budget|Worktree|Branch|Checks|Step|Tool)(?::| )\s*(?=\S)/;
/** Longer text may need to scroll. */
const longChars = 1_000;
const entry = /^(?:[-•✓–]|\d{1,3}\.)\s+/;

export function Told({ text, title, code }: { readonly text: string; readonly title: string; readonly code: string }) {
  const lines = shortened(text, 4_000).split('\n');
  const own = lines.filter((line, index) => !(index === 0 && line.trim() === title) && line.trim() !== `Code: ${code}`);
  const parts = partsOf(own);
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
