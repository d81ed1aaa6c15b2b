// A room over an empty home, for tests of the desk.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { channelKinds } from '../../src/bot/channels/registry.js';
import { present } from '../../src/bot/index.js';
import type { Config } from '../../src/config/config.js';
import { openRuntime, type Runtime } from '../../src/dispatch/index.js';
import { openHome } from '../open-home.js';
import { runtimeParts } from '../runtime-parts.js';

export function openRoomIn(): Runtime {
  const dir = mkdtempSync(join(tmpdir(), 'bosun-desk-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return openRuntime({
    ...runtimeParts,
    home: openHome(dir),
    config: () =>
      ({ projects: [], executors: {}, channels: {}, channelKinds, queue: { redis: null } }) as unknown as Config,
    present,
  });
}
