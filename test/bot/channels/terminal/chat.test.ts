import { describe, expect, it, vi } from 'vitest';
import { chatOn, givenChat } from './given.js';

const ctrlC = '\u0003';
const ctrlD = '\u0004';
const left = '\u001b[D';

describe('the greeting', () => {
  it('lists the projects, suggests commands and prompts', async () => {
    const { screen } = await givenChat();
    expect(screen.lines.slice(0, 4)).toEqual([
      'Bosun: tell it what to do next; it asks you when it needs you.',
      'Projects: demo (A)',
      'Try continue demo · help · exit',
      '>',
    ]);
  });

  it('shows an open card with its numbers', async () => {
    const { app, say } = await givenChat({ imported: false });
    await say('demo: count the boats');
    const { screen } = chatOn(app, 80, false);
    expect(screen.text).toContain('● Start? · ');
    expect(screen.text).toContain('[1] Start  [2] Cancel');
  });

  it('counts the open cards of other chats', async () => {
    const { app } = await givenChat({ imported: false });
    await app.door.hear({
      thread: 'elsewhere',
      by: null,
      cwd: '/',
      body: { type: 'text', text: 'demo: count the boats', replyTo: null },
    });
    expect(chatOn(app, 80, false).screen.text).toContain('1 more card waits for a person: inbox');
  });
});

describe('the input line', () => {
  it('stays below new messages with its cursor in place', async () => {
    const { screen, type, say } = await givenChat();
    type(`staus${left}${left}`);
    await screen.until((text) => text.endsWith('\n> staus'));
    await say('whoami');
    expect(screen.lines.slice(-3)).toEqual(['· You are the owner of this Bosun.', '  demo: owner', '> staus']);
    expect(screen.cursor.column).toBe('> sta'.length);
    type('t\r');
    await screen.until((text) => text.includes('\n> status\n· demo: not started'));
  });

  it('keeps all its rows when it is longer than the window', async () => {
    const { screen, type, say } = await givenChat({ columns: 40 });
    const long = 'one two three four five six seven eight nine ten eleven';
    type(long);
    await screen.until((text) => text.endsWith('eleven'));
    const before = screen.lines.slice(0, -2);
    await say('whoami');
    expect(screen.lines.slice(0, before.length)).toEqual(before);
    expect(screen.lines.slice(before.length)).toEqual([
      '· You are the owner of this Bosun.',
      '  demo: owner',
      ...[`> ${long}`.slice(0, 40), `> ${long}`.slice(40)],
    ]);
  });
});

describe('progress', () => {
  it('is redrawn below the lines typed since', async () => {
    const { screen, enter, type, app } = await givenChat();
    await enter('continue demo');
    await screen.until((text) => text.includes('executing US-001 bdd (attempt 1), queued'));
    for (const end of ['\n>\n>', '\n>\n>\n>']) {
      type('\r');
      await screen.until((text) => text.endsWith(end));
    }
    const before = screen.lines.slice(0, -1);
    app.startWork();
    await screen.until((text) => text.includes('bdd complete'));
    expect(screen.lines.slice(0, before.length)).toEqual(before);
  });
});

describe('typed numbers', () => {
  it('press the button with that number', async () => {
    const { screen, enter, app } = await givenChat({ imported: false });
    await enter('demo: count the boats');
    await enter('2');
    expect(screen.text).toContain('⏹ Cancelled · ');
    expect(app.runtime.store.openInteractions(null)).toEqual([]);
  });

  it('press nothing when no button has that number', async () => {
    const { screen, enter } = await givenChat();
    await enter('3');
    expect(screen.text).toContain('There is no [3] now.');
  });

  it('press the offers of an answer, not only the options of a card', async () => {
    const { screen, enter, app } = await givenChat();
    await enter('status');
    await enter('1');
    expect(screen.text).not.toContain("I don't know that button");
    expect(app.runtime.store.liveRuns('demo')).toHaveLength(1);
  });

  it('differ between two open cards', async () => {
    const { screen, enter, app } = await givenChat({ imported: false });
    await enter('demo: count the boats');
    await enter('demo: paint the hull');
    expect(screen.text).toContain('[1] Start  [2] Cancel');
    expect(screen.text).toContain('[3] Start  [4] Cancel');
    await enter('2');
    const [open, ...others] = app.runtime.store.openInteractions(null).map(({ interaction }) => interaction.text);
    expect(open).toContain('paint the hull');
    expect(others).toEqual([]);
  });

  it('of Abort ask once more before the work ends', async () => {
    const { screen, enter, app } = await givenChat({ work: true });
    const isAt = (text: string) => screen.until((all) => all.includes(text));
    const numberOf = (label: string) =>
      new RegExp(`\\[(\\d+)\\] ${label}`).exec(screen.text.split('● Question').at(-1) ?? '')?.[1] ?? '';
    await enter('continue demo');
    await isAt('● Review · ');
    await enter('1');
    await isAt('● Question · ');
    await enter(numberOf('Abort'), 'abort the task? y or n >');
    await enter('no');
    expect(screen.text).toContain('Nothing was done. The card is still open.');
    expect(app.runtime.store.openInteractions('demo')).toHaveLength(1);
    await enter(numberOf('Abort'), 'abort the task? y or n >');
    await enter('y');
    await isAt('● ⏹ Aborted · ');
    expect(app.runtime.store.liveRuns('demo')).toEqual([]);
  }, 120_000);

  it('of an answer expire with the next command', async () => {
    const { screen, enter } = await givenChat();
    await enter('status');
    await enter('status demo');
    expect(screen.text.split('[1] Continue')).toHaveLength(3);
    expect(screen.text).not.toContain('[2]');
  });
});

