// The end of what grows: whoever is there stays there.

export const isAtEnd = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < 60;

export const toEnd = () => document.scrollingElement.scrollTo({ top: document.scrollingElement.scrollHeight });
