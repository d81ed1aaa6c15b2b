// What goes with a message, so that nothing in its words is more than words.

/** For chat.update, which knows no others. */
export const updateOptions = { parse: 'none', link_names: false } as const;

/** For chat.postMessage. */
export const postOptions = { ...updateOptions, mrkdwn: false, unfurl_links: false, unfurl_media: false } as const;
