// Projects, what needs a person, and what was said last. For reading: answers go through chat or the shell.
import { html } from 'hono/html';
import type { InteractionJson, Message, ProjectStatus } from '../../dispatch/index.js';
import { newestMessages } from '../newest.js';
import { statusNow } from '../reads.js';
import type { Site } from '../site.js';
import { page } from './page.js';
import { shortened } from './text.js';

const shownMessages = 20;

export async function dashboard(site: Site): Promise<string> {
  const { desk, now } = site;
  const { store } = desk.room;
  const at = now();
  const projects = desk.config().projects.map((project) => statusNow(site, project));
  const open = projects.flatMap((status) => status.interactions.map((one) => ({ project: status.project, one })));
  const messages = newestMessages(store, shownMessages);
  const body = html`<h1>Bosun</h1>
<p class="soft">As of ${shortTime(at)} UTC. Reload to see what is new. To answer, write in the chat, or on the machine: <code>bosun say "…"</code>, <code>bosun press ID</code>.</p>
<h2>Needs a person</h2>
${open.length === 0 ? html`<p>Nothing.</p>` : html`<ul>${open.map(({ project, one }) => interactionRow(project, one))}</ul>`}
<h2>Projects</h2>
${projects.length === 0 ? html`<p>None yet. In a project's folder: <code>bosun init</code></p>` : html`<ul>${projects.map(projectRow)}</ul>`}
<h2>Last messages</h2>
${messages.length === 0 ? html`<p>None yet.</p>` : html`<ul>${messages.map(messageRow)}</ul>`}`;
  return String(await page('Bosun', body));
}

function interactionRow(project: string, one: InteractionJson) {
  const ways = one.options.map(
    ({ label, press }) => html`<li><bdi>${label}</bdi>: <code>bosun press ${press}</code></li>`,
  );
  return html`<li><p><span class="mark">${one.kind}</span> in <bdi>${project}</bdi> <span class="soft">${one.id}</span></p>
<pre dir="auto">${shortened(one.text)}</pre><ul>${ways}</ul></li>`;
}

function projectRow({ project, health, level, run, items, drafts }: ProjectStatus) {
  const done = items.filter((item) => item.status === 'done').length;
  const inLine = drafts.filter((draft) => draft.id !== run?.id).length;
  const work = run
    ? html`<p><bdi>${shortened(run.task.split('\n')[0] ?? '')}</bdi></p>
<p class="soft"><a href="/runs/${run.id}">${run.id}</a> · ${run.workflow} · ${run.status}${run.pause_reason ? ` (${run.pause_reason})` : ''}${items.length > 0 ? ` · ${done} of ${items.length} stories done` : ''}${inLine > 0 ? ` · ${inLine} in line` : ''}</p>`
    : html`<p class="soft">No run yet.</p>`;
  return html`<li><p><strong><bdi>${project}</bdi></strong> <span class="mark">${health}</span> <span class="soft">${level}</span></p>
${work}</li>`;
}

function messageRow({ id, thread, view, at }: Message) {
  return html`<li><p class="soft">${id} · ${view.kind} · <bdi>${thread}</bdi> · ${shortTime(at)}</p>
<pre dir="auto">${shortened(view.text)}</pre></li>`;
}

function shortTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}
