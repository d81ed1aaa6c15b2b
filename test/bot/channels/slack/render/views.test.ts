// The window that asks for words, and the home tab: within the platform's limits whatever they are given.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Home, renderHome } from '../../../../../src/bot/channels/slack/home-tab/render-home.js';
import {
  type Block,
  textAction,
  textBlock,
  textCallback,
  textModal,
} from '../../../../../src/bot/channels/slack/render/index.js';
import { clock, view } from '../../../../../src/bot/views/view.js';
import { problemsOfView } from '../server/blocks.js';
import { homes } from './homes.js';
import { longest } from './longest.js';
import { linesOf } from './phone.js';
import { textsOf } from './read.js';

const any = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 50 }),
  fc.constantFrom(
    '<!channel>',
    '👨‍👩‍👧‍👦'.repeat(2_000),
    'x'.repeat(5_000),
    '\u200b',
    '',
    '\n\n',
    '\ud83c',
    '&'.repeat(4_000),
  ),
);

describe('the text modal', () => {
  const asked = {
    press: 'i12-3.changes',
    title: 'Request changes',
    label: 'What should change?',
    hint: '',
    maxChars: 2e3,
  };

  it('has one named input field and carries the press and its place', () => {
    const modal = textModal({ ...asked, place: { thread: 'sl:C1' }, initial: 'shorter', hint: 'One thing at a time' });
    expect(JSON.parse(modal.private_metadata ?? '')).toEqual({ press: 'i12-3.changes', place: { thread: 'sl:C1' } });
    expect(modal.callback_id).toBe(textCallback);
    expect(modal.blocks).toEqual([
      {
        ...{ type: 'input', block_id: textBlock },
        label: { type: 'plain_text', text: 'What should change?', emoji: false },
        hint: { type: 'plain_text', text: 'One thing at a time', emoji: false },
        element: {
          ...{ type: 'plain_text_input', action_id: textAction, multiline: true, focus_on_load: true },
          ...{ max_length: 2_000, initial_value: 'shorter' },
        },
      },
    ]);
  });

  it("stays within Slack's limits for any input", () => {
    const maxChars = fc.integer({ min: -5, max: 100_000 });
    fc.assert(
      fc.property(any, any, any, any, maxChars, (title, label, hint, initial, maxChars) => {
        const modal = textModal({ ...asked, title, label, hint, initial, maxChars });
        expect(problemsOfView(modal)).toEqual([]);
        const [block] = modal.blocks as Block[];
        const field = block?.type === 'input' && block.element.type === 'plain_text_input' ? block.element : null;
        expect(field?.initial_value?.length ?? 0).toBeLessThanOrEqual(field?.max_length ?? 0);
      }),
    );
  });

  it('throws when its metadata exceeds 3000 characters', () => {
    const place = { thread: 'x'.repeat(3_000) };
    expect(() => textModal({ ...asked, place })).toThrow(/metadata of 3\d+ characters: must be at most 3000/);
  });
});

describe('the home tab', () => {
  const member = homes['member'] as Home;
  const blocksOf = (home: Home) => renderHome(home).blocks as Block[];
  const at = (patch: Partial<Home>): Home => ({ ...member, ...patch });

  it.each(Object.entries(homes))("of %s stays within Slack's limits", (_, home) => {
    expect(problemsOfView(renderHome(home))).toEqual([]);
  });

  it('lists the cards that need the viewer first, then active runs, then projects', () => {
    const headings = blocksOf(member).flatMap((block) => (block.type === 'header' ? linesOf(block) : []));
    expect(headings).toEqual(['== Needs you (2) ==', '== Working (1) ==', '== Projects ==']);
  });

  it('of a stranger shows how to pair and names no project', () => {
    const shown = JSON.stringify(renderHome({ ...member, isMember: false }));
    expect(shown).toContain('Write me a message. I answer with a code');
    expect(shown).not.toContain('shop');
  });

  it('shows the times of a card in the zone of its reader', () => {
    const [card] = member.needsYou;
    if (!card) throw new Error('the home of a member has no card');
    const noon = 1_795_178_400_000;
    const waiting = { ...card, view: { ...card.view, text: `Question\nThe agent waits until ${clock(noon)}.` } };
    const drawn = JSON.stringify(blocksOf(at({ needsYou: [waiting] })));
    expect(drawn).toContain(`{"type":"date","timestamp":${noon / 1000},"format":"{time}"`);
  });

  it('says how many entries it leaves out', () => {
    const [card] = member.needsYou;
    const [run] = member.working;
    const [project] = member.projects;
    if (!card || !run || !project) throw new Error('the home of a member has none of something');
    const many = at({
      needsYou: Array.from({ length: 40 }, () => card),
      working: Array.from({ length: 40 }, () => run),
      projects: Array.from({ length: 400 }, () => project),
    });
    const small = blocksOf(many).flatMap((block) => (block.type === 'context' ? linesOf(block) : []));
    expect(small).toEqual([
      '· … and 28 more cards: say "status"',
      '· … and 28 more tasks: say "status"',
      '· … and 370 more projects: say "status"',
    ]);
    expect(problemsOfView(renderHome(many))).toEqual([]);
  });

  it.each(['x', '&', '你', '👨‍👩‍👧‍👦', '<!channel> @here *b* :tada: '])(
    "with the longest texts of %s stays within Slack's limits and contains no markup",
    (filler) => {
      const long = filler.repeat(500);
      const cards = longest(filler).map(([, made]) => made);
      const home = at({
        needsYou: cards.map((made) => ({
          view: { ...made, buttons: Array.from({ length: 30 }, (_, n) => ({ label: long, press: `i1-1.${n}` })) },
          openedAt: 0,
        })),
        working: Array.from({ length: 40 }, () => ({
          ...{ project: long, task: long, doing: long, startedAt: 0, costUsd: 1e6 },
        })),
        projects: Array.from({ length: 40 }, () => ({
          ...{ name: long, state: long, note: long, button: { label: long, press: 'm1.0' } },
        })),
      });
      expect(problemsOfView(renderHome(home))).toEqual([]);
      expect(new Set(textsOf(blocksOf(home)).map((one) => one.markup))).toEqual(new Set(['none']));
    },
  );

  it("stays within Slack's limits for any text", () => {
    fc.assert(
      fc.property(any, any, any, (one, two, three) => {
        const home = at({
          needsYou: [{ view: { ...view('review', 'x'), text: `${one}\n${two}` }, openedAt: 0 }],
          working: [{ project: one, task: two, doing: three, startedAt: null, costUsd: 0 }],
          projects: [{ name: one, state: two, note: three, button: { label: one, press: 'm1.0' } }],
        });
        expect(problemsOfView(renderHome(home))).toEqual([]);
      }),
    );
  });
});
