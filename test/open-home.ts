// Opens a home that knows the coding agents and channels that Bosun ships, as bin/bosun does.
import { codingAgents } from '../src/agents/adapters/registry.js';
import { channelKinds } from '../src/bot/channels/registry.js';
import { grammar } from '../src/bot/grammar/index.js';
import { type Home as HomeOf, openHome as open } from '../src/config/home/home.js';

export type Home = HomeOf<(typeof codingAgents)[number]>;

export const openHome = (dir?: string): Home =>
  open(dir, { agents: codingAgents, channels: channelKinds, reservedWords: grammar.reservedWords });
