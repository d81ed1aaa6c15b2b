// The tools through which an agent writes the files that Bosun reads.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHandoff } from '../../../src/agents/reports/handoff-file.js';
import { type AgentFiles, fileTools } from '../../../src/jobs/asks/index.js';

const files: AgentFiles = {
  ...{ handoff: '/w/HANDOFF.md', scratch: '/s/all.md', itemScratch: '/s/own.md', progress: '/s/progress.txt' },
  ...{ step: 'impl', attempt: '2' },
};

function desk(written: Readonly<Record<string, string>> = {}) {
  const disk = new Map(Object.entries(written));
  const access = {
    read: (path: string) => disk.get(path) ?? null,
    write: (path: string, text: string) => void disk.set(path, text),
  };
  const call = (name: string, input: unknown) => {
    const tool = fileTools(files).find((one) => one.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.call(input, access);
  };
  return { disk, call };
}

describe('the tool report', () => {
  const said = {
    ...{ status: 'failing', reason: 'scope_warning', summary: 'It needs: a cart', review_digest: '`a`\n- b: c' },
    ...{ questions: ['Is it ok: yes?'], files_changed: ['app/[id].js'], tests: { pass: 2, fail: 1, skip: 0 } },
    notes: 'Done: half.',
  };

  it('gives what a handoff file would give, by the same parser', () => {
    const { disk, call } = desk();
    expect(call('report', said)).toEqual({ ok: true, text: 'Noted.' });
    const { handoff, identity, warning } = parseHandoff(disk.get(files.handoff) ?? '');
    expect(warning).toBeNull();
    expect(identity).toMatchObject({ step: 'impl', attempt: '2' });
    expect(handoff).toEqual({
      front: {
        ...{ status: 'failing', reason: 'scope_warning', summary: 'It needs: a cart', reviewDigest: '`a`\n- b: c' },
        ...{ questions: ['Is it ok: yes?'], filesChanged: ['app/[id].js'], tests: said.tests },
      },
      body: 'Done: half.',
    });
  });

  it('keeps every text, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), (text) => {
        const { disk, call } = desk();
        call('report', { status: 'pass', summary: 'x', questions: [text] });
        const { handoff, warning } = parseHandoff(disk.get(files.handoff) ?? '');
        expect([warning, handoff.front?.status, handoff.front?.questions]).toEqual([null, 'pass', [text]]);
      }),
      { numRuns: 30 },
    );
  });

  it('counts as it was given last, before or after the file', () => {
    const { disk, call } = desk();
    call('report', said);
    call('report', { status: 'pass', summary: 'All of it' });
    expect(parseHandoff(disk.get(files.handoff) ?? '').handoff.front).toMatchObject({ status: 'pass', questions: [] });
    disk.set(files.handoff, '---\nstatus: needs_human\n---\n');
    expect(parseHandoff(disk.get(files.handoff) ?? '').handoff.front).toMatchObject({ status: 'needs_human' });
  });

  it.each([
    [{ summary: 'x' }, /status/],
    [{ status: 'pass', summary: 'x', tests: { pass: -1, fail: 0, skip: 0 } }, /tests\.pass/],
    [{ status: 'pass', summary: 'x'.repeat(5_000) }, /summary/],
    [{ status: 'pass', summary: 'x', files_changed: Array(999).fill('x'.repeat(900)) }, /shorten it/],
    ['pass', /not understood/],
  ])('refuses what does not fit, and keeps the earlier report', (input, why) => {
    const { disk, call } = desk({ [files.handoff]: 'as it was' });
    expect(call('report', input)).toEqual({ ok: false, text: expect.stringMatching(why) });
    expect(disk.get(files.handoff)).toBe('as it was');
  });
});

describe('the tools note and progress_log', () => {
  it('append, and never replace', () => {
    const { disk, call } = desk({ [files.itemScratch]: 'one', [files.progress ?? '']: '# Log\n' });
    call('note', { text: 'two' });
    call('note', { text: 'port 8080 is taken', for_all_stories: true });
    call('progress_log', { text: '## US-001\ndone\n---' });
    expect([...disk.values()]).toEqual(['one\ntwo\n', '# Log\n## US-001\ndone\n---\n', 'port 8080 is taken\n']);
  });

  it('put new patterns below their heading, once', () => {
    const log = '# Log\n\n## Codebase Patterns\n- a\n\n---\nblock\n';
    const { disk, call } = desk({ [files.progress ?? '']: log });
    for (const text of ['- b\n- a', '- b']) call('progress_log', { text, section: 'patterns' });
    expect(disk.get(files.progress ?? '')).toBe('# Log\n\n## Codebase Patterns\n- b\n- a\n\n---\nblock\n');
    const bare = desk();
    bare.call('progress_log', { text: '- b', section: 'patterns' });
    expect(bare.disk.get(files.progress ?? '')).toBe('## Codebase Patterns\n- b\n');
  });

  it('have a limit, and say when a file cannot be written', () => {
    const { call } = desk({ [files.itemScratch]: 'x'.repeat(199_999) });
    expect(call('note', { text: 'two' })).toMatchObject({ ok: false });
    expect(call('note', { text: ' ' })).toMatchObject({ ok: false });
    const [, note] = fileTools(files);
    const broken = {
      read: () => null,
      write: () => {
        throw new Error('disk full');
      },
    };
    expect(note?.call({ text: 'a' }, broken)).toEqual({ ok: false, text: 'note could not be written: disk full' });
  });

  it('leave the log out where the workflow keeps none', () => {
    expect(fileTools({ ...files, progress: null }).map(({ name }) => name)).toEqual(['report', 'note']);
  });
});
