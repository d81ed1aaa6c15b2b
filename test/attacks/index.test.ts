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
    [
      'a page or an action without any proof',
      entrance,
      'asks every page, action and API route for a proof, except for those that need none',
    ],
    ['a token in the address', entrance, 'accepts no token in the URL'],
    ['a foreign Host, one without a port', entrance, 'refuses a foreign Host, even with the token'],
    ['two Hosts, user information in Host, absolute addresses, smuggling', raw, 'gets no data: %s'],
    ['a WebSocket upgrade on the stream', raw, 'with a WebSocket upgrade gets an event stream and no socket'],
    ['a foreign or null Origin', entrance, 'refuses a foreign Origin, even with the token'],
    ['traversal under /assets', raw, 'path traversal finds no file, workflow or project'],
    [
      'TRACE, OPTIONS and other methods',
      'test/web/bodies.test.ts',
      'a wrong method is answered with 405 and the allowed methods',
    ],
    ['a login link that is looked at by HEAD, or used twice', entrance, 'logs in one browser, once'],
    ['an old login link', entrance, 'expires after ten minutes'],
    ['a cookie with another time', entrance, 'survives a restart, but not its expiry, another token or another secret'],
    [
      'a cookie without its name part, or with another name',
      people,
      'a session is bound to its person: a cookie that names another person is invalid',
    ],
    [
      'CSRF from another port, another site, or without Origin',
      entrance,
      'acts only for its own pages: not for another port, another site or a request without Origin',
    ],
    [
      'a page of another port in a real browser',
      'test/web/browser/strangers.test.ts',
      'can neither read nor act from another port, although the browser has the cookie of the same host',
    ],
    [
      'DNS rebinding',
      'test/web/browser/strangers.test.ts',
      'can neither read nor act through its own DNS name for the address of Bosun',
    ],
    ['a session that makes login links', entrance, 'can be made with the token, but not with a session'],
    [
      'a cookie kept after the logout',
      'test/web/logout.test.ts',
      'logout ends only the session of this browser, even for a kept cookie',
    ],
    [
      'embedding and reading by another site',
      entrance,
      'keeps other sites from reading, embedding and caching a response',
    ],
    [
      'frames, and a window that shares a process',
      raw,
      'pages cannot be framed and share no process with another site',
    ],
    [
      '200 streams at once',
      'test/web/stream.test.ts',
      'refuses streams beyond the limit and frees slots when clients disconnect',
    ],
    [
      'bodies that are broken, wrong or too large',
      'test/web/bodies.test.ts',
      'broken, invalid and oversized bodies are refused with a problem that says why',
    ],
    ['a body without a length', 'test/web/bodies.test.ts', 'a chunked body without a content length is limited too'],
    [
      'a fault that shows a stack',
      'test/web/bodies.test.ts',
      'an internal error is answered without details, which are logged',
    ],
  ],
  'a person of few rights': [
    [
      'a viewer reads another project',
      people,
      'a person sees only the projects they have a role in, on every page and in every answer',
    ],
    [
      'a member reads metrics, workers or the queue, or starts runs past the chat',
      people,
      'only the owner of the home sees pages about all projects or acts past the chat',
    ],
    [
      'a viewer presses, or speaks as another person or in another thread',
      people,
      'a person can do what their role allows, only in their own name and thread',
    ],
    [
      'a member listens to the threads of others',
      people,
      "the threads of others stay out of a person's chat and stream",
    ],
    ['a removed person', people, 'a session ends at once when its person is removed from config.yaml'],
    ['an ETag of another project', 'test/web/api/tags.test.ts', 'the ETag of a run changes only with its own events'],
  ],
  hooks: [
    [
      'an old, future, changed or foreign signature',
      hooks,
      'a signature is valid for five minutes, for its exact body and for the secret of its project',
    ],
    [
      'a replay, also under another delivery id',
      hooks,
      'a signed delivery counts once, under any delivery id that a copy carries',
    ],
    [
      'a replay after a restart',
      hooks,
      'a repeated delivery is recognized after a restart, by its id or its signature',
    ],
    ['ten copies at once', hooks, 'ten simultaneous copies of a delivery count as one'],
    [
      'a replay under another alias or with a zero before its time',
      raw,
      'is a duplicate under another alias or with a zero before its time',
    ],
    ['an empty secret, capitals, two signatures', raw, 'is refused: %s'],
    ['packed or 30,000 levels deep bodies', raw, 'is not decompressed, and deep nesting and prototype keys do no harm'],
    ['more than 64 KB', hooks, 'a body over 64 KB is refused even with a valid signature'],
    ['words in the body that are commands', hooks, 'a report triggers no command when its words are %j'],
    [
      'a body that names a verb, a person or a project',
      hooks,
      'a body cannot name a verb, a person or another project',
    ],
  ],
  'the page': [
    [
      'scripts, events, links and turned text in everything that is shown',
      'test/web/hostile.test.ts',
      'hostile text is shown as plain text on every page',
    ],
    ['the same in a real browser', 'test/web/browser/looks.test.ts', 'shows hostile text without letting it act'],
  ],
  'an agent’s token': [
    [
      'another project, after the end, changed',
      hooks,
      'a hook accepts the token of a running attempt and no other attempt token',
    ],
    ['anything but its own door', 'test/web/agents.test.ts', 'has a token that opens neither /api nor /metrics'],
    [
      'a guessed token, or the home’s, at that door',
      'test/web/agents.test.ts',
      'accepts only the token of a running attempt',
    ],
    [
      'an attempt that has ended',
      'test/dispatch/asks.test.ts',
      'rejects the token of an attempt that is unknown, still queued or settled',
    ],
    [
      'a terminal over ACP that drops the mark of its attempt, or leaves the workspace through a link',
      'test/agents/adapters/acp.test.ts',
      'keeps the mark of its attempt, by which it is ended, and never leaves the workspace through a link',
    ],
    [
      'words to an agent, the queue and a log by who has no right to them',
      'test/web/authority.test.ts',
      'every entrance lets each role do exactly what the access table says',
    ],
    ['one question too many', 'test/dispatch/asks.test.ts', 'limits an attempt to 20 open questions'],
    [
      'a key used again for another command',
      'test/dispatch/asks.test.ts',
      'rejects a key that was used for another question, so that an approval covers only one request',
    ],
  ],
  Telegram: [
    [
      'a stranger who gives commands',
      telegramStrangers,
      'gets only a pairing code, at most twice, and is heard once the host approves it',
    ],
    ['a stranger in a group', telegram, 'a stranger is never answered'],
    [
      'the display name of an owner',
      telegramStrangers,
      'does not let a stranger take over the name of an existing person',
    ],
    ['a code approved from a chat', telegramStrangers, 'cannot be let in from a chat, not even by an owner'],
    ['anonymous administrators and channels', telegram, 'an anonymous administrator is refused once'],
    ['a forwarded command', telegram, 'cannot make Bosun act by forwarding a message'],
    [
      'homoglyphs, zero width, RTL, 49,000 characters, via_bot, is_bot, sender_chat, forged presses',
      chat,
      'look-alike letters, invisible characters, other bots, channels and forged presses do nothing',
    ],
    [
      'a forged press from another thread',
      telegramOffers,
      'an offer button works only in the chat of its message and reveals nothing elsewhere',
    ],
    [
      'a button of a project that one may not read',
      telegramOffers,
      'an offer button hides its label from people who may not read its project: %s',
    ],
    [
      'a press beyond the own role',
      telegramOffers,
      "an offer button that answers a question gives the same refusals as the card's own button",
    ],
    ['an update that cannot be read', telegramReceiving, 'that cannot be parsed is skipped and delays nothing'],
    ['a server that hangs', telegramReceiving, 'that hangs is restarted with a new client'],
    ['a flood of messages', telegram, 'may send twenty messages a minute, is refused once, and then ignored'],
    [
      'a forged webhook post',
      'test/bot/channels/telegram/webhook.test.ts',
      'accepts a post only with the secret, a known host and at most 1 MB',
    ],
  ],
  Slack: [
    [
      'a replayed, old, future or changed post',
      slackReceiving,
      'is accepted with a valid signature and refused with a forged, expired or future one',
    ],
    ['an empty or guessed secret', chat, 'a request with an empty or wrong secret or signature is refused'],
    ['a stranger', slack, 'gets only a pairing code, at most twice, and is heard once the host approves it'],
    [
      'a guest who is an owner by the configuration',
      slack,
      'ignores a guest even if config.yaml names them, and says so once',
    ],
    [
      'another company, a shared channel',
      slack,
      'ignores members of other companies and everyone in a channel shared with one',
    ],
    [
      'bots, the bot itself, another workspace',
      slack,
      'ignores bots, its own messages and events of another workspace',
    ],
    ['a forged window or an edit', slack, 'cannot act through an edit or a modal'],
    ['a forged press, __proto__ and an id of another card', chat, 'look-alike letters and forged presses do nothing'],
    ['a press of a viewer', slackPressing, 'is answered only to the presser when it is too late or not allowed'],
    ['a window for whom may not answer', slackPressing, 'opens no modal for a person who may not answer'],
    [
      'a file from elsewhere',
      'test/bot/channels/slack/inbound/saying.test.ts',
      'never fetches a file from a host other than Slack',
    ],
  ],
  'the parsers': [
    ['bombs in a workflow file', parsers, 'is refused within 5 s: %s'],
    [
      '__proto__ and constructor as keys',
      parsers,
      'cannot change prototypes by the keys __proto__, constructor and prototype',
    ],
    ['an expression of 6,000 characters', parsers, 'is refused for an expression of 6,000 characters'],
    ['bombs in HANDOFF.md', parsers, 'is read within 5 s and gives no status: %s'],
    [
      'templates and shell in a report',
      parsers,
      'a report with templates, shell and markers stays plain text in the next prompt',
    ],
    [
      'an imitation of the marks around data',
      'test/engine/fence.test.ts',
      'cannot be forged, and its mark differs per attempt but is stable for the same attempt',
    ],
    [
      'files that are links, by which a report is read',
      'test/dispatch/hand-report.test.ts',
      'is not read through a link, nor from a file above the size limit',
    ],
    [
      'STATE.json as a link',
      'test/dispatch/exports/state-file.test.ts',
      'replaces a link at the file’s path instead of writing through it',
    ],
    [
      'exports as links',
      'test/dispatch/exports/export-run.test.ts',
      'replace a link, even one to a file with the same content',
    ],
    [
      'an archive as a link',
      'test/dispatch/exports/export-run.test.ts',
      'is not archived through a link out of the project',
    ],
    [
      'a link out of the checkout',
      'test/worker/measured-attempt.test.ts',
      'that leads out of the checkout is reported, even if it dangles',
    ],
    [
      'the checkout itself as a link',
      'test/worker/measured-attempt.test.ts',
      'in place of the working folder is a fault, and nothing is measured behind it',
    ],
  ],
  volume: [
    ['a line without end', attempt, 'cuts an endless line, and does not read a key from the middle of it'],
    ['hundreds of megabytes of output', attempt, 'is cut at its limit, and 200 MB of output need little memory'],
    ['a thousand messages at once', badHome, 'of a thousand messages at once is answered once each'],
  ],
  faults: [
    ['a full disk', badHome, 'on a full disk refuses input, keeps its data and works again once there is space'],
    [
      'a full disk in the middle of a commit',
      store,
      'a commit on a full disk is rolled back, and the store works again once there is space',
    ],
    ['a database cut in half', store, 'a truncated database fails with an error that names the file'],
    ['a file that is no database', store, 'a file that is not a database is rejected and not overwritten'],
    [
      'a second Bosun in the same home',
      badHome,
      'in use refuses a second Bosun with the pid of the first, and is free once that one was killed',
    ],
    [
      'a Bosun that was stopped for longer than its lease',
      redis,
      'ignores a suspended worker that wakes up after its job was given to another',
    ],
    ['Redis away at the start', redis, 'starts without Redis, and runs jobs when it comes up'],
    ['Redis emptied at work', redis, 'offers jobs again under the same ids after Redis lost them, and runs each once'],
    ['Redis killed', redis, 'recovers after Redis was killed and restarted, and reports the outage once'],
    ['Redis full', redis, 'accepts jobs while Redis is full, keeps running ones, and resumes when it has room'],
    [
      'an agent that ignores SIGTERM, with children in sessions of their own',
      'test/e2e/bad-world.test.ts',
      'that ignores SIGTERM and starts children in their own session leaves no process behind',
    ],
  ],
  'copies and upgrades': [
    [
      'a copy of a live database in a new home',
      'test/deploy/copies.test.ts',
      'is consistent, keeps the home id, and resumes from its moment',
    ],
    ['an edited event', 'test/store/commit.test.ts', 'a changed payload'],
    ['a history whose end is cut off', 'test/store/commit.test.ts', 'a newest event that was taken out'],
    ['a database of the first version', store, 'a database of version 1 is migrated with its data'],
    ['a database of a newer Bosun', store, 'a database of a newer version is rejected and left unchanged'],
  ],
  'money and time': [
    [
      'a worker that comes back late with a cost',
      'test/dispatch/purse.test.ts',
      'is counted once if its step has been retried meanwhile',
    ],
    [
      'an aborted run whose last agent still costs',
      'test/dispatch/purse.test.ts',
      'counts against the next run’s daily limit if its own run was aborted',
    ],
    [
      'a clock that is set back',
      'test/bot/views/cards.test.ts',
      'is unknown at the end of an unpriced run, and a negative duration is left out',
    ],
  ],
};

