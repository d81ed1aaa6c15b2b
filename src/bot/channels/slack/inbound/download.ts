// Security: downloads carry the bot's token, so only Slack's hosts get them.
import type { webApi } from '@slack/bolt';
import { BosunError } from '../../../../base/index.js';
import { chunksOf, type Download, explainedBy, maxFileBytes } from '../../../inbound/index.js';
import { type SlackPlace, signalled, whyOf } from '../client.js';

const limitMs = 120_000;
const explained = explainedBy(whyOf);
const ownHosts = new Set(['files.slack.com', 'slack-files.com']);

export function downloadFrom(api: webApi.WebClient, place: SlackPlace): Download {
  return async (fileId, outer) => {
    const signal = AbortSignal.any([outer, AbortSignal.timeout(limitMs)]);
    const address = await signalled(signal, () => addressOf(api, fileId));
    if (!isSlacks(address, place.apiUrl)) throw new BosunError('bad_input', 'it is not kept at Slack; send it itself');
    const headers = { authorization: `Bearer ${place.token}` };
    const response = await explained(() => fetch(address, { headers, redirect: 'manual', signal }));
    const refuse = async (why: string): Promise<never> => {
      await response.body?.cancel();
      throw new BosunError('bad_input', why);
    };
    if (!response.ok || response.body === null) return refuse(`Slack does not give it (${response.status})`);
    // A login page: the scope is missing.
    const isPage = /^text\/html/i.test(response.headers.get('content-type') ?? '');
    if (isPage && !/\.html?$/i.test(new URL(address).pathname)) {
      return refuse('Slack does not give it: the app lacks the right files:read');
    }
    if (Number(response.headers.get('content-length') ?? 0) > maxFileBytes) return refuse('it is larger than 20 MB');
    return chunksOf(response.body, explained);
  };
}

async function addressOf(api: webApi.WebClient, fileId: string): Promise<string> {
  if (fileId.startsWith('http')) return fileId;
  const told = await explained(() => api.files.info({ file: fileId }));
  if ((told.file?.size ?? 0) > maxFileBytes) throw new BosunError('limit', 'it is larger than 20 MB');
  const address = told.file?.url_private_download;
  if (address === undefined) throw new BosunError('bad_input', 'Slack does not have it any more');
  return address;
}

function isSlacks(address: string, apiUrl: string | null): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, host } = new URL(address);
  if (apiUrl === null) return protocol === 'https:' && ownHosts.has(host);
  return host === new URL(apiUrl).host && protocol === new URL(apiUrl).protocol;
}
