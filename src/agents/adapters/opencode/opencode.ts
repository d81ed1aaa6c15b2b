// OpenCode: a conversation with `opencode serve`, or `opencode run` where that is configured or there is no other.
import type { CodingAgent } from '../port.js';
import { pluginHook } from './hook-plugin.js';
import { identity } from './identity.js';
import { opencodeRun } from './run.js';
import { probeOpencode } from './serve/probe.js';
import { openServe } from './serve/session.js';

export const opencode: CodingAgent = {
  ...identity,
  adapter: {
    open: (seat, around) => (seat.executor.own?.['mode'] === 'run' ? null : openServe(seat, around)),
    fallback: opencodeRun,
  },
  reportsCost: 'sometimes',
  probe: probeOpencode,
  hook: pluginHook,
};
