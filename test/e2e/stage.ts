// A Bosun in this process with one project and a shell script for an agent, ready to have its world spoilt.
import { expect, onTestFinished } from 'vitest';
import { perform, requestSchema } from '../../src/bot/index.js';
import { type App, openApp } from '../../src/cli/app.js';
import { projectStatus } from '../../src/dispatch/index.js';
import type { Message } from '../../src/store/messages/message-types.js';
import { acceptProjectRules } from '../accept-rules.js';
import { givenWorld, oneAgent, type World } from '../dispatch/given.js';

export const longMs = 60_000;
export const good = 'echo one > made.txt; echo "STATUS: pass"';
const step = (more: string) =>
  `chain:\n  - { id: build, prompt: "Build it.", max_attempts: 1, abandons: 0, on_exhausted: ask, ${more} }\n`;
export const one = `workflow: one\nversion: 1\n${step('timeout: 1m')}`;
const hasty = `workflow: hasty\nversion: 1\n${step('timeout: 1s')}`;
const strict = `workflow: strict
version: 1
policy: { report: required }
chain:
  - id: story
    kind: loop
    over: items
    body:
      - { id: build, prompt: "Build it.", max_attempts: 1, abandons: 0, on_exhausted: ask, timeout: 1m }
`;

export interface Stage {
  readonly world: World;
  readonly app: App;
  readonly log: readonly string[];
  ask(request: Record<string, unknown>): Promise<string>;
  say(text: string): Promise<string>;
  /** Presses a button of the one question that is open. */
  press(option: string): Promise<string>;
  run(task: string, workflow?: string): Promise<void>;
  status(): ReturnType<typeof projectStatus>;
  messages(): readonly Message[];
  head(): string;
}

export async function opened(world: World): Promise<Stage> {
  for (const [name, text] of Object.entries({ one, hasty, strict })) world.write(`.ai/workflows/${name}.yaml`, text);
  // A test may have moved the home to another disk.
  acceptProjectRules(world.home.dir, world.root);
  const log: string[] = [];
  const app = await openApp({ home: world.home, work: true, log: (line) => log.push(line) });
  onTestFinished(() => app.close());
  const rest = async () => expect(await app.runtime.whenAtRest(null, longMs)).toBe(true);
  const ask = async (request: Record<string, unknown>) => {
    const answered = await perform(app, requestSchema.parse(request));
    await rest();
    return answered.messages.map(({ view }) => view.text).join('\n');
  };
  const status: Stage['status'] = () => {
    const [shop] = app.config().projects;
    if (!shop) throw new Error('no project');
    return projectStatus(app.runtime.store, shop, Date.now());
  };
  return {
    world,
    app,
    log,
    status,
    ask,
    say: (text) => ask({ do: 'say', text }),
    press: (option) => ask({ do: 'press', press: `${status().interactions[0]?.id}.${option}` }),
    run: async (task, workflow = 'one') => {
      await ask({ do: 'run', project: 'shop', task, workflow });
    },
    messages: () => app.runtime.store.messages('local', null, 2_000),
    head: () => world.git('rev-parse', 'HEAD'),
  };
}

export const given = (agent = good, config = oneAgent) => opened(givenWorld(agent, config));
export const seen = (stage: Stage) =>
  stage
    .messages()
    .map(({ view }) => view.text)
    .join('\n');
