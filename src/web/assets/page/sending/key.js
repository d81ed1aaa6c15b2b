// The session's page key. It is kept per origin, where a page at another port cannot read it, and is sent with all that
// acts: the cookie alone, which other ports of this machine may receive, only reads.

const name = 'bosun-key';

/** A browser that stores nothing may still read. */
export function keepKey(key) {
  try {
    localStorage.setItem(name, key);
  } catch {
    // The answer to the first thing that is sent says why it was refused.
  }
}

export function dropKey() {
  try {
    localStorage.removeItem(name);
  } catch {
    // Then there is none.
  }
}

export function keyHeaders() {
  try {
    const key = localStorage.getItem(name);
    return key === null ? {} : { 'x-bosun-key': key };
  } catch {
    return {};
  }
}
