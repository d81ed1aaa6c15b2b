// To add a channel: a folder beside this file, and its line here.
import type { ChannelKind } from './channel-kind.js';
import { slack } from './slack/kind.js';
import { telegram } from './telegram/kind.js';

export const channelKinds: readonly ChannelKind[] = [
  // Messages list them in this order.
  telegram,
  slack,
];
