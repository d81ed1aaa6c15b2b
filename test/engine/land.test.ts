// The branch of a run that ended beside another is merged when a person says so, once the folder is free.
import { expect, it } from 'vitest';
import { clean, def, Player, pass, workflow } from './builders.js';

const flow = workflow([def('impl')]);
const branch = { name: 'bosun/r12-make-it', base: 'main', folder: '/worktrees/r12/run' } as const;
const delivered = { from: 'c1', to: 'c2', branch: branch.name } as const;
const kinds = (player: Player) => player.run.ops.map((op) => op.kind);
const landings = (player: Player) => player.notices.filter(({ type }) => type === 'landed');

/** Ended while another run had the folder. */
function ended(): Player {
  const player = Player.create(flow, { rules: 5, task: 'Make it\nwell' })
    .do({ type: 'start', behind: null, beside: true })
    .worked({ ...clean, branch })
    .walk(pass);
  expect(kinds(player)).toEqual(['publish']);
  return player.worked({ ...clean, isUnlanded: true, delivered }).worked();
}

const offered = () => ended().do({ type: 'folder_freed' });

it('asks nothing until the folder is free, then asks once', () => {
  const player = ended();
  expect([player.run.status, player.run.unlanded, player.asks]).toEqual(['completed', 'waits', []]);
  player.do({ type: 'folder_freed' });
  expect(player.open).toMatchObject([
    {
      kind: 'confirm',
      subject: { type: 'land' },
      text: 'Merge r12 “Make it” into main? It is on the branch bosun/r12-make-it.',
      options: [{ id: 'merge' }, { id: 'leave' }],
      work: { from: 'c1', to: 'c2' },
    },
  ]);
  expect(player.do({ type: 'folder_freed' }).ignored).toBe('asked already');
});

it('asks nothing about a run that was merged at its end', () => {
  const player = Player.start(flow).walk(pass);
  expect(player.do({ type: 'folder_freed' }).ignored).toBe('nothing waits to be merged');
});

it('merges with the button, and tells of it on the card', () => {
  const player = offered().answer('merge');
  expect(player.run.ops).toEqual([{ id: 'r12-op5', kind: 'land', asked: 'i12-1' }]);
  expect(player.do({ type: 'folder_freed' }).ignored).toBe('asked already');
  const onMain = { from: 'c1', to: 'c3', branch: 'main' };
  player.worked({ ...clean, note: '1 commit, on main as c3', delivered: onMain });
  expect([player.run.unlanded, player.run.work, kinds(player)]).toEqual([null, onMain, []]);
  expect(landings(player)).toEqual([
    { type: 'landed', how: 'merged', note: '1 commit, on main as c3', files: [], card: 'i12-1' },
  ]);
  expect(player.do({ type: 'folder_freed' }).ignored).toBe('nothing waits to be merged');
});

it('leaves it on its branch, and merges it later by its name', () => {
  const player = offered().answer('leave');
  expect([player.run.unlanded, kinds(player)]).toEqual(['kept', []]);
  expect(player.do({ type: 'folder_freed' }).ignored).toBe('nothing waits to be merged');
  player.do({ type: 'land', behind: null });
  expect(player.run.ops).toMatchObject([{ kind: 'land', asked: null }]);
  expect(player.do({ type: 'land', behind: null }).refusal).toBe('r12 is being merged already');
});

it('answers the open card with the word, too', () => {
  const player = offered().do({ type: 'land', behind: null });
  expect([kinds(player), player.asks]).toEqual([['land'], []]);
  expect(player.run.ops).toMatchObject([{ asked: 'i12-1' }]);
});

it('closes the card when another run has the folder again, and asks anew once it is free', () => {
  const player = offered();
  const given = { interaction: player.open[0]?.id ?? '', option: 'merge', text: null, behind: 'r13' };
  player.do({ type: 'answered', ...given });
  expect(player.refusal).toContain('I will ask again once it is free');
  expect([kinds(player), player.asks, player.run.unlanded]).toEqual([[], [], 'waits']);
  expect(player.do({ type: 'land', behind: 'r13' }).refusal).toContain('I will ask again once it is free');
  expect(player.do({ type: 'folder_freed' }).open).toMatchObject([{ id: 'i12-2' }]);
});

it('waits for the folder after the word, although the branch had been left', () => {
  const player = offered().answer('leave').do({ type: 'land', behind: 'r13' });
  expect([player.run.unlanded, kinds(player)]).toEqual(['waits', []]);
});

it('asks anew when another run took the folder between the answer and the merge', () => {
  const player = offered().answer('merge').worked({ ok: false, code: 'busy', message: 'r13 has it', files: [] });
  expect(landings(player)).toMatchObject([{ how: 'busy', note: 'r13 has it' }]);
  expect(player.do({ type: 'folder_freed' }).asks).toEqual(['land']);
});

it('names the files of a conflict, keeps the branch, and asks no more', () => {
  const conflict = { ok: false, code: 'conflict', message: 'it does not apply', files: ['a.ts'] } as const;
  const player = offered().answer('merge').worked(conflict);
  expect(landings(player)).toMatchObject([{ how: 'conflict', files: ['a.ts'], card: 'i12-1' }]);
  expect([player.run.unlanded, player.asks]).toEqual(['kept', []]);
  expect(player.do({ type: 'folder_freed' }).ignored).toBe('nothing waits to be merged');
});

it('asks again, with the reason, when the merge could not be made', () => {
  const blocked = { ok: false, code: 'blocked', message: 'a merge is unfinished', files: [] } as const;
  const player = offered().answer('merge').worked(blocked);
  expect(player.open[0]?.text).toBe(
    'Merge r12 “Make it” into main? It is on the branch bosun/r12-make-it.\na merge is unfinished',
  );
});

it('has nothing to merge for another run', () => {
  const player = Player.start(flow).walk(pass).do({ type: 'land', behind: null });
  expect(player.refusal).toBe('r12 has no branch that waits to be merged');
});
