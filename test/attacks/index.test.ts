// Each attack that somebody tried on Bosun, with the test that proves what holds. A reader finds the proof by its file and
// title; a test that is renamed or removed is missed here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

type Case = readonly [attack: string, file: string, title: string];

const entrance = 'test/web/entrance.test.ts';
const raw = 'test/attacks/entrance.test.ts';
const hooks = 'test/web/hooks.test.ts';
const people = 'test/web/people.test.ts';
const chat = 'test/attacks/chat.test.ts';
const parsers = 'test/attacks/parsers.test.ts';
const telegram = 'test/telegram/intake/saying.test.ts';
const telegramStrangers = 'test/telegram/intake/strangers.test.ts';
const telegramOffers = 'test/telegram/intake/offers.test.ts';
const telegramReceiving = 'test/telegram/intake/receiving.test.ts';
const slack = 'test/slack/intake/strangers.test.ts';
const slackPressing = 'test/slack/intake/pressing.test.ts';
const slackReceiving = 'test/slack/intake/receiving.test.ts';
const attempt = 'test/dispatch/executor/attempt.test.ts';
const redis = 'test/dispatch/queue/bullmq.test.ts';
const badHome = 'test/e2e/bad-home.test.ts';
const store = 'test/dispatch/store/open.test.ts';

