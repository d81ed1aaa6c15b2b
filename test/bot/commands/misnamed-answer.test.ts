// A question takes any words as its answer, except a command whose project is misspelled: that is offered both ways.
import { expect, it, onTestFinished } from 'vitest';
import { perform, requestSchema } from '../../../src/bot/index.js';
import { openApp } from '../../../src/cli/app.js';
import { givenWorld, oneAgent } from '../../dispatch/given.js';

it('a command with a misspelled project is offered as that command and as the answer, and acts as neither', async () => {
  const world = givenWorld('', oneAgent);
  const inputs = 'inputs:\n  task: { required: true }\n  branch: { required: true }\n';
  world.write(
    '.ai/workflows/flow.yaml',
    `workflow: flow\nversion: 1\n${inputs}chain:\n  - { id: build, prompt: "Build it." }\n`,
  );
  const app = await openApp({ home: world.home, work: false, log: () => undefined });
  onTestFinished(() => app.close());
  const ask = async (request: Record<string, unknown>) => (await perform(app, requestSchema.parse(request))).messages;
  const said = await ask({ do: 'say', text: 'start shop with flow: Make it' });
  const card = said.find(({ view }) => view.kind === 'question');
  const [offered] = await ask({ do: 'say', text: 'status shopp', replyTo: card?.id });
  expect(offered?.view.text).toBe(
    'I did nothing yet. There is no project shopp. Did you mean shop, or is that the answer?',
  );
  expect(offered?.view.buttons.map(({ label }) => label)).toEqual(['status shop', 'Use it as the answer']);
  const state = () => app.runtime.store.interaction(card?.interaction ?? '')?.interaction.state;
  expect(state()).toBe('open');
  await ask({ do: 'press', press: `${offered?.id}.1` });
  expect(app.runtime.store.interaction(card?.interaction ?? '')?.interaction.answer?.text).toBe('status shopp');
});
