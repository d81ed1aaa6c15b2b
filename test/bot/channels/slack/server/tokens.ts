// Who may call what: the bot's token with its scopes, and the app's token for sockets.
import { refuse } from './refusal.js';

export type Standing = 'fine' | 'invalid_auth' | 'token_revoked' | 'account_inactive';

export interface Tokens {
  readonly bot: string;
  readonly app: string;
  readonly scopes: Set<string>;
  readonly appScopes: Set<string>;
  standing: Standing;
  appStanding: Standing;
}

/** Any of these will do; a method that is not here needs none. */
const needed: Readonly<Record<string, readonly string[]>> = {
  'chat.postMessage': ['chat:write'],
  'chat.postEphemeral': ['chat:write'],
  'chat.update': ['chat:write'],
  'chat.delete': ['chat:write'],
  'chat.startStream': ['chat:write'],
  'chat.appendStream': ['chat:write'],
  'chat.stopStream': ['chat:write'],
  'reactions.add': ['reactions:write'],
  'reactions.remove': ['reactions:write'],
  'conversations.info': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  'conversations.list': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  'conversations.members': ['channels:read', 'groups:read', 'im:read', 'mpim:read'],
  'conversations.open': ['im:write', 'mpim:write', 'channels:manage', 'groups:write'],
  'conversations.history': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'conversations.replies': ['channels:history', 'groups:history', 'im:history', 'mpim:history'],
  'users.info': ['users:read'],
  'users.list': ['users:read'],
  'bots.info': ['users:read'],
  'usergroups.list': ['usergroups:read'],
  'usergroups.users.list': ['usergroups:read'],
  'team.info': ['team:read'],
  'files.getUploadURLExternal': ['files:write'],
  'files.completeUploadExternal': ['files:write'],
  'files.info': ['files:read'],
  'assistant.threads.setStatus': ['assistant:write', 'chat:write'],
  'apps.connections.open': ['connections:write'],
};

const ofApp = new Set(['apps.connections.open']);
const ofBoth = new Set(['auth.test']);

export const allScopes: readonly string[] = [
  ...new Set(Object.entries(needed).flatMap(([method, scopes]) => (ofApp.has(method) ? [] : scopes))),
  'app_mentions:read',
  'commands',
];

/** Refuses as Slack does; gives the scopes that the token has. */
export function admit(tokens: Tokens, token: string, method: string): ReadonlySet<string> {
  if (token === '') throw refuse('not_authed');
  const isApp = token === tokens.app;
  if (!isApp && token !== tokens.bot) throw refuse('invalid_auth');
  const standing = isApp ? tokens.appStanding : tokens.standing;
  if (standing !== 'fine') throw refuse(standing);
  if (isApp !== ofApp.has(method) && !ofBoth.has(method)) throw refuse('not_allowed_token_type');
  const provided = isApp ? tokens.appScopes : tokens.scopes;
  const wanted = needed[method] ?? [];
  if (wanted.length > 0 && !wanted.some((one) => provided.has(one))) {
    throw refuse('missing_scope', { needed: wanted.join(','), provided: [...provided].join(',') });
  }
  return provided;
}
