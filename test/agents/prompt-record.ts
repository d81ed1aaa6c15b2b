// What the real programs sent to their model for each step, without what differs between two runs.
import { expect } from 'vitest';
import { stepOf } from './model/talk.js';
import type { Stage } from './stage.js';

interface Sent {
  readonly step: string;
  readonly prompt: string;
}

/** The first request of each step. */
function sentFor({ model, root, home }: Stage): readonly Sent[] {
  const steps = new Map<string, Sent>();
  for (const { talk } of model.asked) {
    const step = stepOf(talk.prompt);
    if (step === null || talk.tools.length === 0 || steps.has(step)) continue;
    const prompt = talk.prompt
      .slice(talk.prompt.indexOf('You are executing step '))
      .replaceAll(root, '/shop')
      .replaceAll(home, '/home')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2026-01-01T00:00:00.000Z')
      .replaceAll(/(<<(?:data|end)) [0-9a-f]{12}>>/g, '$1 …>>');
    steps.set(step, { step, prompt: prompt.trimEnd() });
  }
  return [...steps.values()];
}

/** English text has about four characters to a token. */
const tokens = (text: string) => Math.round(text.length / 4);

/** The file holds each prompt whole, so that a change is read as the model will read it. */
export async function expectSent(stage: Stage, name: string): Promise<void> {
  const sent = sentFor(stage);
  const rows = sent.map(({ step, prompt }) => `| ${step} | ${prompt.length} | ${tokens(prompt)} |`);
  const fixed = fixedPart(sent);
  const table = [
    `Fixed in every prompt: ${fixed.length} characters.`,
    ...['', '| step | characters | tokens, about |', '| --- | --- | --- |'],
    ...rows,
  ];
  const bodies = sent.map(({ step, prompt }) => `<!-- ${step} -->\n\n${prompt}\n`);
  await expect([...table, '', ...bodies].join('\n')).toMatchFileSnapshot(`prompts/${name}.md`);
  expect(fixed.length).toBeGreaterThan(400);
  expect(fixed.length).toBeLessThan(900);
}

/**
 * The lines at the end that every prompt of the run has: how to report and whom to ask. The story, its reasons, limits and
 * what runs unasked are the project's.
 */
function fixedPart(sent: readonly Sent[]): string {
  const [first = [], ...others] = sent.map(({ prompt }) => prompt.slice(prompt.indexOf('## When you end')).split('\n'));
  return first.filter((line) => others.every((lines) => lines.includes(line)) && !projectsOwn.test(line)).join('\n');
}

const projectsOwn = /^(?:story|step|attempt|reason|[a-z]+_[a-z]+): (?!\[|\||\d)|^Commands run| commands? (?:run|may)\b/;
