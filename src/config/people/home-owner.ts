/** The one who owns the home and speaks on its own machine. */
export const homeOwner = 'owner';

/** The inbox source of the terminal, of commands in a shell, and of requests with the bearer token. */
export const localSource = 'local';

/** The inbox source of pages that a browser session shows. A stolen cookie must not open files. */
export const pageSource = 'page';

/** Where a request entered. */
export type Surface = typeof localSource | typeof pageSource;
