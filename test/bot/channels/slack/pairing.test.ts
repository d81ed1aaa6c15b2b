import { expect, it } from 'vitest';
import { approveKnock, invite } from '../../../../src/config/people/pairing.js';
import { given } from './inbound/given.js';

it("a stranger who sends the host's code is let in, and a late redelivery of the code answers no card", async () => {
  const { slack, home, posted, settled, runtime, textsIn } = await given();
  const { code } = invite(home, 'slack', Date.now());
  const eve = slack.person('U09EVE', 'Eve');
  const thread = `sl:${eve.chat.id}`;
  const { deliveries } = eve.says(eve.chat, code.toLowerCase().replace('-', ' '));
  await settled();
  eve.says(eve.chat, ` ${code} `);
  await slack.until('the code is recognized', () => textsIn(thread).some((text) => text.includes('Code accepted')));
  approveKnock(home, {}, { code, membership: { project: 'shop', role: 'operator' } }, Date.now());
  eve.says(eve.chat, 'start shop: add a login');
  await slack.until('it asks', () => runtime.store.openInteractions('shop').length === 1);
  const [told] = deliveries;
  const event = { ...(told?.payload['event'] as object), text: code };
  const ts = `${Math.floor(Date.now() / 1000) - 61}.000100`;
  slack.tell({ ...event, ts, event_ts: ts });
  await settled();
  const said = await posted(thread, 4);
  expect(said.at(-1)).toContain('shop');
  expect(said.join('\n')).not.toContain(`"${code}"`);
  expect(runtime.store.openInteractions('shop')).toHaveLength(1);
});
