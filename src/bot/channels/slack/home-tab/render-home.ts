import type { types } from '@slack/bolt';
import { wordTimes } from '../../../../base/index.js';
import type { Button, View } from '../../../../store/index.js';
import { cutUnits, tidy } from '../../../render/index.js';
import { clock, duration, money, oneLine, span } from '../../../views/view.js';
import { type Block, context, header, section, smallPrint, titled } from '../render/blocks.js';
import { actionsOf, buttonOf } from '../render/buttons.js';

export interface Home {
  readonly isMember: boolean;
  readonly needsYou: readonly HomeAsk[];
  /** Work that waits for a person is in `needsYou`. */
  readonly working: readonly HomeWork[];
  readonly projects: readonly HomeProject[];
  readonly at: number;
}

export interface HomeAsk {
  readonly view: View;
  readonly openedAt: number;
}

export interface HomeWork {
  readonly project: string;
  readonly task: string;
  /** `US-1 impl (attempt 2 of 3), 42/44` */
  readonly doing: string;
  readonly startedAt: number | null;
  readonly costUsd: number;
}

export interface HomeProject {
  readonly name: string;
  /** As in `status`: `waiting for you`. */
  readonly state: string;
  readonly note: string;
  readonly button: Button | null;
}

/** Keeps the tab below Slack's 100 blocks. */
const maxAsks = 12;
const maxRuns = 12;
const maxProjects = 30;
const maxButtonsOfAsk = 10;
const maxAskUnits = 500;
const maxLineChars = 160;

export function renderHome(home: Home): types.HomeView {
  return { type: 'home', blocks: home.isMember ? memberBlocks(home) : strangerBlocks };
}

const strangerBlocks: Block[] = [
  header("I don't know you yet"),
  section('Write me a message. I answer with a code that the owner uses to let you in.'),
];

function memberBlocks({ needsYou, working, projects, at }: Home): Block[] {
  const asOf = wordTimes(`As of ${clock(at)}`);
  return [
    ...asksOf(needsYou, at),
    ...(working.length === 0 ? [] : [header(`Working (${working.length})`)]),
    ...working.slice(0, maxRuns).map((one) => workOf(one, at)),
    ...more(working.length - maxRuns, 'task'),
    ...projectsOf(
      projects,
      needsYou.reduce((sum, { view }) => sum + answersOf(view).length, 0),
    ),
    smallPrint(asOf.text, asOf.times),
  ];
}

function asksOf(asks: readonly HomeAsk[], at: number): Block[] {
  if (asks.length === 0) return [context('Nothing needs you.')];
  let buttons = 0;
  return [
    header(`Needs you (${asks.length})`),
    ...asks.slice(0, maxAsks).flatMap(({ view, openedAt }) => {
      const actions = actionsOf(answersOf(view), ({ press }) => press, buttons, maxButtonsOfAsk);
      buttons += answersOf(view).length;
      return [askOf(view, `waits for ${span(Math.max(0, at - openedAt))}`), ...actions];
    }),
    ...more(asks.length - maxAsks, 'card'),
  ];
}

/** The home tab is no message, so it has no offers. */
function answersOf({ buttons }: View): View['buttons'] {
  return buttons.filter(({ press }) => !press.startsWith('.'));
}

function askOf(view: View, since: string): Block {
  const { text, times } = wordTimes(tidy(view.text));
  const [first = '', ...rest] = text.split('\n');
  const words = rest.filter((line) => !line.startsWith('```') && !/^Code:? [\w-]{1,40}$/.test(line)).join('\n');
  return titled(oneLine(first, maxLineChars), `${cutUnits(words.trim(), maxAskUnits)}\n${since}`.trim(), times);
}

function workOf({ project, task, doing, startedAt, costUsd }: HomeWork, at: number): Block {
  const facts = [
    startedAt === null ? '' : duration(Math.max(0, at - startedAt)),
    costUsd > 0 ? money(costUsd) : '',
  ].filter((one) => one !== '');
  const lines = [oneLine(task, maxLineChars), oneLine(doing, maxLineChars), facts.join(' · ')];
  return titled(oneLine(project, maxLineChars), lines.filter((one) => one !== '').join('\n'));
}

function projectsOf(projects: readonly HomeProject[], firstIndex: number): Block[] {
  if (projects.length === 0) return [header('Projects'), section('You are not a member of any project.')];
  return [
    header('Projects'),
    ...projects.slice(0, maxProjects).map((one, index) => projectOf(one, firstIndex + index)),
    ...more(projects.length - maxProjects, 'project'),
  ];
}

function projectOf({ name, state, note, button }: HomeProject, index: number): Block {
  const line = oneLine(`${name}: ${state}`, maxLineChars);
  const shown = section(note === '' ? line : `${line}\n${oneLine(note, maxLineChars)}`);
  return button === null ? shown : { ...shown, accessory: buttonOf(button, button.press, index, false) };
}

function more(count: number, what: string): Block[] {
  return count > 0 ? [context(`… and ${count} more ${count === 1 ? what : `${what}s`}: say "status"`)] : [];
}
