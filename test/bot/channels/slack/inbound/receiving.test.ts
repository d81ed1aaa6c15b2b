import { describe, expect, it } from 'vitest';
import { BosunError } from '../../../../../src/base/index.js';
import { stoppedClock } from '../../../../queue/stopped-clock.js';
import { startSlack } from '../server/index.js';
import { given, reviewed } from './given.js';

const soon = { patience: { ackWithinMs: 500, retriesAfterMs: [20, 20, 20] } };

describe.each(['socket', 'http'] as const)('a message received by %s', (mode) => {
  it('is stored before it is acknowledged, and acknowledged before it is handled', async () => {
    const order: string[] = [];
    const ears = await given({
      wanted: { mode },
      door: (own) => ({
        ...own,
        note: (said) => {
          const row = own.note(said);
          order.push(`noted, acknowledged: ${isAcked()}`);
          return row;
        },
        handle: async (row) => {
          await ears.slack.until('it is acknowledged', isAcked, 2_000);
          order.push(`handled, acknowledged: ${isAcked()}`);
          return own.handle(row);
        },
      }),
    });
    const isAcked = () => ears.slack.deliveries.some(({ ackedAt }) => ackedAt !== null);
    ears.ada.says(ears.ada.chat, 'status shop');
    await ears.posted(`sl:${ears.ada.chat.id}`);
    expect(order).toEqual(['noted, acknowledged: false', 'handled, acknowledged: true']);
  });

  it('is not acknowledged when it cannot be stored, and is redelivered until it is', async () => {
    let refusals = 2;
    const { ada, posted } = await given({
      ...soon,
      wanted: { mode },
      door: (own) => ({
        ...own,
        note: (said) => {
          refusals -= 1;
          if (refusals >= 0) throw new BosunError('disk', 'The disk is full');
          return own.note(said);
        },
      }),
    });
    const { deliveries } = ada.says(ada.chat, 'status shop');
    expect(await posted(`sl:${ada.chat.id}`)).toHaveLength(1);
    expect(deliveries[0]?.attempts).toHaveLength(3);
  });

  it('is handled once when Slack redelivers it or sends it as two events', async () => {
    const { ada, slack, general, settled, textsIn } = await given({ wanted: { mode } });
    const { message, deliveries } = ada.mentions(general, 'status shop');
    await settled();
    for (const delivery of [...deliveries, ...deliveries]) slack.repeat(delivery);
    await settled();
    expect([deliveries.length, textsIn(`sl:${general.id}:${message.ts}`).length]).toEqual([2, 1]);
  });

  it('as a slash command is answered to its sender alone, with a pairing code for a stranger', async () => {
    const { ada, slack, general, settled, textsIn } = await given({ wanted: { mode } });
    const eve = slack.person('U09EVE', 'Eve');
    const delivery = eve.slash(general, '/bosun', 'status shop');
    ada.slash(general, '/bosun', 'status shop');
    await settled();
    expect(delivery.answer).toMatchObject({ text: expect.stringContaining('bosun pair') });
    expect(textsIn(`sl:${general.id}:@${ada.id}`)).toHaveLength(1);
    const { bob, shown, runtime, ...asked } = await reviewed({ wanted: { mode } });
    bob.presses(shown, 'Request changes');
    await asked.slack.until('the window is there', () => bob.modal !== null);
    const modal = bob.modal;
    if (modal === null) throw new Error('There is no window');
    expect(await bob.submits(modal, { 'What should be different?': ' ' })).toMatchObject({ action: 'errors' });
    expect(await bob.submits(modal, { 'What should be different?': 'tabs' })).toMatchObject({ action: 'clear' });
    await asked.settled();
    expect(runtime.store.interaction('i1-2')?.interaction.answer).toMatchObject({ option: 'changes', text: 'tabs' });
  });
});

describe('a Slack HTTP request', () => {
  it('is accepted with a valid signature and refused with a forged, expired or future one', async () => {
    const { slack, ada, settled, textsIn } = await given({ wanted: { mode: 'http' } });
    expect(await slack.verifyUrl()).toMatchObject({ status: 200, body: expect.stringContaining('3eZbrw1aBm2r') });
    const event = { type: 'message', channel: ada.chat.id, user: ada.id, text: 'status shop', ts: '1795000000.000100' };
    const payload = {
      ...{ type: 'event_callback', api_app_id: slack.appId, team_id: slack.team.id, event_id: 'Ev1', event },
    };
    const spoilt = [
      { secret: 'another' },
      { skewS: -301 },
      { skewS: 301 },
      { signature: 'v0=00' },
      { signature: '' },
      { headers: { 'x-slack-request-timestamp': 'now' } },
    ];
    for (const forgery of spoilt) expect((await slack.forge(payload, forgery)).status).toBe(401);
    expect(textsIn(`sl:${ada.chat.id}`)).toEqual([]);
    expect((await slack.forge(payload, { skewS: -290 })).status).toBe(200);
    await settled();
    expect(textsIn(`sl:${ada.chat.id}`)).toHaveLength(1);
  });

  it('is answered with 503 until the bot knows its own identity', async () => {
    const { slack, intake } = await given({ wanted: { mode: 'http' }, listens: false });
    expect((await slack.forge({ type: 'event_callback' })).status).toBe(503);
    expect(intake.health.state).toBe('starting');
  });
});

