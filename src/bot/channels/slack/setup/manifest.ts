export interface ManifestOptions {
  readonly name: string;
  /** Null: Socket Mode. */
  readonly url: string | null;
}

/** Each with the function that fails without it. */
export const neededScopes = {
  'app_mentions:read': 'hearing its name',
  'channels:history': 'hearing answers in threads of channels',
  'channels:read': 'telling which channels it is in',
  'chat:write': 'saying anything',
  commands: '/bosun',
  'files:read': 'taking files',
  'files:write': 'sending long output',
  'groups:history': 'hearing answers in private channels',
  'groups:read': 'telling which private channels it is in',
  'im:history': 'private messages',
  'im:read': 'private messages',
  'im:write': 'writing to a person privately',
  'reactions:write': 'the sign that a message was seen',
  'users:read': 'telling guests and bots from members',
} as const satisfies Readonly<Record<string, string>>;

export const optionalScopes = { 'usergroups:read': 'user groups as members (people.*.slack_group)' } as const;

const events = [
  'app_home_opened',
  'app_mention',
  'app_uninstalled',
  'channel_shared',
  'channel_unshared',
  'member_joined_channel',
  'message.channels',
  'message.groups',
  'message.im',
  'subteam_members_changed',
  'tokens_revoked',
] as const;

export function slackManifest({ name, url }: ManifestOptions) {
  const posted = url === null ? {} : { request_url: url };
  return {
    display_information: {
      name,
      description: 'Drives software projects: say what is next, review, decide.',
      background_color: '#1f3044',
    },
    features: {
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: name.toLowerCase(), always_online: true },
      slash_commands: [
        {
          command: '/bosun',
          description: 'Say what is to be done',
          usage_hint: 'continue shop · status · help',
          should_escape: true,
          ...(url === null ? {} : { url }),
        },
      ],
    },
    oauth_config: { scopes: { bot: [...Object.keys(neededScopes), ...Object.keys(optionalScopes)] } },
    settings: {
      event_subscriptions: { ...posted, bot_events: [...events] },
      interactivity: { is_enabled: true, ...posted },
      org_deploy_enabled: false,
      socket_mode_enabled: url === null,
      token_rotation_enabled: false,
    },
  } as const;
}

export const newAppPage = 'https://api.slack.com/apps?new_app=1';

/** Unencoded where a query allows it, for a short link. */
export function manifestLink(manifest: ReturnType<typeof slackManifest>): string {
  const json = encodeURIComponent(JSON.stringify(manifest)).replaceAll('%3A', ':').replaceAll('%2C', ',');
  return `${newAppPage}&manifest_json=${json.replaceAll('%2F', '/')}`;
}
