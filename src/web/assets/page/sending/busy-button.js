// A pressed button names its action until Bosun has answered.

const doing = {
  Approve: 'Approving…',
  Reject: 'Rejecting…',
  Start: 'Starting…',
  Stop: 'Stopping…',
  Continue: 'Continuing…',
  Retry: 'Retrying…',
  Skip: 'Skipping…',
  Abort: 'Aborting…',
  Propose: 'Proposing…',
  Change: 'Changing…',
};
const stillAfterMs = 8_000;

/** Returns a function that restores the label. The button keeps its focus, which a disabled one would lose. */
export function showBusy(button) {
  if (!button) return () => undefined;
  const own = [...button.childNodes];
  const [verb] = button.textContent.trim().split(/[\s:]/);
  button.style.minInlineSize = `${button.offsetWidth}px`;
  button.setAttribute('aria-disabled', 'true');
  // An icon keeps its look.
  if (!button.classList.contains('icon')) button.textContent = doing[verb] ?? 'Sending…';
  const still = setTimeout(() => {
    button.textContent = 'Still trying…';
  }, stillAfterMs);
  return () => {
    clearTimeout(still);
    button.style.minInlineSize = '';
    button.removeAttribute('aria-disabled');
    button.replaceChildren(...own);
  };
}
