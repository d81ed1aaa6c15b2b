// Runs as the platform's HTML. Nothing of a text is markup.
import type { Run } from '../../render/index.js';

export function htmlOf(runs: readonly Run[]): string {
  return runs.map(mark).join('');
}

function mark({ text, look, language }: Run): string {
  const escaped = escapeHtml(text);
  if (look === 'plain') return escaped;
  if (look === 'bold') return `<b>${escaped}</b>`;
  return language === null
    ? `<pre>${escaped}</pre>`
    : `<pre><code class="language-${escapeHtml(language)}">${escaped}</code></pre>`;
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
