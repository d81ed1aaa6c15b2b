// Members of a team on one step, each with files of its own; and stories that wait for another one.
import { expect } from 'vitest';
import { type Bosun, givenBosun, test } from './bosun.js';

const team = `
impl:
  team:
    mode: { S: single, M: auto, L: team }
    roles:
      backend: { writes: ["src/api/**"], prompt: "Only the API." }
      frontend: { writes: ["src/ui/**"], reads: [docs/ui.md] }
`;
const shop = { shop: { files: { '.ai/step-rules.yaml': team } } };
const member = (path: string, summary: string) => ({
  files: { [path]: `${summary}\n` },
  front: { files_changed: path },
  summary,
});
const roles = {
  backend: { ...member('src/api/orders.ts', 'the API is there'), tests: { pass: 44, fail: 0 } },
  frontend: member('src/ui/orders.tsx', 'the page is there'),
};

const sized = (complexity: string, marks: number) => ({
  id: 'US-001',
  title: 'Orders',
  description: 'Orders can be seen',
  acceptanceCriteria: Array.from({ length: 3 }, (_, at) => `${at < marks ? '[P] ' : ''}part ${at + 1} works`),
  complexity,
});

async function toImpl(bosun: Bosun, story: object): Promise<void> {
  await bosun.import('shop', [story]);
  await bosun.say('continue shop');
  await bosun.reply('review', 'ok');
}

const members = (bosun: Bosun) =>
  bosun
    .calls('impl')
    .map((call) => call.role ?? 'single')
    .sort();

const sizes: readonly (readonly [string, object, readonly string[]])[] = [
  ['a large story', sized('L', 0), ['backend', 'frontend']],
  ['a middle one with two parts marked as parallel', sized('M', 2), ['backend', 'frontend']],
  ['a middle one with one such part', sized('M', 1), ['single']],
  ['a small one', sized('S', 3), ['single']],
];

test.each(sizes)('%s is worked on by the members that its size calls for', async (_, story, expected) => {
  const bosun = await givenBosun({ projects: shop, plan: { impl: { roles } } });
  await toImpl(bosun, story);
  expect(members(bosun)).toEqual(expected);
  expect(bosun.status().run?.status).toBe('completed');
});

test('team members get their own role and files, and one summary covers both', async () => {
  const bosun = await givenBosun({ projects: shop, plan: { impl: { roles } } });
  await toImpl(bosun, sized('L', 0));
  const [backend, frontend] = ['backend', 'frontend'].map((role) =>
    bosun.calls('impl').find((call) => call.role === role),
  );
  expect(backend?.prompt).toContain('Only the API.');
  expect(backend?.prompt).toContain('src/api/**');
  expect(frontend?.prompt).toContain('docs/ui.md');
  expect(backend?.env['BOSUN_HANDOFF_FILE']).not.toBe(frontend?.env['BOSUN_HANDOFF_FILE']);
  const node = bosun.node('impl');
  expect(node).toMatchObject({ state: 'passed', attempt: 1, tests: { pass: 44, fail: 0 } });
  expect(node.summary).toContain('backend: the API is there');
  expect(node.summary).toContain('frontend: the page is there');
  expect(bosun.read('src/ui/orders.tsx')).toBe('the page is there\n');
});

test('a failing team member fails the step by name, and the step is retried', async () => {
  const failing = { ...roles, frontend: { status: 'failing', summary: 'the page does not load' } };
  const bosun = await givenBosun({ projects: shop, plan: { impl: [{ roles: failing }, { roles }] } });
  await toImpl(bosun, sized('L', 0));
  expect(members(bosun)).toEqual(['backend', 'backend', 'frontend', 'frontend']);
  const again = bosun.calls('impl').filter((call) => call.attempt === 2);
  expect(again).toHaveLength(2);
  for (const { prompt } of again) expect(prompt).toContain('the page does not load');
  expect(bosun.posts().join('\n')).toContain(
    'impl failing (attempt 1), 44/44, trying again\nfrontend: the page does not load',
  );
  expect(bosun.status().run?.status).toBe('completed');
});

test('team members that write the same files run one after the other', async () => {
  const same = team.replace('src/ui/**', 'src/api/**');
  const bosun = await givenBosun({
    projects: { shop: { files: { '.ai/step-rules.yaml': same } } },
    plan: { impl: { roles } },
  });
  await toImpl(bosun, sized('L', 0));
  expect(bosun.calls('impl').map((call) => call.role)).toEqual(['backend', 'frontend']);
  expect(bosun.status().run?.status).toBe('completed');
});

test('a dependent story is reported as blocked and starts when the other one is done', async () => {
  const bosun = await givenBosun({ projects: { shop: { workflow: 'stories', afterStory: 'start' } } });
  await bosun.import('shop', [
    { id: 'US-003', title: 'Accounts' },
    { id: 'US-004', title: 'Orders', blocked_by: ['US-003'] },
  ]);
  await bosun.say('continue shop');
  expect(bosun.calls('build').map((call) => call.item)).toEqual(['US-003']);
  expect(bosun.status().items[1]).toMatchObject({ key: 'US-004', depends_on: ['US-003'] });
  expect(JSON.parse(bosun.read('.ai/STATE.json'))).toMatchObject({ story: 'US-003' });
  const refused = await bosun.say('retry US-004');
  expect(refused.text).toContain('US-004 is blocked by US-003');
  await bosun.reply('review', 'ok');
  expect(bosun.calls('build').map((call) => call.item)).toEqual(['US-003', 'US-004']);
});