const cases: Readonly<Record<string, readonly Case[]>> = {
  'the entrances': [
    [
      'no token, a wrong one, half of one, a forged cookie',
      entrance,
      'lets each caller do what its proof allows and nothing else',
    ],
    ['a token in the address', entrance, 'takes no token from the address'],
    ['a foreign Host, one without a port', entrance, 'refuses a Host that is not its own, even with the token'],
    ['two Hosts, user information in Host, absolute addresses, smuggling', raw, 'gets nowhere: %s'],
    ['a WebSocket upgrade on the stream', raw, 'gets a stream of events for an upgrade to a WebSocket, and no socket'],
    ['a foreign or null Origin', entrance, 'refuses a foreign Origin, even with the token'],
    ['traversal under /assets', raw, 'finds no file by traversal under /assets, nor a workflow or a project by a path'],
    ['TRACE, OPTIONS and other methods', 'test/web/bodies.test.ts', 'says in which way a known thing may be asked for'],
    ['a login link that is looked at by HEAD, or used twice', entrance, 'log in one browser, once'],
    ['an old login link', entrance, 'are no good after ten minutes'],
    ['a cookie with another time', entrance, 'outlives a restart, and neither its time nor another token'],
    [
      'a cookie without its name part, or with another name',
      people,
      'is good for that person alone: a cookie that names another one is none',
    ],
    [
      'CSRF from another port, another site, or without Origin',
      entrance,
      'acts for nobody but its own pages: not for another port, another site, or one that does not say',
    ],
    [
      'a page of another port in a real browser',
      'test/web/browser/strangers.test.ts',
      'reads nothing and does nothing from another port, though the cookie is the same machine’s',
    ],
    ['DNS rebinding', 'test/web/browser/strangers.test.ts', 'gets nowhere under a name of its own that leads to Bosun'],
    ['a session that makes login links', entrance, 'are made for the holder of the token, and not for a session'],
    [
      'a cookie that somebody kept after the logout',
      'test/web/logout.test.ts',
      'ends this browser’s session and nobody else’s, whoever has kept the cookie',
    ],
    ['embedding and reading by another site', entrance, 'gives no reader of another site leave to look'],
    [
      'frames, and a window that shares a process',
      raw,
      'opens no page in the frame of another site and shares no process with one',
    ],
    [
      '200 streams at once',
      'test/web/stream.test.ts',
      'gives places back when clients go away, and refuses when there are too many',
    ],
    [
      'bodies that are broken, wrong or too large',
      'test/web/bodies.test.ts',
      'refuses bodies that are broken, wrong or too large with a problem that says why',
    ],
    ['a body without a length', 'test/web/bodies.test.ts', 'counts a body that comes in chunks and names no length'],
    [
      'a fault that shows a stack',
      'test/web/bodies.test.ts',
      'says that it failed without saying how, and logs the rest',
    ],
  ],
  'a person of few rights': [
    [
      'a viewer reads another project',
      people,
      'shows a person the projects that he has a role in, on every page and in every answer',
    ],
    [
      'a member reads metrics, workers or the queue, or starts runs past the chat',
      people,
      'lets nobody but the owner of the home see what tells of all projects, or act past the chat',
    ],
    [
      'a viewer presses, or speaks as somebody else or in another thread',
      people,
      'lets a person do by chat and buttons what his role allows, in his own name and thread alone',
    ],
    ['a member listens to the threads of others', people, 'keeps the threads of others out of his chat and his stream'],
    [
      'somebody who was removed',
      people,
      'ends with the person: who is not among the people any more is nobody, at once',
    ],
    [
      'an ETag of another project',
      'test/web/api/tags.test.ts',
      'knows a run by its own events, whatever happens to others',
    ],
  ],
  hooks: [
    [
      'an old, future, changed or foreign signature',
      hooks,
      'takes a signature only within five minutes, over this very body and with this project’s secret',
    ],
    [
      'a replay, also under another delivery id',
      hooks,
      'takes a signed delivery once, under whatever id the copy comes',
    ],
    ['a replay after a restart', hooks, 'knows a delivery again after a restart, by its id as by its signature'],
    ['ten copies at once', hooks, 'takes ten copies that come at once as one'],
    [
      'a replay under another alias or with a zero before its time',
      raw,
      'is a copy with another alias in the address or a zero before its time, and is told once',
    ],
    ['an empty secret, capitals, two signatures', raw, 'is refused: %s'],
    ['packed or 30,000 levels deep bodies', raw, 'is not unpacked, and not read beyond reason'],
    ['more than 64 KB', hooks, 'refuses a body that is larger than 64 KB before it looks at who sends it'],
    ['words in the body that are commands', hooks, 'does nothing but tell when the words are %j'],
    [
      'a body that names a verb, a person or a project',
      hooks,
      'lets nothing in the body name a verb, a person or another project',
    ],
  ],
  'the page': [
    [
      'scripts, events, links and turned text in everything that is shown',
      'test/web/hostile.test.ts',
      'shows no text that others wrote as anything but text, on any page',
    ],
    [
      'the same in a real browser',
      'test/web/browser/looks.test.ts',
      'shows what others wrote, and lets none of it do anything',
    ],
  ],
  'an agent’s token': [
    ['another project, after the end, changed', hooks, 'takes the token of an attempt that runs, and of no other'],
    ['anything but its own door', 'test/web/agents.test.ts', 'takes the token of an attempt for nothing else'],
    [
      'a guessed token, or the home’s, at that door',
      'test/web/agents.test.ts',
      'opens for nothing but the token of an attempt that is at work',
    ],
    [
      'an attempt that has ended',
      'test/dispatch/asks.test.ts',
      'refuses the token of an attempt that has ended, is not at work yet, or never was',
    ],
    ['one question too many', 'test/dispatch/asks.test.ts', 'lets one attempt have only so much open at a time'],
    [
      'a key used again for another command',
      'test/dispatch/asks.test.ts',
      'refuses a key that was used for something else, so that what was allowed once allows nothing further',
    ],
  ],
  Telegram: [
    [
      'a stranger who gives commands',
      telegramStrangers,
      'is told nothing but a code, twice at most, and is heard once the host approved it',
    ],
    ['a stranger in a group', telegram, 'strangers are not answered, whatever they say or press'],
    [
      'the display name of an owner',
      telegramStrangers,
      'never makes a stranger somebody by the name that the stranger chose',
    ],
    ['a code approved from a chat', telegramStrangers, 'cannot be let in from a chat, not by its owner either'],
    ['anonymous administrators and channels', telegram, 'anonymous administrators and channels are refused once'],
    ['a forwarded command', telegram, 'cannot make Bosun act by forwarding'],
    [
      'homoglyphs, zero width, RTL, 49,000 characters, via_bot, is_bot, sender_chat, forged presses',
      chat,
      'nothing is done by look-alike letters, invisible characters, other bots, channels or presses made up by hand',
    ],
    [
      'a forged press from another thread',
      telegramOffers,
      'does nothing from another chat than the one where it stands, and tells nothing there',
    ],
    [
      'a button of a project that one may not read',
      telegramOffers,
      'tells its label to nobody who may not read its project: %s',
    ],
    [
      'a press beyond the own role',
      telegramOffers,
      'that answers a question promises no more than the card’s own button would',
    ],
    ['an update that cannot be read', telegramReceiving, 'that cannot be read is passed over and holds up nothing'],
    ['a server that hangs', telegramReceiving, 'that has gone deaf is made anew'],
    [
      'a flood of messages',
      telegram,
      'is heard twenty times a minute, told once that it is too fast, and then not answered',
    ],
    [
      'a forged webhook post',
      'test/telegram/webhook.test.ts',
      'takes a post only with its secret, of at most 1 MB, and says nothing to anybody else',
    ],
  ],
  Slack: [
    [
      'a replayed, old, future or changed post',
      slackReceiving,
      'is taken where it is signed, and refused where the signature is another’s, too old or of a time to come',
    ],
    [
      'an empty or guessed secret',
      chat,
      'a post with an empty secret, another secret, no signature or a changed body is refused',
    ],
    ['a stranger', slack, 'is told nothing but a code, twice at most, and is heard once the host approved it'],
    [
      'a guest who is an owner by the configuration',
      slack,
      'is a guest, whatever the configuration calls him, and is told so once',
    ],
    [
      'another company, a shared channel',
      slack,
      'is whoever comes from another company, and everybody in a channel shared with one',
    ],
    ['bots, the bot itself, another workspace', slack, 'is a bot, the bot itself, and another workspace'],
    ['a forged window or an edit', slack, 'does nothing by an edit or a window either'],
    [
      'a forged press, __proto__ and an id of another card',
      chat,
      'nothing is done by look-alike letters or presses made up by hand, of members or of others',
    ],
    [
      'a press of a viewer',
      slackPressing,
      'that comes too late, or of somebody who may not, is answered to that one alone',
    ],
    ['a window for whom may not answer', slackPressing, 'is no window for whom may not answer'],
    ['a file from elsewhere', 'test/slack/intake/saying.test.ts', 'has no file fetched from anywhere but Slack'],
  ],
  'the parsers': [
    ['bombs in a workflow file', parsers, 'is refused in time, with a place: %s'],
    [
      '__proto__ and constructor as keys',
      parsers,
      'changes no object of the program by the keys __proto__, constructor and prototype',
    ],
    ['an expression of 6,000 characters', parsers, 'is refused for an expression of 6,000 characters'],
    ['bombs in HANDOFF.md', parsers, 'is no report, and read in time: %s'],
    ['templates and shell in a report', parsers, 'a report stays text in the next prompt, whatever it looks like'],
    [
      'an imitation of the marks around data',
      'test/engine/fence.test.ts',
      'cannot imitate the marks, which are others for each attempt and the same for the same',
    ],
    [
      'files that are links, by which a report is read',
      'test/dispatch/hand-report.test.ts',
      'is not read through a link, nor from a giant',
    ],
    [
      'STATE.json as a link',
      'test/dispatch/exports/state-file.test.ts',
      'does not write through a link that somebody put in place of the file',
    ],
    [
      'exports as links',
      'test/dispatch/exports/export-run.test.ts',
      'take the place of a link, even of one to a file that says the same',
    ],
    ['an archive as a link', 'test/dispatch/exports/export-run.test.ts', 'is not followed out of the project'],
    [
      'a link out of the checkout',
      'test/dispatch/run-attempt.test.ts',
      'that leads out of the checkout is named, also one that leads to nothing yet',
    ],
    [
      'the checkout itself as a link',
      'test/dispatch/run-attempt.test.ts',
      'in place of the folder is a fault, and nothing is measured where it leads',
    ],
  ],
  volume: [
    ['a line without end', attempt, 'cuts a line that never ends, and what was a part of it is no key'],
    ['hundreds of megabytes of output', attempt, 'is cut at its limit, and 200 MB of output need little memory'],
    ['a thousand messages at once', badHome, 'of a thousand messages at once is answered, each one once'],
  ],
  faults: [
    [
      'a full disk',
      badHome,
      'is on a disk that is full refuses what comes in, keeps what it has, and goes on when there is room',
    ],
    [
      'a full disk in the middle of a commit',
      store,
      'on a full disk a commit leaves everything as it was, and the store goes on once there is room',
    ],
    ['a database cut in half', store, 'a database that lost its end fails with its name, not with a stack'],
    ['a file that is no database', store, 'a file that is no database is refused by name and not overwritten'],
    [
      'a second Bosun in the same home',
      badHome,
      'has a Bosun already refuses a second one with the pid of the first, and is free when that one was killed',
    ],
    [
      'a Bosun that was stopped for longer than its lease',
      redis,
      'a worker that was stopped and wakes after its job was given to another changes nothing',
    ],
    ['Redis away at the start', redis, 'starts with a Redis that is not there, and begins when it comes'],
    [
      'Redis emptied at work',
      redis,
      'offers again, under the same ids, what Redis lost before it began, and runs it once',
    ],
    ['Redis killed', redis, 'goes on after Redis was killed and came back, and says once that it was away'],
    ['Redis full', redis, 'takes everything while Redis is full, keeps what runs, and goes on when it has room'],
    [
      'an agent that ignores SIGTERM, with children in sessions of their own',
      'test/e2e/bad-world.test.ts',
      'ignores SIGTERM and has children in a session of their own leaves none of them behind',
    ],
  ],
  'copies and upgrades': [
    [
      'a copy of a live database in a new home',
      'test/deploy/copies.test.ts',
      'is whole, belongs to the same home, and goes on from its moment',
    ],
    ['an event that somebody edited', 'test/dispatch/store/commit.test.ts', 'a changed payload'],
    ['a history whose end is cut off', 'test/dispatch/store/commit.test.ts', 'a newest event that was taken out'],
    ['a database of the first version', store, 'a database of version 1 is brought up to date with all that is in it'],
    ['a database of a newer Bosun', store, 'a database of a newer Bosun is refused and left as it is'],
  ],
  'money and time': [
    [
      'a worker that comes back late with a cost',
      'test/dispatch/purse.test.ts',
      'is counted once where its step has been tried again meanwhile',
    ],
    [
      'an aborted run whose last agent still costs',
      'test/dispatch/purse.test.ts',
      'of an aborted run is counted in the purse of the next run',
    ],
    [
      'a clock that is set back',
      'test/bot/views/cards.test.ts',
      'is unknown at the end of a run, whose duration is not told where the clock was set back',
    ],
  ],
};

const root = join(import.meta.dirname, '../..');
const sources = new Map<string, string>();

function sourceOf(file: string): string {
  const known = sources.get(file) ?? readFileSync(join(root, file), 'utf8').replaceAll("\\'", "'");
  sources.set(file, known);
  return known;
}

describe.each(Object.entries(cases))('against %s', (_part, listed) => {
  it.each(listed)('holds: %s (%s: "%s")', (_attack, file, title) => {
    const quoted = ["'", '"', '`'].map((quote) => `${quote}${title}${quote}`);
    expect(quoted.some((one) => sourceOf(file).includes(one))).toBe(true);
  });
});

it('lists no attack twice', () => {
  const attacks = Object.values(cases).flatMap((listed) => listed.map(([attack]) => attack));
  expect(new Set(attacks).size).toBe(attacks.length);
});
