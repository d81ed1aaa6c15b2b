// The session's page key. It is stored per origin, where a page at another port cannot read it, and every change sends
// it: the cookie alone, which other ports of this machine may receive, only reads.

const name = 'bosun-key';

/** A browser without storage can still read. */
export function keepKey(key) {
  try {
    localStorage.setItem(name, key);
  } catch {
    // The first change is then refused, with the reason.
  }
}

export function dropKey() {
  try {
    localStorage.removeItem(name);
  } catch {
    // No storage, no key.
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
