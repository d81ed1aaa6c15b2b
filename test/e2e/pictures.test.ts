// Evidence that a step shows, on the card of the review that follows.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { given, type Stage } from './stage.js';

const agent = [
  'mkdir -p shots',
  String.raw`printf '\211PNG\r\n\032\n1' > shots/a.png`,
  'echo "PREVIEW: https://preview.example.org/7"',
  'echo "STATUS: pass"',
].join('\n');
const flow = `workflow: shown
version: 1
chain:
  - { id: build, prompt: Build it., shows: ["shots/*.png", "{{preview}}", "http://localhost:3000/"] }
  - { id: review, kind: human }
`;

async function reviewed(): Promise<Stage> {
  const stage = await given(agent);
  stage.world.write('.ai/workflows/shown.yaml', flow);
  await stage.run('draw the cart', 'shown');
  return stage;
}

const card = (stage: Stage) => stage.messages().findLast(({ view }) => view.kind === 'review')?.view;

it('pictures and addresses of a step stand on its review, and the settled card keeps what was seen', async () => {
  const stage = await reviewed();
  const [shown] = card(stage)?.pictures ?? [];
  expect(shown).toEqual({ name: 'shots/a.png', file: expect.stringMatching(/^r1\/[0-9a-f]{64}\.png$/) });
  expect(card(stage)?.text).toContain('Preview: https://preview.example.org/7\nPreview: http://localhost:3000/');
  expect(card(stage)?.text).toContain('Pictures: shots/a.png');
  writeFileSync(join(stage.world.root, 'shots/a.png'), 'changed since');
  const kept = join(stage.world.home.dir, 'pictures', shown?.file ?? '');
  expect(readFileSync(kept, 'latin1')).toBe('\u0089PNG\r\n\u001a\n1');
  await stage.press('approve');
  expect(stage.status().run?.status).toBe('completed');
  expect(card(stage)?.text).toMatch(/^✅ Approved/);
  expect(card(stage)?.pictures).toEqual([shown]);
});
