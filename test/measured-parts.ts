// What a measured attempt asks besides its run: it notes no checkpoint anywhere, follows no other try, hides nothing.
import { plain, settingsGuard } from '../src/base/index.js';
import type { MeasuredAttemptParts } from '../src/worker/attempt/measured-attempt.js';
import { makeFolder } from './workspace/repository.js';

export function measuredParts(): Omit<MeasuredAttemptParts, 'run'> {
  return {
    ...{ settings: settingsGuard(makeFolder()), putsSettingsBack: false, redactOf: () => plain, home: null },
    ...{ noteCheckpoint: () => undefined, earlierCheckpoint: () => null, earlierTries: () => null },
    log: () => undefined,
  };
}
