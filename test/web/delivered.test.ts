// The page of a finished run lists its commits, its branch and its pull request, or says why there is none.
import { expect, it } from 'vitest';
import type { Run } from '../../src/engine/index.js';
import type { WebContext } from '../../src/web/context/web-context.js';
import { Delivered } from '../../src/web/pages/run/delivered.js';
import { aRun } from '../store/values.js';

function shown(note: string, run: Partial<Run> = {}) {
  const event = { type: 'workspace_done', chain: '', at: 1, result: { ok: true, commit: 'b99659d0', note } };
  const reader = { newestEvents: () => [{ event }] };
  const web = { now: () => 2, services: { runtime: { reader } } } as unknown as WebContext;
  const html = String(Delivered({ web, run: aRun(1, { status: 'completed', ...run }), interactions: [], items: [] }));
  return { html, text: html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ') };
}

it('says why there is no pull request, and takes no proposed title for one', () => {
  const note = '2 commits, 1 file +2 −0, pushed to origin\nCould not open a pull request: `gh` is not installed.';
  const { text } = shown(note, { context: { pr: 'Calculator' } });
  expect(text).toContain('pushed to origin');
  expect(text).toContain('Could not open a pull request: `gh` is not installed.');
  expect(text).not.toContain('Calculator');
});

it('links to the pull request that Bosun or the agent opened', () => {
  const page = 'https://forge.example/shop/pulls/7';
  expect(shown(`2 commits, pushed to origin\n${page}`).html).toContain(`<a href="${page}" rel="noreferrer"`);
  expect(shown('1 commit', { context: { pr_url: page } }).text).toContain('Pull request: forge.example/shop/pulls/7');
});

it('makes no link of anything but an address', () => {
  for (const line of ['javascript:alert(1)', 'http://forge.example', 'see https://a.example for more', 'https://"><b>'])
    expect(shown(`1 commit\n${line}`).html).not.toMatch(/<a href="(?!\/runs)/);
});
