// Setup of Slack, separate so that it does not load what running it needs.
export { type Bot, checkTokens, type MissingScope, type SlackTokenCheck } from './check-tokens.js';
export { manifestLink, newAppPage, slackManifest } from './manifest.js';
export { otherTeam } from './other-team.js';
