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
const telegram = 'test/bot/channels/telegram/inbound/saying.test.ts';
const telegramStrangers = 'test/bot/channels/telegram/inbound/strangers.test.ts';
const telegramOffers = 'test/bot/channels/telegram/inbound/offers.test.ts';
const telegramReceiving = 'test/bot/channels/telegram/inbound/receiving.test.ts';
const slack = 'test/bot/channels/slack/inbound/strangers.test.ts';
const slackPressing = 'test/bot/channels/slack/inbound/pressing.test.ts';
const slackReceiving = 'test/bot/channels/slack/inbound/receiving.test.ts';
const attempt = 'test/agents/attempts/attempt.test.ts';
const redis = 'test/queue/bullmq.test.ts';
const badHome = 'test/e2e/bad-home.test.ts';
const store = 'test/store/open.test.ts';

/** What held when it was first tried. */
const held: Readonly<Record<string, readonly Case[]>> = {
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
      'test/bot/channels/telegram/webhook.test.ts',
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
    [
      'a file from elsewhere',
      'test/bot/channels/slack/inbound/saying.test.ts',
      'has no file fetched from anywhere but Slack',
    ],
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
      'cannot be forged, and its mark differs per attempt but is stable for the same attempt',
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
      'test/worker/measured-attempt.test.ts',
      'that leads out of the checkout is named, also one that leads to nothing yet',
    ],
    [
      'the checkout itself as a link',
      'test/worker/measured-attempt.test.ts',
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
    ['an event that somebody edited', 'test/store/commit.test.ts', 'a changed payload'],
    ['a history whose end is cut off', 'test/store/commit.test.ts', 'a newest event that was taken out'],
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

/** What broke when it was first tried, and holds since. */
const mended: Readonly<Record<string, readonly Case[]>> = {
  'a chat that reaches the machine': [
    [
      'an operator in chat starts a workflow by path',
      'test/web/authority.test.ts',
      'every entrance lets each role do what the table says, and nothing else',
    ],
    [
      'a person named by --as gives a path in a shell',
      'test/cli/say.test.ts',
      'refuses a path where somebody else than the owner of the home is meant',
    ],
    [
      'a path that leads to a file, or to none, told apart',
      'test/dispatch/workflows.test.ts',
      'by nothing but a listed name where no path may be given, whether or not there is such a file',
    ],
    [
      'a file of Bosun’s home as a workflow, through a link too',
      'test/dispatch/workflows.test.ts',
      'is never one of Bosun’s home, through no link either, but for checkouts that lie there',
    ],
    [
      'the home’s token in an error message',
      'test/web/authority.test.ts',
      'no message repeats a part of the home’s token, whatever put it there',
    ],
    [
      'a secret that is cut before it is redacted',
      'test/base/redaction/redactor.test.ts',
      'is redacted when it was cut at either end before redaction',
    ],
    [
      'guessing the token over HTTP',
      'test/web/entrance.test.ts',
      'answers wrong tokens with 429 after a few, for a minute, and takes the right one all the while',
    ],
  ],
  'an agent that changes its judge': [
    [
      'an agent writes .ai/step-rules.yaml',
      'test/e2e/scenarios-workflows.test.ts',
      'a step that writes the rules fails until they are as they were, and no run is judged by what it wrote',
    ],
    [
      'an agent lists the rules among what it may write',
      'test/engine/scope.test.ts',
      'may never be the rules the step is judged by, even if its writes list and the policy allow it',
    ],
    [
      'an agent’s workflow shadows a shipped one',
      'test/dispatch/workflows.test.ts',
      'shadows no shipped workflow, is not listed, and says what it waits for',
    ],
    [
      'rules that nobody accepted',
      'test/dispatch/workflows.test.ts',
      'is not in force: new rules are inert, and changed or removed ones leave the accepted text in force',
    ],
    [
      'a prompt that changes after its workflow was accepted',
      'test/dispatch/workflows.test.ts',
      'covers the prompts beside a workflow: what an agent writes there later is not read',
    ],
    [
      'a cloned repository that brings rules along',
      'test/cli/project-commands.test.ts',
      'says which rules of the folder are not in force, and "rules accept" shows them and puts them in force',
    ],
    [
      'somebody who is no owner accepts rules',
      'test/web/authority.test.ts',
      'rules that nobody accepted are told of with the proposal, and only an owner may see and accept them',
    ],
  ],
  'what an agent leaves in .git': [
    [
      'core.fsmonitor, filters and hooks that Bosun’s git would start',
      'test/workspace/commit.test.ts',
      "Bosun's git starts no watcher and no hook but those of a commit, and none learns Bosun's secrets",
    ],
    [
      'settings that an agent changed',
      'test/dispatch/checkout-work.test.ts',
      'stops before git runs with settings that an agent changed, and goes on as a person rules',
    ],
    ['a filter in .git/config', 'test/worker/measured-attempt.test.ts', '.git/config: filter.x.clean'],
    ['a link in place of the repository', 'test/worker/measured-attempt.test.ts', 'a link to another repository'],
    [
      'a program in the list of a rebase',
      'test/workspace/merge-conflict.test.ts',
      'a program that an agent added to the rebase is told and not run',
    ],
  ],
  'links that an agent left': [
    [
      'the copy of the attempt’s log as a link to a file of the user’s',
      'test/dispatch/attempt-logs.test.ts',
      'replaces %s that an agent left at its copy’s place',
    ],
    [
      'a forged log in the checkout',
      'test/web/api/attempts.test.ts',
      'shows the log of the home, whatever became of the copy in the checkout',
    ],
    [
      'a report file as a link to a file of the user’s',
      'test/agents/attempts/attempt.test.ts',
      'at %s is not followed when Bosun writes (%s link)',
    ],
    [
      'the log of a worker elsewhere as a link',
      'test/dispatch/remote/live-logs.test.ts',
      'is not written through a link that an agent left',
    ],
    [
      'a folder of exports as a link',
      'test/dispatch/exports/export-run.test.ts',
      'a link at %s, which an agent left, leads no export out of the project',
    ],
  ],
  'a stolen session': [
    [
      'the cookie at another port of 127.0.0.1',
      'test/web/browser/strangers.test.ts',
      'receives no cookie at another port of 127.0.0.1; one stolen at Bosun’s own host does not act',
    ],
    [
      'a cookie without the page’s key',
      'test/web/entrance.test.ts',
      'changes nothing with its cookie alone: what acts needs the key that the page got at login',
    ],
    [
      'reading the key with the cookie',
      'test/web/entrance.test.ts',
      'shows its key to nobody who reads with the cookie',
    ],
  ],
  'hooks that go too far': [
    [
      'a body that names somebody’s private thread',
      'test/web/hooks.test.ts',
      'posts to the thread that a body names only with the token of the home',
    ],
    [
      'an attempt that uses up a CI’s delivery id',
      'test/web/hooks.test.ts',
      'remembers a delivery id for the kind of proof that used it, so that an attempt cannot use up a report of the CI',
    ],
  ],
  'silence and floods': [
    [
      '1,100 connections with half a header',
      'test/web/connections.test.ts',
      'answers health checks and logins while 1,100 connections send half a header, and keeps open streams',
    ],
    [
      'a connection that never ends its headers or its body',
      'test/web/connections.test.ts',
      'closes a connection that takes too long for its headers, or for a body without proof',
    ],
    ['a platform’s answer without end', 'test/bot/bounded-fetch.test.ts', 'reads at most 16 MB of the answer to %s'],
    [
      'words of an agent’s that a phone lets people tap',
      'test/bot/channels/telegram/render/render.test.ts',
      'makes nothing of %j that a phone would let somebody tap, and leaves code as it is',
    ],
    [
      'too few files that may be open',
      'test/foundations/setup.test.ts',
      'exits with one sentence when the limit of open files is too low',
    ],
  ],
  'a database that is lost': [
    [
      'bosun.db deleted under a live Bosun',
      'test/cli/up.test.ts',
      'ends with 1 within seconds when its database is deleted, and says what was',
    ],
    [
      'the same, at readyz',
      'test/web/bodies.test.ts',
      'is not ready once its database is gone, and says that it has to end',
    ],
    [
      'a disk that is full, at readyz',
      'test/web/bodies.test.ts',
      'is not ready while nothing can be written, and ready again by itself',
    ],
    [
      'bytes that flip in a live database',
      'test/store/file-gate.test.ts',
      'a database of which %s is found damaged by the next look or the next write',
    ],
    [
      'a fault after each commit of a run',
      'test/faults/faults.test.ts',
      'loses and repeats nothing, after any commit of a run and with any of four faults',
    ],
  ],
  'reports that lie': [
    [
      'a STATUS in a quotation, and two that contradict each other',
      'test/engine/outcome.test.ts',
      'STATUS lines that contradict each other never pass',
    ],
    [
      'a fence that never closes',
      'test/engine/report/output.test.ts',
      'reads the keys after a code fence that never closes',
    ],
    [
      'a printed line instead of evidence',
      'test/engine/gate.test.ts',
      "judges by its files and the run's inputs, never by output that a step printed",
    ],
  ],
  'agents that outlive Bosun': [
    [
      'SIGKILL of Bosun while agents work',
      'test/agents/attempts/orphan-guard.test.ts',
      'ends agents of every kind, with all their children, when the process that runs them is killed with SIGKILL',
    ],
  ],
  'what Bosun is built from': [
    [
      'a package of another content',
      'test/foundations/dependencies.test.ts',
      'are locked with integrity hashes, also those of other platforms',
    ],
    [
      'an image of another content',
      'test/deploy/compose.test.ts',
      'names images of others by their content, the same ones everywhere',
    ],
    [
      'Redis’ password in the list of processes',
      'test/deploy/container.test.ts',
      'of %s asks for its password, which stands in no argument',
    ],
  ],
};

const cases = { ...held, ...mended };

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