describe('the Socket Mode connection', () => {
  it('reconnects after a cut, and a message sent meanwhile is handled once', async () => {
    const { slack, ada, posted, settled, intake } = await given({ patience: { retriesAfterMs: [20, 200, 2_000] } });
    slack.sockets.drop();
    ada.says(ada.chat, 'status shop');
    expect(await posted(`sl:${ada.chat.id}`)).toHaveLength(1);
    await settled();
    expect(intake.health).toMatchObject({ state: 'connected', problem: null });
  });

  it('is replaced when Slack asks for it, before the old one closes, without losing messages or reporting a rival', async () => {
    const { slack, ada, settled, textsIn, intake } = await given(soon);
    for (const reason of ['warning', 'refresh_requested'] as const) {
      const before = slack.sockets.connections.length;
      ada.says(ada.chat, 'status shop');
      slack.sockets.disconnect(reason);
      ada.says(ada.chat, 'projects');
      await slack.until('another one is open', () => slack.sockets.connections.length === before + 1);
      ada.says(ada.chat, 'whoami');
      await settled();
      await slack.until('the old one is closed', () => slack.sockets.open.length === 1);
    }
    expect(textsIn(`sl:${ada.chat.id}`)).toHaveLength(6);
    expect(intake.health).toMatchObject({ state: 'connected', problem: null });
  });

  it('is replaced when it goes silent', async () => {
    const { slack, ada, posted, log } = await given({ ...soon, parts: { deafAfterMs: 400 }, pingEveryMs: 50 });
    const isLasting = () => Date.now() - (slack.sockets.connections[0]?.openedAt ?? 0) > 1_000;
    await slack.until('it lasted longer than what counts as deaf', isLasting);
    expect(slack.sockets.connections).toHaveLength(1);
    slack.sockets.deafen();
    await slack.until('another one is open', () => slack.sockets.connections.length === 2, 8_000);
    expect(log.join()).toContain('nothing was heard of the socket');
    slack.sockets.drop(slack.sockets.connections[0]);
    ada.says(ada.chat, 'status shop');
    expect(await posted(`sl:${ada.chat.id}`)).toHaveLength(1);
  });

  it('reports once that another process listens, and clears the report when that process ends', async () => {
    const slack = await startSlack();
    const first = await given({ slack, parts: { rivalLookMs: 300 } });
    const rival = await given({ slack, parts: { rivalLookMs: 300 } });
    await slack.until('it is noticed', () => rival.intake.health.problem?.includes('another process listens') === true);
    await first.intake.close();
    await slack.until('it passed', () => rival.intake.health.problem === null, 10_000);
    expect(rival.log.filter((line) => line.includes('another process'))).toHaveLength(1);
  });

  it('reports another process that connects later', async () => {
    const slack = await startSlack();
    const { clock, move } = stoppedClock();
    const lookMs = 15 * 60_000;
    let looks = 0;
    const after: typeof clock.after = (ms, call) => {
      if (ms === lookMs) looks += 1;
      return clock.after(ms, call);
    };
    const parts = { clock: { ...clock, after }, aloneLookMs: lookMs, deafAfterMs: 100 * lookMs };
    const first = await given({ slack, parts });
    await given({ slack });
    await slack.until('it will look again', () => looks === 1);
    expect(first.intake.health.problem).toBeNull();
    move(lookMs);
    await slack.until('it is noticed', () => {
      move(0);
      return first.intake.health.problem?.includes('another process') === true;
    });
  });

  it('survives malformed frames and keeps handling messages', async () => {
    const { slack, ada, posted } = await given();
    const frames = ['null', '[]', '{', '{"type":"events_api"}', '{"type":"events_api","payload":{"event":{}}}', '{}'];
    for (const text of frames) slack.sockets.sendRaw(text);
    slack.sockets.sendRaw(
      JSON.stringify({ type: 'interactive', envelope_id: 'x', payload: { type: 'block_actions' } }),
    );
    slack.tell({ type: 'message', channel: 'nowhere', user: 7, ts: 'never' });
    ada.says(ada.chat, 'status shop');
    expect(await posted(`sl:${ada.chat.id}`)).toHaveLength(1);
  });

  it('is opened as soon as an unreachable Slack comes back', async () => {
    const slack = await startSlack(soon);
    slack.goDown();
    const { ada, posted, intake } = await given({ slack, listens: false });
    intake.start();
    await slack.until('it is told', () => intake.health.problem?.includes('cannot be reached') === true);
    slack.comeUp();
    await slack.until('it is connected', () => intake.health.state === 'connected');
    ada.says(ada.chat, 'status shop');
    expect(await posted(`sl:${ada.chat.id}`)).toHaveLength(1);
  });
});

