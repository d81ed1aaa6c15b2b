// One run to read: its stories with what each must fulfil, how often it was handed back and what was reported, its steps.
import { html } from 'hono/html';
import { type NodeJson, nodesOf, type PipelineStory, type Spine, type Store, storiesOf } from '../../dispatch/index.js';
import { page } from './page.js';
import { shortened } from './text.js';

const maxRows = 300;

export async function runPage(store: Store, spine: Spine): Promise<string> {
  const { run, items } = spine;
  const stories = storiesOf(spine, (key) => store.chain(run.id, key));
  const nodes = nodesOf(store, spine);
  const statusOf = (key: string) => items.find((item) => item.key === key)?.status ?? '';
  const body = html`<h1>${run.id} <span class="mark">${run.status}</span></h1>
<p><bdi>${shortened(run.task)}</bdi></p>
<p class="soft">${run.project} · ${run.workflow}${run.pauseReason ? ` · ${run.pauseReason}` : ''}</p>
<h2>Stories</h2>
${stories.length === 0 ? html`<p>None.</p>` : html`<ul>${stories.slice(0, maxRows).map((story) => storyRow(story, statusOf(story.story_id)))}</ul>`}
<h2>Steps</h2>
<ul>${nodes.slice(0, maxRows).map(stepRow)}</ul>`;
  return String(await page(`Bosun ${run.id}`, body));
}

function storyRow(story: PipelineStory, status: string) {
  const retries = story.retry_count > 0 ? ` · ${story.retry_count} of ${story.max_retries} retries` : '';
  const criteria = story.acceptance_criteria.map((one) => html`<li><bdi>${shortened(one)}</bdi></li>`);
  const output = story.output === null ? '' : html`<details><summary>Output</summary>${text(story.output)}</details>`;
  return html`<li><p><strong>${story.story_id}</strong> <span class="mark">${status}</span> <bdi>${shortened(story.title)}</bdi><span class="soft">${retries}</span></p>
<ul>${criteria}</ul>${output}</li>`;
}

function stepRow(node: NodeJson) {
  const place = node.item === null ? '' : `${node.item} `;
  const outcome = node.outcome === null ? '' : ` · ${node.outcome}${node.reason === null ? '' : ` (${node.reason})`}`;
  const summary = node.summary === null ? '' : html`<details><summary>Summary</summary>${text(node.summary)}</details>`;
  return html`<li><p>${place}${node.template} <span class="mark">${node.state}</span> <span class="soft">attempt ${node.attempt} of ${node.max_attempts}${outcome}</span></p>${summary}</li>`;
}

function text(told: string) {
  return html`<pre dir="auto">${shortened(told)}</pre>`;
}
