import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CodingAgent, TerminalLaunch, TerminalSession } from '../port.js';
import { pluginHook, pluginText } from './hook-plugin.js';
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
  terminal,
};

function terminal({ id, hook, folder }: TerminalSession): TerminalLaunch {
  const args = ['-s', id];
  if (hook === null) return { args, env: {}, files: {} };
  const name = 'bosun-hook.js';
  const config = { plugin: [pathToFileURL(join(folder, name)).href] };
  return { args, env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(config) }, files: { [name]: pluginText(hook) } };
}
