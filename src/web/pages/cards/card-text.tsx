// Earlier requests become quotes, numbers chips, lines lists.
import { isFactsLine } from '../../../bot/index.js';
import { shortened } from '../shared/text.js';
import { Written } from './written.js';

interface Part {
  readonly kind: 'line' | 'head' | 'list' | 'fact' | 'quote' | 'numbers' | 'written' | 'entry';
  readonly lines: readonly string[];
}

const fact =
  /^(Workflow|Steps|Files|Changes|Tests|Time|Cost|Task|Budget|Worktree|Branch|Checks|Step|Tool)(?::| )\s*(?=\S)/;
const quote = /^(?:\S.{0,80} asked (?:at \d|for)|Since then: )/;
/** Longer text may scroll. */
const longChars = 1_000;
/** Earlier versions had a colon. */
const codeLine = /^Code:? [\w-]{1,40}$/;
const entry = /^(?:[-•✓–]|\d{1,3}\.)\s+/;
/** At the end of a text: its words follow as Markdown. */
const openEntry = /(?<=^|\n)(?:[-•✓–]|\d{1,3}\.)[ \t]+$/;

interface CardTextProps {
  readonly text: string;
  readonly title: string;
  readonly without?: readonly string[];
  readonly isShown?: (line: string) => boolean;
  /** Parts of the text that an agent wrote as Markdown, in order. */
  readonly markdown?: readonly string[];
}

export function CardText({ text, title, without = [], isShown = () => false, markdown = [] }: CardTextProps) {
  const parts = segmentsOf(shortened(text, 4_000), markdown).flatMap(
    ({ text: words, kind, mark }, at): readonly Part[] => {
      if (kind !== null) return [{ kind, lines: kind === 'entry' ? [mark, words] : [words] }];
      const lines = words.split('\n');
      const own = lines.filter(
        (line, index) => !(at + index === 0 && line.trim() === title) && !codeLine.test(line) && !isShown(line),
      );
      return partsOf(own.filter((line, index) => line !== '' || (index > 0 && index < own.length - 1)));
    },
  );
  const facts = parts
    .flatMap((part) => (part.kind === 'fact' ? part.lines : []))
    .filter((line) => !without.includes(nameOf(line)));
  const about = parts.filter(({ kind }) => kind !== 'fact');
  if (about.length + facts.length === 0) return null;
  return (
    <div class="told" dir="auto">
      {about.length === 0 ? null : (
        <div class="about" tabindex={text.length > longChars ? 0 : undefined}>
          {about.map((part) => (
            <Shown part={part} />
          ))}
        </div>
      )}
      {facts.length === 0 ? null : (
        <dl class="facts">
          {facts.map((line) => (
            <>
              <dt>{nameOf(line)}</dt>
              <dd>{line.replace(fact, '')}</dd>
            </>
          ))}
        </dl>
      )}
    </div>
  );
}

function segmentsOf(text: string, markdown: readonly string[]) {
  const segments: { readonly text: string; readonly kind: 'written' | 'entry' | null; readonly mark: string }[] = [];
  let rest = text;
  for (const part of markdown) {
    const at = rest.indexOf(part);
    if (at < 0) continue;
    const before = rest.slice(0, at);
    const [mark = ''] = openEntry.exec(before) ?? [];
    segments.push(
      { text: before.slice(0, before.length - mark.length), kind: null, mark: '' },
      { text: part, kind: mark === '' ? 'written' : 'entry', mark },
    );
    rest = rest.slice(at + part.length);
  }
  return [...segments, { text: rest, kind: null, mark: '' }];
}

function nameOf(line: string): string {
  return fact.exec(line)?.[1] ?? '';
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
  if (kind === 'entry') {
    const [mark = '', words = ''] = lines;
    return (
      <ol class="criteria" start={Number.parseInt(mark, 10) || 1}>
        <li>
          <Written text={words} />
        </li>
      </ol>
    );
  }
  if (kind === 'written') return <Written text={lines.join('\n')} />;
  if (kind === 'quote') return <pre class="quote">{lines.join('\n')}</pre>;
  if (kind === 'numbers') return <Chips lines={lines} />;
  if (kind === 'head') return <p class="soft">{lines.join(' ')}</p>;
  return <pre>{lines.join('\n')}</pre>;
}

/** Green: measured well; red: badly. */
function Chips({ lines }: { readonly lines: readonly string[] }) {
  const all = lines.flatMap((line) => line.replace(/^In all: /, '').split(' · '));
  return (
    <ul class="chips num" aria-label="Evidence">
      {all.map((one) => (
        <li class={`chip ${toneOf(one)}`}>{one}</li>
      ))}
    </ul>
  );
}

function toneOf(chip: string): '' | 'ok' | 'bad' {
  if (/^\d+ of \d+ tests fails?/.test(chip)) return 'bad';
  if (!chip.startsWith('tests ')) return '';
  const [, passed, all] = /^tests (\d+)(?:\/| of )(\d+)/.exec(chip) ?? [];
  if (/failing|failed/.test(chip) || (all !== undefined && passed !== all)) return 'bad';
  return all !== undefined || chip === 'tests ok' ? 'ok' : '';
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
  if (isFactsLine(line)) return 'numbers';
  if (quote.test(line)) return 'quote';
  if (entry.test(line)) return 'list';
  if (fact.test(line)) return 'fact';
  return line.length < 60 && line.endsWith(':') ? 'head' : 'line';
}
