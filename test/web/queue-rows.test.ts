// The queue on the page: its order, and the buttons that change it.
import { expect, it } from 'vitest';
import { aRun, aState, batch } from '../store/values.js';
import { given } from './given.js';

const waiting = (number: number, task: string, place?: number) => ({
  before: null,
  after: aState(aRun(number, { task, status: 'draft', approved: true, ...(place === undefined ? {} : { place }) })),
});

it('shows the tasks in the order in which they begin, with Down where another one follows', async () => {
  const { app, get, post } = await given();
  app.runtime.store.commit(
    batch({ states: [waiting(1, 'mend the cart'), waiting(2, 'paint the door'), waiting(3, 'oil the gate', 0.5)] }),
  );
  const queue = async (path: string) => {
    const { text } = await get(path);
    return /<section id="queue"[\s\S]*?<\/section>/.exec(text)?.[0] ?? '';
  };
  const tasks = (text: string) =>
    text
      .split('data-queued=')
      .slice(1)
      .map((row) => /<a [^>]*>([^<]+)</.exec(row)?.[1]);
  for (const path of ['/', '/projects/shop']) {
    const text = await queue(path);
    expect(tasks(text)).toEqual(['oil the gate', 'mend the cart', 'paint the door']);
    expect([...text.matchAll(/(\w+): (?:mend|paint|oil) the/g)].map(([all]) => all)).toEqual([
      'Down: oil the',
      'Edit: oil the',
      'Drop: oil the',
      'First: mend the',
      'Down: mend the',
      'Edit: mend the',
      'Drop: mend the',
      'First: paint the',
      'Edit: paint the',
      'Drop: paint the',
    ]);
  }
  const [, down = ''] = /value="(move q3 down)"/.exec(await queue('/projects/shop')) ?? [];
  await post('/api/say', { text: down, thread: 'web' });
  expect(tasks(await queue('/projects/shop'))).toEqual(['mend the cart', 'oil the gate', 'paint the door']);
});

it('shows who begins next where many wait, and counts the rest', async () => {
  const { app, get } = await given();
  const many = Array.from({ length: 40 }, (_, n) => waiting(n + 1, `task ${n + 1}`));
  app.runtime.store.commit(batch({ states: many }));
  for (const path of ['/', '/projects/shop']) {
    const { text } = await get(path);
    const shown = [...text.matchAll(/data-queued="(r\d+)"/g)].map(([, id]) => id);
    expect(shown).toEqual(many.slice(0, 30).map(({ after }) => after.run.id));
    expect(text).toContain('And 10 more');
    // Another task follows the last one that is shown.
    expect(text).toContain('value="move q30 down"');
  }
});
