// What a home tab may be drawn from.
import type { Home } from '../../../../../src/bot/channels/slack/home-tab/render-home.js';
import { cards } from '../../../cards.js';

const noon = new Date(2026, 4, 4, 12, 40).getTime();
const empty: Home = { isMember: true, needsYou: [], working: [], projects: [], at: noon };

function viewOf(name: string) {
  const make = cards[name];
  if (!make) throw new Error(`there is no card ${name}`);
  return make();
}

export const homes: Readonly<Record<string, Home>> = {
  member: {
    ...empty,
    needsYou: [
      { view: viewOf('Questions to people: review'), openedAt: noon - 3 * 3_600_000 },
      { view: viewOf('Questions to people: agent permission'), openedAt: noon - 90_000 },
    ],
    working: [
      {
        project: 'shop',
        task: 'Customers can undo a cancelled order',
        doing: 'US-1 Implementation, 2nd try of 3, 2 of 44 tests fail',
        startedAt: noon - 754_000,
        costUsd: 1.25,
      },
    ],
    projects: [
      {
        name: 'shop',
        state: 'waiting for you',
        note: 'Customers can undo a cancelled order',
        button: { label: 'Continue', press: 'go.1' },
      },
      { name: 'blog', state: 'idle', note: '', button: null },
    ],
  },
  'nothing-yet': empty,
  stranger: { ...empty, isMember: false },
};