/** What broke when it was first tried, and holds since. */
const mended: Readonly<Record<string, readonly Case[]>> = {
  'a chat that reaches the machine': [
    [
      'an operator in chat starts a workflow by path',
      'test/web/authority.test.ts',
      'every entrance lets each role do exactly what the access table says',
    ],
    [
      'a person named by --as gives a path in a shell',
      'test/cli/say.test.ts',
      'rejects a path given on behalf of another person',
    ],
    [
      'a path that leads to a file, or to none, told apart',
      'test/dispatch/workflows.test.ts',
      'is found only by a listed name if paths are not allowed, whether or not the file exists',
    ],
    [
      'a file of Bosun’s home as a workflow, through a link too',
      'test/dispatch/workflows.test.ts',
      'may not lie in Bosun’s home, even through a link, except in a worktree',
    ],
    [
      'the home’s token in an error message',
      'test/web/authority.test.ts',
      'no message repeats a part of the home token',
    ],
    [
      'a secret that is cut before it is redacted',
      'test/base/redaction/redactor.test.ts',
      'is redacted when it was cut at either end before redaction',
    ],
    [
      'guessing the token over HTTP',
      'test/web/entrance.test.ts',
      'answers wrong tokens with 429 for a minute after a few, and accepts the right one meanwhile',
    ],
  ],
  'an agent that changes its judge': [
    [
      'an agent writes .ai/step-rules.yaml',
      'test/e2e/scenarios-workflows.test.ts',
      'a step that edits the step rules fails until they are restored, and the edit never takes effect',
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
      'rules that no owner accepted',
      'test/dispatch/workflows.test.ts',
      'is not in force: a new one is inert, and a changed or removed one keeps the accepted text',
    ],
    [
      'a prompt that changes after its workflow was accepted',
      'test/dispatch/workflows.test.ts',
      'can be an edited prompt beside a workflow, whose accepted text stays in force',
    ],
    [
      'a cloned repository that brings rules along',
      'test/cli/project-commands.test.ts',
      'names rules of the folder that are not in force, and "rules accept" shows and accepts them',
    ],
    [
      'a person who is not an owner accepts rules',
      'test/web/authority.test.ts',
      'rules that no owner accepted are reported with the proposal, and only an owner may see and accept them',
    ],
  ],
  'what an agent leaves in .git': [
    [
      'core.fsmonitor, filters and hooks that Bosun’s git would start',
      'test/workspace/commit.test.ts',
      'runs no fsmonitor and only commit hooks, and passes Bosun’s secrets to none of them',
    ],
    [
      'settings that an agent changed',
      'test/dispatch/checkout-work.test.ts',
      'stops before git runs with settings that an agent changed, until a person decides',
    ],
    ['a filter in .git/config', 'test/worker/measured-attempt.test.ts', '.git/config: filter.x.clean'],
    ['a link in place of the repository', 'test/worker/measured-attempt.test.ts', 'a link to another repository'],
    [
      'a program in the list of a rebase',
      'test/workspace/merge-conflict.test.ts',
      'an exec line that an agent added to the rebase is reported and not run',
    ],
  ],
  'links that an agent left': [
    [
      'the copy of the attempt’s log as a link to a file of the user’s',
      'test/dispatch/attempt-logs.test.ts',
      'replaces %s that an agent planted at the path of its copy',
    ],
    [
      'a forged log in the checkout',
      'test/web/api/attempts.test.ts',
      'the log comes from the home, even if the copy in the checkout was forged, moved or replaced',
    ],
    [
      'a report file as a link to a file of the user’s',
      'test/agents/attempts/attempt.test.ts',
      'at %s is not written through (%s link)',
    ],
    [
      'the log of a worker elsewhere as a link',
      'test/dispatch/remote/live-logs.test.ts',
      'is not written through a link that an agent planted',
    ],
    [
      'a folder of exports as a link',
      'test/dispatch/exports/export-run.test.ts',
      'a link at %s, planted by an agent, leads no export out of the project',
    ],
  ],
  'pipes and forged files that an agent left': [
    [
      'a pipe in place of OpenCode’s settings',
      'test/agents/adapters/opencode-serve.test.ts',
      'that brings %s where settings belong counts as foreign, and does not block',
    ],
    [
      'a pipe, a link or a forged number in place of a Codex thread’s total',
      'test/agents/adapters/app-server.test.ts',
      'counts what a resumed thread used that has %s in place of its stored total',
    ],
    [
      'a pipe in place of .git/info/exclude',
      'test/workspace/own-files.test.ts',
      'an exclude file that an agent replaced by a pipe is refused, and does not block',
    ],
    [
      'pipes in place of Bosun’s notes and git’s files in .git',
      'test/workspace/own-files.test.ts',
      'notes and git files that an agent replaced by pipes are not read, and do not block',
    ],
    [
      'a pipe in place of a .gitignore, which stops git',
      'test/workspace/own-files.test.ts',
      'git that an agent’s pipe stops ends early, and says which pipe',
    ],
    [
      'a damaged index, so that no change can be measured',
      'test/worker/measured-attempt.test.ts',
      'does not pass, because its scope is unknown',
    ],
  ],
  'a stolen session': [
    [
      'the cookie at another port of 127.0.0.1',
      'test/web/browser/strangers.test.ts',
      'gets no cookie at another port, and a cookie stolen under the same host name cannot act',
    ],
    [
      'a cookie without the page’s key',
      'test/web/entrance.test.ts',
      'cannot act with its cookie alone: it needs the page key from the login',
    ],
    [
      'reading the key with the cookie',
      'test/web/entrance.test.ts',
      'never shows its page key to a request with the cookie',
    ],
  ],
  'hooks that go too far': [
    [
      'a body that names another person’s private thread',
      'test/web/hooks.test.ts',
      'the thread named in a body is used only with the token of the home',
    ],
    [
      'an attempt that uses up a CI’s delivery id',
      'test/web/hooks.test.ts',
      'a delivery id is remembered per kind of proof, so that an attempt cannot use up a CI report',
    ],
  ],
  'silence and floods': [
    [
      '1,100 connections with half a header',
      'test/web/connections.test.ts',
      '1,100 connections with half a header keep out neither health checks, logins nor open streams',
    ],
    [
      'a connection that never ends its headers or its body',
      'test/web/connections.test.ts',
      'a connection whose headers, or whose body without proof, take too long is closed',
    ],
    ['a platform’s answer without end', 'test/bot/bounded-fetch.test.ts', 'reads at most 16 MB of the answer to %s'],
    [
      'words of an agent’s that a phone lets people tap',
      'test/bot/channels/telegram/render/render.test.ts',
      'like %j contains nothing tappable outside code',
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
      'exits 1 within seconds when its database is deleted, and says so',
    ],
    [
      'the same, at readyz',
      'test/web/bodies.test.ts',
      '/readyz answers 503 once the database file is gone, and the runtime reports itself broken',
    ],
    [
      'a disk that is full, at readyz',
      'test/web/bodies.test.ts',
      '/readyz answers 503 while the database is not writable, and recovers by itself',
    ],
    [
      'bytes that flip in a live database',
      'test/store/file-gate.test.ts',
      'a database in which %s is reported as damaged by the next check or write',
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
      'the orphan guard kills agents of every kind, with their children, when their process gets SIGKILL',
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
      'pins third-party images by digest, the same everywhere',
    ],
    [
      'Redis’ password in the list of processes',
      'test/deploy/container.test.ts',
      'of %s requires its password, which is not in its arguments',
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

describe.each(Object.entries(cases))('attacks: %s', (_part, listed) => {
  it.each(listed)('%s: covered by %s, "%s"', (_attack, file, title) => {
    const quoted = ["'", '"', '`'].map((quote) => `${quote}${title}${quote}`);
    expect(quoted.some((one) => sourceOf(file).includes(one))).toBe(true);
  });
});

it('the list of attacks has no duplicates', () => {
  const attacks = Object.values(cases).flatMap((listed) => listed.map(([attack]) => attack));
  expect(new Set(attacks).size).toBe(attacks.length);
});
