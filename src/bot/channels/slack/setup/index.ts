// What setting Slack up takes, without what running it takes.
export { type Bot, checkTokens, type MissingScope, type SlackTokenCheck } from './check-tokens.js';
export { manifestLink, newAppPage, slackManifest } from './manifest.js';
export { otherTeam } from './other-team.js';
