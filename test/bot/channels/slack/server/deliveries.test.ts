// How Slack reaches the app: acknowledgements, tries again, sockets that break, signatures that are wrong.
import { describe, expect, it } from 'vitest';
import { given, httpApp, refusalOf, socketApp, startByHttp } from './given.js';

const patience = { ackWithinMs: 60, retriesAfterMs: [0, 40, 80] };

describe('an event of the fake Slack', () => {
  it('is redelivered by socket with its retry number until it is acknowledged', async () => {
    const { slack, ada, general } = await given({ patience });
    const tries: unknown[] = [];
    const app = socketApp(slack, ({ retryNum, retryReason }) => tries.push([retryNum, retryReason]) > 2);
    app.message(async () => undefined);
    await app.start();
    const { deliveries } = ada.says(general, 'hi');
    const [delivery] = deliveries;
    await slack.until('it is acknowledged', () => delivery?.ackedAt !== null);
    expect(tries).toEqual([
      [0, ''],
      [1, 'timeout'],
      [2, 'timeout'],
    ]);
    expect(delivery?.attempts.map((one) => one.failure)).toEqual(['timeout', 'timeout', null]);
  });

  it('is dropped after three retries', async () => {
    const { slack, ada, general } = await given({ patience });
    const { deliveries } = ada.says(general, 'nobody is there');
    await slack.until('it is given up', () => deliveries[0]?.isOver === true);
    expect(deliveries[0]?.attempts.map((one) => one.failure)).toEqual(Array.from({ length: 4 }, () => 'no_connection'));
  });

  it('is redelivered by HTTP after an error, with retry headers', async () => {
    const { slack, ada, general } = await given({ patience: { ...patience, ackWithinMs: 2_000 } });
    const tries: unknown[] = [];
    const app = httpApp(slack, ({ retryNum, retryReason }) => {
      if (tries.push([retryNum, retryReason]) < 2) throw new Error('not now');
      return true;
    });
    app.message(async () => undefined);
    await startByHttp(slack, app);
    const { deliveries } = ada.says(general, 'hi');
    await slack.until('it is acknowledged', () => deliveries[0]?.ackedAt !== null);
    expect(tries).toEqual([
      [undefined, undefined],
      [1, 'http_error'],
    ]);
    expect(deliveries[0]?.attempts.map((one) => one.status)).toEqual([500, 200]);
  });
});

describe('Socket Mode connections', () => {
  it('share the events between two apps with one token', async () => {
    const { slack, ada, general } = await given();
    const heard: string[] = [];
    for (const name of ['first', 'second']) {
      const app = socketApp(slack);
      app.message(async () => {
        heard.push(name);
      });
      await app.start();
    }
    for (let index = 0; index < 4; index += 1) ada.says(general, `${index}`);
    await slack.until('all are heard', () => heard.length === 4);
    expect(heard.sort()).toEqual(['first', 'first', 'second', 'second']);
    expect(slack.sockets.open.map((one) => one.sent.length)).toEqual([2, 2]);
  });

  it.each(['cut', 'deaf', 'refresh_requested'] as const)(
    'are reopened when one is %s',
    async (how) => {
      const { slack, ada, general } = await given({ patience });
      const app = socketApp(slack);
      const heard: string[] = [];
      app.message(async ({ message }) => {
        if ('text' in message) heard.push(message.text ?? '');
      });
      await app.start();
      if (how === 'cut') slack.sockets.drop();
      else if (how === 'deaf') slack.sockets.deafen();
      else slack.sockets.disconnect(how);
      await slack.until('another came', () => slack.sockets.connections.length === 2, 15_000);
      if (how === 'deaf') slack.sockets.drop(slack.sockets.connections[0]);
      await slack.until('the first is gone', () => slack.sockets.open.length === 1);
      ada.says(general, 'again');
      await slack.until('it is heard', () => heard.includes('again'));
      expect(slack.sockets.open).toMatchObject([{ number: 2 }]);
    },
    20_000,
  );

  it('answer pings and carry a repeated envelope', async () => {
    const { slack, ada, general } = await given({ pingEveryMs: 20 });
    const app = socketApp(slack);
    const heard: string[] = [];
    app.message(async ({ body }) => {
      heard.push(body.event_id);
    });
    await app.start();
    const [delivery] = ada.says(general, 'hi').deliveries;
    if (!delivery) throw new Error('nothing was told');
    await slack.until('it is heard', () => heard.length === 1);
    slack.repeat(delivery);
    await slack.until('it is heard again', () => heard.length === 2);
    expect(new Set(heard).size).toBe(1);
    await slack.until('the client pinged', () => (slack.sockets.open[0]?.pingsSeen ?? 0) > 4);
    expect(slack.sockets.connections).toHaveLength(1);
  });
});

describe('an outage', () => {
  it('cuts every connection, and the app reconnects when the outage is over', async () => {
    const { slack, ada, general, client } = await given({ patience });
    const app = socketApp(slack);
    const heard: string[] = [];
    app.message(async ({ message }) => {
      if ('text' in message) heard.push(message.text ?? '');
    });
    await app.start();
    slack.goDown();
    expect(await refusalOf(client.auth.test())).toContain('network:');
    await slack.until('the socket is gone', () => slack.sockets.open.length === 0);
    const [lost] = ada.says(general, 'lost').deliveries;
    await slack.until('it is given up', () => lost?.isOver === true);
    slack.comeUp();
    await slack.until('the app is back', () => slack.sockets.open.length === 1, 15_000);
    ada.says(general, 'again');
    await slack.until('it hears', () => heard.length === 1);
    expect([heard, lost?.ackedAt]).toEqual([['again'], null]);
  }, 20_000);
});

describe('an HTTP request to the app', () => {
  it('is accepted only with a valid and recent signature', async () => {
    const { slack } = await given();
    const app = httpApp(slack);
    const heard: string[] = [];
    app.message(async ({ message }) => {
      heard.push(message.ts);
    });
    await startByHttp(slack, app);
    const event = { type: 'message', channel: 'C1', user: 'U1', text: 'x', ts: '1.000001' };
    const payload = { type: 'event_callback', event_id: 'Ev1', team_id: slack.team.id, api_app_id: slack.appId, event };
    const statuses = [];
    for (const forgery of [{ secret: 'wrong' }, { skewS: -301 }, { signature: 'v0=00' }, {}]) {
      statuses.push((await slack.forge(payload, forgery)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 200]);
    expect(heard).toEqual(['1.000001']);
    expect(JSON.parse((await slack.verifyUrl()).body)).toMatchObject({ challenge: expect.any(String) });
  });
});

describe('a repeated envelope', () => {
  it('is delivered and acknowledged each time', async () => {
    const { slack, ada, general } = await given();
    const app = socketApp(slack);
    let heard = 0;
    app.message(async () => {
      heard += 1;
    });
    await app.start();
    const [delivery] = ada.says(general, 'hi').deliveries;
    if (!delivery) throw new Error('nothing was told');
    for (let index = 0; index < 1_000; index += 1) slack.repeat(delivery);
    await slack.until('all are heard', () => heard === 1_001);
    await slack.until('all are acknowledged', () => delivery.attempts.every((one) => one.ackedAt !== null));
  });
});
