// A platform, or what stands in its place, that answers without an end.
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { openClient, upload, whyOf as whySlack } from '../../src/bot/channels/slack/client.js';
import { openApi, whyOf } from '../../src/bot/channels/telegram/client.js';

const megabyte = 1024 * 1024;
const wholeMB = 200;

/** Answers any call with 200 MB of white space, as fast as they are taken. */
async function endlessPlatform() {
  let sentMB = 0;
  const piece = Buffer.alloc(megabyte, ' ');
  const server = createServer((_, reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void => {
      if (sentMB === wholeMB || reply.destroyed) return void reply.end();
      sentMB += 1;
      reply.write(piece, more);
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, sentMB: () => sentMB };
}

const calls = {
  'getUpdates of Telegram': (url: string) => openApi({ token: '12345:abc', apiRoot: url }, 30).getUpdates(),
  'a method of Slack': (url: string) => openClient({ token: 'xoxb-1', apiUrl: url }).auth.test(),
  'an upload to Slack': (url: string) => upload(url, Buffer.from('x'), new AbortController().signal),
};

it.each(Object.entries(calls))('reads at most 16 MB of the answer to %s', async (name, call) => {
  const platform = await endlessPlatform();
  const why = await call(platform.url).then(String, name.includes('Telegram') ? whyOf : whySlack);
  expect(why).toBe('the answer is larger than 16 MB');
  // More than it took lies in buffers on the way.
  expect(platform.sentMB()).toBeLessThan(100);
});
