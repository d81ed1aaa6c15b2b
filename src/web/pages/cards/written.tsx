// The same runs as in chat. Links are text with their address.
import type { Child } from 'hono/jsx';
import { markdownRuns } from '../../../bot/index.js';

type Run = ReturnType<typeof markdownRuns>[number];

const shown: Readonly<Record<Run['look'], (text: string) => Child>> = {
  plain: (text) => text,
  bold: (text) => <b>{text}</b>,
  italic: (text) => <i>{text}</i>,
  strike: (text) => <s>{text}</s>,
  mono: (text) => <code>{text}</code>,
  code: (text) => <pre class="code">{text}</pre>,
};

export function Written({ text }: { readonly text: string }) {
  return (
    <div class="written" dir="auto">
      {markdownRuns(text).map(({ text: said, look }) => shown[look](said))}
    </div>
  );
}
