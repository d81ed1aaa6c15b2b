/** A setup step that failed, in words for whoever started the command. */
export class SetupError extends Error {}
