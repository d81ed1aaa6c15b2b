// How updates and files reach the bot.
import type { Methods, Request } from '../api.js';
import { flagOf, numberOf, partOf, textOf } from '../params.js';
import { badRequest, refuse } from '../refusal.js';

const maxPollS = 50;
export const maxDownloadBytes = 20 * 1024 * 1024;

export const receivingMethods: Methods = {
  async getUpdates(request) {
    const { api, params, signal } = request;
    if (api.webhook.isSet) {
      throw refuse(
        409,
        "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      );
    }
    api.updates.allow(allowedOf(request));
    const asked = numberOf(params, 'limit') ?? 100;
    return api.updates.next({
      offset: numberOf(params, 'offset') ?? 0,
      limit: asked < 1 || asked > 100 ? 100 : asked,
      timeoutMs: Math.min(maxPollS, Math.max(0, numberOf(params, 'timeout') ?? 0)) * 1000,
      signal,
    });
  },

  setWebhook(request) {
    const { api, params } = request;
    const secret = textOf(params, 'secret_token');
    api.updates.allow(allowedOf(request));
    if (flagOf(params, 'drop_pending_updates')) api.updates.drop();
    if (textOf(params, 'url') === '') api.webhook.remove();
    else api.webhook.set(textOf(params, 'url'), secret === '' ? null : secret);
    return true;
  },

  deleteWebhook({ api, params }) {
    if (flagOf(params, 'drop_pending_updates')) api.updates.drop();
    api.webhook.remove();
    return true;
  },

  getWebhookInfo: ({ api }) => api.webhook.info(),

  getFile({ api, params }) {
    const file = api.world.file(textOf(params, 'file_id'));
    if (!file) throw badRequest('wrong file_id or the file is temporarily unavailable');
    if (file.sizeBytes > maxDownloadBytes) throw badRequest('file is too big');
    return { file_id: file.id, file_unique_id: `u-${file.id}`, file_size: file.sizeBytes, file_path: file.path };
  },
};

function allowedOf({ params }: Request): readonly string[] | null {
  const given = partOf(params, 'allowed_updates');
  return Array.isArray(given) ? given.map(String) : null;
}
