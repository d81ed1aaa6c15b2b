// Fetches a file that somebody sent. Its address holds the token, and so it is never told.
import type { Api } from 'grammy';
import { BosunError } from '../../../../dispatch/index.js';
import { chunksOf, type Download, explainedBy, maxFileBytes } from '../../../inbound/index.js';
import { type Place, rootOf, signalOf, whyOf } from '../client.js';

const limitMs = 120_000;
const explained = explainedBy(whyOf);

export function downloadFrom(api: Api, place: Place): Download {
  return async (fileId, outer) => {
    const controller = new AbortController();
    const signal = AbortSignal.any([outer, AbortSignal.timeout(limitMs)]);
    signal.addEventListener('abort', () => controller.abort(), { once: true });
    if (signal.aborted) controller.abort();
    const told = await explained(() => api.getFile(fileId, signalOf(controller)));
    if ((told.file_size ?? 0) > maxFileBytes) throw new BosunError('limit', 'it is larger than 20 MB');
    const { file_path: path } = told;
    if (path === undefined) throw new BosunError('bad_input', 'Telegram does not have it any more');
    const address = `${rootOf(place.apiRoot)}/file/bot${place.token}/${encodeURI(path)}`;
    const response = await explained(() => fetch(address, { signal: controller.signal }));
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      throw new BosunError('bad_input', `Telegram does not give it (${response.status})`);
    }
    return chunksOf(response.body, explained);
  };
}
