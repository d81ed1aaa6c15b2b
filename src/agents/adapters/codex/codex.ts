import type { CodingAgent } from '../port.js';
import { settingsHook } from '../shared/hook-settings.js';
import { probeCodex } from './app-server/contract.js';
import { openAppServer } from './app-server/session.js';
import { codexExec } from './exec.js';
import { identity } from './identity.js';

export const codex: CodingAgent = {
  ...identity,
  adapter: {
    // `strict` needs questions in every mode.
    open: (seat, context) =>
      seat.executor.own?.['mode'] === 'exec' && seat.executor.permission !== 'strict'
        ? null
        : openAppServer(seat, context),
    fallback: codexExec,
  },
  reportsCost: 'never',
  probe: probeCodex,
  hook: {
    ...settingsHook('.codex/hooks.json'),
    notes: [
      '→ Codex asks before it runs a hook: start codex in the project once, trust the folder, and accept the hook',
      '  (/hooks lists it). Until then its sessions report nothing.',
    ],
  },
  terminal: ({ id, hook }) => ({
    // JSON strings are valid TOML.
    args: ['resume', id, ...(hook === null ? [] : ['-c', `notify=${JSON.stringify(hook.argv)}`])],
    env: {},
    files: {},
  }),
};
