// Slack, in and out: what people say there goes through the front door, and what is committed is carried there.
import type { SlackConfig } from '../../dispatch/index.js';
import type { Channel } from '../channel.js';
import type { Desk } from '../request.js';

export function startSlack(_desk: Desk, _wanted: SlackConfig, log: (message: string) => void): Channel {
  log('slack: not connected in this version');
  return { name: 'slack', tried: Promise.resolve(), problem: null, entrance: null, close: () => Promise.resolve() };
}
