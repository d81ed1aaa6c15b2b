import { describe, expect, it } from 'vitest';
import { textOf, unitOf } from './given.js';

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
    .concat(['CapabilityBoundingSet', 'ProtectKernelModules', 'ProtectControlGroups'])
    .concat(['RestrictRealtime', 'LockPersonality'])
    .concat(['SystemCallArchitectures'])
    .map((key) => `Service.${key}`),
  'Install.WantedBy',
]);

describe.each(units)('%s', (path) => {
  const unit = unitOf(path);
  const one = (key: string) => unit.get(`Service.${key}`)?.[0] ?? '';

  it('has only known settings', () => {
    expect([...unit.keys()].filter((key) => !known.has(key))).toEqual([]);
    expect(unit.get('Install.WantedBy')).toEqual(['multi-user.target']);
  });

  it('does not run as root, and always restarts', () => {
    expect(one('User')).toBe('bosun');
    expect(one('Restart')).toBe('always');
    expect(unit.get('Unit.StartLimitIntervalSec')).toEqual(['0']);
  });

  it('stops by a signal to the main process only, with time to drain', () => {
    expect(one('KillMode')).toBe('mixed');
    const drainS = Number(/--drain (\d+)/.exec(one('ExecStart'))?.[1] ?? 5);
    expect(Number(one('TimeoutStopSec'))).toBeGreaterThan(drainS);
  });

  it('survives when the system kills an agent for its memory', () => {
    expect(one('OOMPolicy')).toBe('continue');
  });

  it('may write to the home and the projects, and leaves sandboxing features usable for agents', () => {
    expect(one('ProtectSystem')).toBe('strict');
    expect(one('Environment')).toMatch(new RegExp(`^BOSUN_HOME=/var/lib/${one('StateDirectory')}/`));
    expect(one('ReadWritePaths')).toBe('-/srv/projects');
    const taken = ['MemoryDenyWriteExecute', 'RestrictNamespaces', 'PrivateNetwork', 'PrivateDevices', 'ProtectClock'];
    // Each of these covers a part of /proc, and no sandbox in a user namespace gets one of its own then.
    const covering = ['ProtectKernelTunables', 'ProtectKernelLogs', 'ProtectHostname', 'ProtectProc', 'ProcSubset'];
    for (const key of [...taken, ...covering]) expect(unit.has(`Service.${key}`), key).toBe(false);
  });
});

it('as-bosun runs a command in the environment of bosun.service', () => {
  const unit = unitOf('deploy/systemd/bosun.service');
  const script = textOf('deploy/systemd/as-bosun');
  const one = (key: string) => unit.get(`Service.${key}`)?.[0] ?? '';
  expect(script).toContain(`--uid=${one('User')} --gid=${one('Group')} `);
  for (const key of ['UMask', 'WorkingDirectory', 'EnvironmentFile']) expect(script).toContain(`-p ${key}=${one(key)}`);
  expect(script).toContain(`--setenv=${one('Environment')} `);
});