describe('replies', () => {
  it('with ">" answer the newest card', async () => {
    const { screen, enter, app } = await givenChat({ imported: false });
    await enter('demo: count the boats');
    await enter('yes please');
    expect(app.runtime.store.openInteractions(null)).toHaveLength(1);
    await enter('> yes');
    expect(screen.text).toContain('✅ Started · ');
    expect(app.runtime.store.openInteractions(null)).toEqual([]);
  });

  it('answer an older card by its code', async () => {
    const { enter, app } = await givenChat({ imported: false });
    await enter('demo: count the boats');
    const [first] = app.runtime.store.openInteractions(null);
    await enter('demo: paint the hull');
    await enter(`> ${first?.interaction.id} no`);
    expect(app.runtime.store.openInteractions(null).map(({ interaction }) => interaction.id)).not.toContain(
      first?.interaction.id,
    );
    expect(app.runtime.store.openInteractions(null)).toHaveLength(1);
  });

  it('are refused when no card is open', async () => {
    const { screen, enter } = await givenChat();
    await enter('> yes');
    expect(screen.text).toContain('No card is open that you could reply to.');
  });
});

describe('leaving the terminal chat', () => {
  it('takes two presses of Ctrl-C, and the first asks for the second', async () => {
    const { screen, type, chat } = await givenChat();
    type(ctrlC);
    await screen.until((text) => text.includes('Ctrl-C again'));
    type(ctrlC);
    await chat.closed;
  });

  it('starts over when text is entered after the first Ctrl-C', async () => {
    const { screen, type, enter } = await givenChat();
    type(ctrlC);
    await screen.until((text) => text.includes('Ctrl-C again'));
    await enter('whoami');
    type(ctrlC);
    await screen.until((text) => text.split('Ctrl-C again').length === 3);
  });

  it('does not count a Ctrl-C that clears a half-typed line', async () => {
    const { screen, type, enter } = await givenChat();
    type('abort');
    await screen.until((text) => text.endsWith('> abort'));
    type(ctrlC);
    await screen.untilPrompt();
    await enter('whoami');
    expect(screen.text).not.toContain('abort');
    expect(screen.text).toContain('You are the owner');
  });

  it.each([
    ['Ctrl-D', ctrlD],
    ['exit', 'exit\r'],
    ['quit', 'QUIT\r'],
  ])('works by %s', async (_name, keys) => {
    const { type, chat, screen } = await givenChat();
    type(keys);
    await chat.closed;
    expect(screen.cursor.column).toBe(0);
  });

  it('happens at the end of the input, after its last line is handled', async () => {
    const { input, chat, app } = await givenChat({ imported: false });
    input.end('demo: count the boats\r');
    await chat.closed;
    expect(app.runtime.store.openInteractions(null)).toHaveLength(1);
  });

  it('stops posting messages', async () => {
    const { chat, screen, say } = await givenChat();
    chat.close();
    await chat.closed;
    const before = screen.text;
    await say('status');
    expect(screen.text).toBe(before);
  });
});

describe('the terminal output', () => {
  it('is colored only when requested, and never with NO_COLOR', async () => {
    const { screen } = await givenChat({ isColored: true });
    expect(screen.raw).toContain('\u001b[36m');
    expect((await givenChat()).screen.raw).not.toContain('m\u001b');
    vi.stubEnv('NO_COLOR', '1');
    expect((await givenChat({ isColored: true })).screen.raw).not.toContain('\u001b[36m');
    vi.unstubAllEnvs();
  });

  it("explains the terminal's own syntax in help", async () => {
    const { screen, enter } = await givenChat();
    await enter('help');
    expect(screen.text).toContain('> your words     replies to the newest card');
  });

  it('strips cursor control sequences from outside text', async () => {
    const { screen, say } = await givenChat({ imported: false });
    await say('demo: count \u001b[2J\u001b[Hthe \u202eboats');
    expect(screen.raw).not.toContain('\u001b[2J');
    expect(screen.text).toContain('count the boats');
  });
});
