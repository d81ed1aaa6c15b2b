// A chat on a virtual terminal, over a real room with the demo project. Without workers nothing runs by itself.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { openChat } from '../../../../src/bot/channels/terminal/index.js';
import { perform } from '../../../../src/bot/index.js';
import { openApp } from '../../../../src/cli/app.js';
import { prepareDemo } from '../../../../src/cli/demo/demo-project.js';
import { openHome } from '../../../open-home.js';
import { VirtualTerminal } from './virtual-terminal.js';

export function givenHome() {
  const dir = mkdtempSync(join(tmpdir(), 'bosun-local-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return openHome(dir);
}

export async function givenDesk({ work = false, imported = true } = {}) {
  const home = givenHome();
  const stories = await prepareDemo(home);
  const app = await openApp({ home, work });
  onTestFinished(() => app.close());
  if (stories && imported) await perform(app, stories);
  const say = (text: string) => perform(app, { do: 'say', text, replyTo: null, thread: 'local', as: null, cwd: '/' });
  return { app, home, say };
}

interface Given {
  readonly columns?: number;
  readonly isColored?: boolean;
  readonly work?: boolean;
  readonly imported?: boolean;
}

export async function givenChat({ columns = 80, isColored = false, ...rest }: Given = {}) {
  const desk = await givenDesk(rest);
  return { ...desk, ...chatOn(desk.app, columns, isColored) };
}

export function chatOn(app: Parameters<typeof openChat>[0], columns: number, isColored: boolean) {
  const input = new PassThrough();
  const screen = new VirtualTerminal(columns);
  const chat = openChat(app, { input, output: screen, isColored });
  onTestFinished(() => chat.close());
  const type = (text: string) => input.write(text);
  /** Types a line and waits until what it did is on the screen. */
  const enter = async (line: string, prompt = '>') => {
    type(`${line}\r`);
    await screen.until((text) => text.includes(`> ${line}`));
    // A posted message is drawn with a prompt below it before the line's own answer is finished.
    for (let i = 0; i < 2; i++) {
      await new Promise((resolve) => setImmediate(resolve));
      await screen.untilPrompt(prompt);
    }
  };
  return { input, screen, chat, type, enter };
}
