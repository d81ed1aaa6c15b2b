// Runs at the start of each test file, also where one process runs many: undoes what the file before left in the process.
import { afterAll, afterEach, vi } from 'vitest';
import { useGitStarter } from '../src/workspace/git/process/git-starter.js';
import { runAfterFile, runAfterTest } from './clean-up.js';
import { environmentAtStart } from './environment-at-start.js';
import { gitStarterScript } from './git-starter-script.js';

vi.useRealTimers();
for (const name of Object.keys(process.env)) if (!(name in environmentAtStart)) delete process.env[name];
Object.assign(process.env, environmentAtStart, {
  // Tests bring their own git identity, so that a machine without one passes too.
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.invalid',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.invalid',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
});

useGitStarter(gitStarterScript);
afterEach(runAfterTest);
afterAll(runAfterFile);
