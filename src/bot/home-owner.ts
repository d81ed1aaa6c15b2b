/** The one who owns the home and speaks on its own machine. */
export const homeOwner = 'owner';