describe('intake shutdown', () => {
  const took = async (end: () => Promise<void>) => {
    const began = performance.now();
    await end();
    return performance.now() - began;
  };

  it('does not wait for a hanging auth.test call', async () => {
    const slack = await startSlack();
    slack.plant({ method: 'auth.test', fault: { type: 'hang', acts: true } });
    const { intake } = await given({ slack, listens: false });
    intake.start();
    await slack.until('it is asked', () => slack.ledger.count('auth.test') > 0);
    expect(await took(() => intake.close())).toBeLessThan(1_000);
  });

  it('does not wait for a hanging views.open call, and keeps the press pending in the inbox', async () => {
    const { bob, shown, slack, intake, runtime } = await reviewed();
    slack.plant({ method: 'views.open', fault: { type: 'hang', acts: false } });
    bob.presses(shown, 'Request changes');
    await slack.until('it is asked', () => slack.ledger.count('views.open') > 0);
    expect(await took(() => intake.close())).toBeLessThan(3_000);
    expect(runtime.store.pendingInbox().map(({ body }) => body)).toMatchObject([
      { type: 'press', press: 'i1-2.changes' },
    ]);
  });
});

describe('the reported health problem', () => {
  const problemOf = async (
    options: Parameters<typeof given>[0],
    spoil: (slack: Ears['slack']) => void = () => undefined,
  ) => {
    const slack = await startSlack(options);
    spoil(slack);
    const { intake } = await given({ ...options, slack, listens: false });
    intake.start();
    await slack.until('it is told', () => intake.health.problem !== null);
    return intake.health.problem;
  };

  it('names the invalid token, the missing scope or the missing setting', async () => {
    const botGone = (slack: Ears['slack']) => Object.assign(slack.tokens, { standing: 'invalid_auth' });
    const appGone = (slack: Ears['slack']) => Object.assign(slack.tokens, { appStanding: 'token_revoked' });
    const noSockets = (slack: Ears['slack']) => slack.tokens.appScopes.clear();
    expect(await problemOf({}, botGone)).toContain('refuses the bot token (invalid_auth)');
    expect(await problemOf({}, appGone)).toContain('refuses the app token (token_revoked)');
    expect(await problemOf({}, noSockets)).toContain('connections:write');
    expect(await problemOf({ scopes: ['chat:write', 'users:read'] })).toContain('app_mentions:read');
    expect(await problemOf({ wanted: { appToken: null } })).toContain('app_token is not set');
    expect(await problemOf({ wanted: { mode: 'http', signingSecret: null } })).toContain('signing_secret is not set');
    const disabled = (slack: Ears['slack']) =>
      slack.plant({ method: 'apps.connections.open', fault: { type: 'refuse', error: 'link_disabled' } });
    expect(await problemOf({}, disabled)).toContain('Socket Mode is switched off');
    const otherKind = (slack: Ears['slack']) =>
      slack.plant({ method: 'apps.connections.open', fault: { type: 'refuse', error: 'not_allowed_token_type' } });
    expect(await problemOf({}, otherKind)).toContain('begins with xapp-');
  }, 30_000);

  it('names both workspaces when the token belongs to another one, and nothing is received', async () => {
    const keptTeam = { read: () => 'T0FIRST Old Harbour', write: () => undefined };
    const { slack, ada, intake, textsIn } = await given({ listens: false, parts: { keptTeam } });
    intake.start();
    await slack.until('it is told', () => intake.health.problem !== null);
    expect(intake.health.problem).toMatch(/Harbour \(T0HARBOUR\).*Old Harbour \(T0FIRST\)/);
    ada.says(ada.chat, 'status shop');
    expect([slack.sockets.connections.length, textsIn(`sl:${ada.chat.id}`)]).toEqual([0, []]);
  });

  it('is logged without tokens or addresses', async () => {
    const slack = await startSlack();
    slack.goDown();
    const { intake, log } = await given({ slack, listens: false });
    intake.start();
    await slack.until('it is told', () => intake.health.problem !== null);
    expect(log.join()).not.toMatch(/xox|xapp|http/);
  });
});

type Ears = Awaited<ReturnType<typeof given>>;
