// Runs as the platform's HTML. Nothing of a text is markup.
import type { Run } from '../../../render/index.js';
import { withoutJoiners } from '../../../render/word-joiner.js';

export function htmlOf(runs: readonly Run[]): string {
  let links = maxLinks;
  const linked = (text: string) =>
    text.replace(link, (found) => {
      links -= 1;
      return links < 0 ? found : `<code>${withoutJoiners(found)}</code>`;
    });
  return runs.map((run) => mark(run, linked)).join('');
}

/** The platform counts at most a hundred marks in a message. */
const maxLinks = 40;
/** An address that `inert` has broken, escaped. As code it opens nothing, and a tap copies it whole. */
const link = /https?:\u2060\/\/(?:&amp;|[^\s&])*(?:&amp;|[^\s&.,;:!?)\]}'\u2060])/g;

function mark({ text, look, language }: Run, linked: (text: string) => string): string {
  const escaped = escapeHtml(text);
  if (look === 'plain') return linked(escaped);
  if (look === 'bold') return `<b>${escaped}</b>`;
  return language === null
    ? `<pre>${escaped}</pre>`
    : `<pre><code class="language-${escapeHtml(language)}">${escaped}</code></pre>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
