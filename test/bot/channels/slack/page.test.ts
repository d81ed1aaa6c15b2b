import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { neededScopes } from '../../../../src/bot/channels/slack/setup/manifest.js';

const root = join(import.meta.dirname, '../../../..');
const page = readFileSync(join(root, 'docs/slack.md'), 'utf8');

it('docs/slack.md names only scopes that the app requests', () => {
  const named = [...page.matchAll(/`((?:channels|groups|im|files|users):[a-z]+)`/g)].map(([, scope]) => scope);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((scope) => !Object.keys(neededScopes).includes(scope ?? ''))).toEqual([]);
});
