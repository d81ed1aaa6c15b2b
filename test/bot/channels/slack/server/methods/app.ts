// The app itself: who it is, where its sockets are, files that it shares, and what stands above the compose box.
import { channelOf, type Methods } from '../api.js';
import { post, seenBy } from '../happen.js';
import { isRecord, neededText, numberOf, partOf, textOf } from '../params.js';
import { refuse, wrong } from '../refusal.js';
import { fileJson } from '../wire.js';
import { readBlocks } from './content.js';
import { threadOf } from './messages.js';

export const appMethods: Methods = {
  'auth.test'({ api }) {
    const { team, bot } = api.world;
    const url = `https://${team.domain}.slack.com/`;
    const user = { user: bot.name, user_id: bot.id, bot_id: api.botId };
    return { url, team: team.name, team_id: team.id, ...user, is_enterprise_install: false };
  },

  'apps.connections.open': ({ api }) => ({ url: api.openSocket() }),

  'apps.manifest.validate'({ params }) {
    const manifest = partOf(params, 'manifest', 'invalid_manifest');
    const shown = isRecord(manifest) ? manifest['display_information'] : null;
    if (isRecord(shown) && typeof shown['name'] === 'string' && shown['name'].length <= 35) return {};
    const errors = [{ message: 'Missing or too long', pointer: '/display_information/name' }];
    throw refuse('invalid_manifest', { errors });
  },

  'files.getUploadURLExternal'({ api, params }) {
    const name = neededText(params, 'filename');
    if (numberOf(params, 'length', 0) <= 0) throw wrong('invalid_arguments', ['missing required field: length']);
    const file = api.world.addFile(name, api.world.bot.id);
    return { upload_url: `${api.root}/upload/${file.id}`, file_id: file.id };
  },

  'files.completeUploadExternal'(request) {
    const { api, params } = request;
    const given = partOf(params, 'files');
    const files = (Array.isArray(given) ? given : []).filter(isRecord).map((one) => {
      const file = api.world.files.get(String(one['id']));
      if (!file || file.bytes.length === 0) throw refuse('file_not_found');
      return Object.assign(file, { title: String(one['title'] ?? file.name), isComplete: true });
    });
    if (files.length === 0) throw wrong('invalid_arguments', ['missing required field: files']);
    if (textOf(params, 'channel_id') !== '') {
      const channel = channelOf(request, 'channel_id');
      if (!channel.members.has(api.world.bot.id)) throw refuse('not_in_channel');
      const threadTs = threadOf(channel, textOf(params, 'thread_ts'));
      const blocks = readBlocks(partOf(params, 'blocks')) ?? [];
      const text = textOf(params, 'initial_comment');
      post(api, { channel, user: api.world.bot.id, isApps: true, text, threadTs, files, blocks });
    }
    return { files: files.map((one) => fileJson(seenBy(api), one)) };
  },

  'files.info'({ api, params }) {
    const file = api.world.files.get(textOf(params, 'file'));
    if (!file?.isComplete) throw refuse('file_not_found');
    return { file: fileJson(seenBy(api), file) };
  },

  'assistant.threads.setStatus'(request) {
    const { api, params } = request;
    const channel = channelOf(request, 'channel_id');
    const ts = threadOf(channel, neededText(params, 'thread_ts'));
    const status = textOf(params, 'status');
    if (status === '') api.world.statuses.delete(`${channel.id}:${ts}`);
    else api.world.statuses.set(`${channel.id}:${ts}`, status);
    return {};
  },
};
