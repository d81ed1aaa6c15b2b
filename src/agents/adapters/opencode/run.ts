import type { OneShotAdapter } from '../port.js';
import { promptFor, resumedSession } from '../shared/seat.js';
import { environmentFor, runPermissions } from './settings.js';
import { opencodeReader } from './stream.js';

export const opencodeRun: OneShotAdapter = {
  stopSignal: 'SIGTERM',
  launch: (seat, around) => {
    const resumed = resumedSession(seat);
    const { model, args } = seat.executor;
    return {
      args: [
        // OpenCode logs its retries only there.
        ...['run', '--format', 'json', '--print-logs', '--log-level', 'ERROR'],
        ...(model === null ? [] : [`--model=${model}`]),
        ...(resumed === null ? [] : [`--session=${resumed}`]),
        ...args,
      ],
      input: promptFor(seat, around.entry),
      env: environmentFor(seat, around, runPermissions(seat)),
    };
  },
  reader: opencodeReader,
};
