// A person continues a step's session in a terminal: the run waits for its end.
import { expect, it } from 'vitest';
import { def, failing, Player, pass, workflow } from './builders.js';

const flow = workflow([def('impl', { maxAttempts: 1 }), def('look')]);
const processes = [{ pid: 1, startedAt: 'boot/1' }];

function open(player: Player, key = 'k1'): Player {
  return player.do({ type: 'session_opened', by: 'owner', node: 'n1', key, processes });
}

const close = (player: Player, key = 'k1') => player.do({ type: 'session_closed', key, isLost: false });
const why = (player: Player) =>
  player.effects.flatMap((one) => (one.type === 'reply' && one.reply.type === 'refused' ? [one.reply.why] : []));
const stuck = () => Player.start(flow).settle(failing);

it('nothing of the run is dispatched while a session is open, whatever people say', () => {
  const player = open(stuck());
  expect(player.run).toMatchObject({ pauseReason: 'user', opened: { step: 'impl', by: 'owner' } });
  const refused = expect.stringMatching(/^owner has impl open in a terminal/);
  const said = { by: 'ada', node: null, instruction: null, behind: null } as const;
  expect(why(player.do({ type: 'continue', ...said }))).toEqual([refused]);
  expect(why(player.do({ type: 'retry', by: 'ada', node: 'n1', note: null }))).toEqual([refused]);
  expect(why(player.answer('retry'))).toEqual([refused]);
  expect(player.run.live).toEqual([]);
});

it('a session that ends without a report leaves the step and its card as they were', () => {
  const player = close(open(stuck()));
  expect(player.run.opened).toBeNull();
  expect(player.nodes()[0]?.state).toBe('needs_human');
  player.answer('retry');
  expect(player.run.live).toMatchObject([{ step: 'impl' }]);
});

it('a report at the end of a session is an attempt of its step, closes the card and lets the run go on', () => {
  const player = open(stuck());
  player.do({ type: 'reported', by: 'owner', envelope: pass, opened: 'k1' });
  expect(player.run.opened).toBeNull();
  expect(player.nodes()[0]).toMatchObject({ state: 'passed', last: { outcome: 'pass', worker: 'by hand' } });
  expect(player.run.live).toMatchObject([{ step: 'look' }]);
  expect(player.state.interactions.filter((one) => one.state === 'open')).toEqual([]);
});

it('only the open session counts: a late end, another key and a report from elsewhere change nothing', () => {
  const player = open(stuck());
  expect(close(player, 'k0').ignored).toBe('superseded');
  expect(player.do({ type: 'reported', by: 'ada', envelope: pass, opened: 'k0' }).ignored).toMatch(/not open/);
  expect(player.do({ type: 'reported', by: 'ada', envelope: pass }).ignored).toMatch(/open in a terminal/);
  expect(open(player, 'k2').ignored).toMatch(/open in a terminal/);
  expect(close(close(player)).ignored).toBe('superseded');
});

it('a running step is not opened, and an aborted run waits for no session', () => {
  expect(open(Player.start(flow)).ignored).toBe('impl is still running; stop it first');
  const player = open(stuck()).do({ type: 'abort', by: 'ada' }).answer('abort');
  expect(player.run.status).toBe('cancelled');
  expect(close(player).run.opened).toBeNull();
});
