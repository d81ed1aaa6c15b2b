import { describe, expect, it } from 'vitest';
import { unitOf } from './given.js';

const units = ['deploy/systemd/bosun.service', 'deploy/systemd/bosun-worker@.service'];

/** What these units may say; a key that systemd does not know it passes over with no more than a warning. */
const known = new Set([
  ...['Unit.Description', 'Unit.Documentation', 'Unit.After', 'Unit.Wants', 'Unit.StartLimitIntervalSec'],
  ...[
    'Type',
    'User',
    'Group',
    'Environment',
    'EnvironmentFile',
    'WorkingDirectory',
    'ExecStart',
    'Restart',
    'RestartSec',
  ]
    .concat(['KillMode', 'KillSignal', 'TimeoutStopSec', 'OOMPolicy', 'StateDirectory', 'StateDirectoryMode'])
    .concat(['ReadWritePaths', 'ProtectSystem', 'ProtectHome', 'PrivateTmp', 'UMask', 'NoNewPrivileges'])
    .concat(['CapabilityBoundingSet', 'ProtectKernelTunables', 'ProtectKernelModules', 'ProtectKernelLogs'])
    .concat(['ProtectControlGroups', 'ProtectClock', 'ProtectHostname', 'RestrictRealtime', 'LockPersonality'])
    .concat(['SystemCallArchitectures'])
    .map((key) => `Service.${key}`),
  'Install.WantedBy',
]);

describe.each(units)('%s', (path) => {
  const unit = unitOf(path);
  const one = (key: string) => unit.get(`Service.${key}`)?.[0] ?? '';

  it('says only what systemd knows', () => {
    expect([...unit.keys()].filter((key) => !known.has(key))).toEqual([]);
    expect(unit.get('Install.WantedBy')).toEqual(['multi-user.target']);
  });

  it('is no longer root, and is started again whatever ended it', () => {
    expect(one('User')).toBe('bosun');
    expect(one('Restart')).toBe('always');
    expect(unit.get('Unit.StartLimitIntervalSec')).toEqual(['0']);
  });

  it('ends by a signal to the main process alone, with time for what it waits for', () => {
    expect(one('KillMode')).toBe('mixed');
    const drainS = Number(/--drain (\d+)/.exec(one('ExecStart'))?.[1] ?? 5);
    expect(Number(one('TimeoutStopSec'))).toBeGreaterThan(drainS);
  });

  it('lives on when the system ends an agent for its memory', () => {
    expect(one('OOMPolicy')).toBe('continue');
  });

  it('may write where the home and the projects are, and starts agents that need more than Bosun', () => {
    expect(one('ProtectSystem')).toBe('strict');
    expect(one('Environment')).toMatch(new RegExp(`^BOSUN_HOME=/var/lib/${one('StateDirectory')}/`));
    expect(one('ReadWritePaths')).toBe('-/srv/projects');
    for (const key of ['MemoryDenyWriteExecute', 'RestrictNamespaces', 'PrivateNetwork']) {
      expect(unit.has(`Service.${key}`), key).toBe(false);
    }
  });
});
