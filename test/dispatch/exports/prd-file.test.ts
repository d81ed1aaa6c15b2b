import { expect, test } from 'vitest';
import { prdFile } from '../../../src/dispatch/exports/prd-file.js';
import { readPrd } from '../../../src/dispatch/takeover/read-prd.js';
import { def, item, loop, Player, pass, workflow } from '../../engine/builders.js';

const player = () =>
  Player.start(workflow([loop('stories', [def('a')])]), { items: [item('US-1'), item('US-2', ['US-1'])] });

test('a story passes once it is delivered, not when its last step passes', () => {
  const run = player().settle(pass);
  const passes = () => prdFile(run.state).userStories.map(({ id, passes: done }) => `${id} ${done}`);
  expect(passes()).toEqual(['US-1 false', 'US-2 false']);
  run.worked();
  expect(passes()).toEqual(['US-1 true', 'US-2 false']);
});

test('an exported file can be imported again, with passed stories as done', () => {
  const run = player().settle(pass).worked();
  const [done, left, ...none] = readPrd(JSON.parse(JSON.stringify(prdFile(run.state))));
  expect(done).toMatchObject({ key: 'US-1', isDone: true });
  expect(left).toMatchObject({ key: 'US-2', title: 'Title of US-2', criteria: ['US-2 works'] });
  expect(none).toEqual([]);
});
