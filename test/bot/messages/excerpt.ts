// The block of cards in docs/telegram.md and docs/slack.md: some samples in two columns.
import type { View } from '../../../src/store/messages/message-types.js';
import { cards } from '../cards.js';

const columns = [
  ['Reports of the runtime: working', 'Questions to people: agent permission', 'Questions to people: agent question'],
  ['Questions to people: review', 'What happens in a run: ended'],
];
const width = 46;

export function excerpt(draw: (view: View) => string): string {
  const [left = [], right = []] = columns.map((names) =>
    names.flatMap((name, index) => [...(index === 0 ? [] : ['']), ...drawn(name, draw)]),
  );
  const rows = Array.from({ length: Math.max(left.length, right.length) }, (_, row) =>
    `${(left[row] ?? '').padEnd(width)}${right[row] ?? ''}`.trimEnd(),
  );
  return `\`\`\`text\n${rows.join('\n')}\n\`\`\`\n`;
}

function drawn(name: string, draw: (view: View) => string): readonly string[] {
  const make = cards[name];
  if (make === undefined) throw new Error(`there is no sample ${name}`);
  return draw(make()).split('\n');
}
