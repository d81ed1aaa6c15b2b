// Restores the focus after a swap has replaced the focused element.

export function place() {
  const { activeElement: one } = document;
  const key = one?.closest('[data-key]')?.dataset.key ?? null;
  const range = one instanceof HTMLTextAreaElement ? [one.selectionStart, one.selectionEnd] : null;
  return one === document.body
    ? null
    : { one, key, id: one?.id, range, value: one?.getAttribute?.('value'), href: one?.getAttribute?.('href') };
}

export function back(at) {
  if (!at || document.activeElement === at.one) return;
  const around = at.key === null ? document : document.querySelector(`[data-key="${CSS.escape(at.key)}"]`);
  const twin =
    (at.one?.isConnected && at.one) ||
    (at.id && document.getElementById(at.id)) ||
    (at.value && around?.querySelector(`button[value="${CSS.escape(at.value)}"]`)) ||
    (at.href && around?.querySelector(`a[href="${CSS.escape(at.href)}"]`));
  if (!twin) return;
  twin.focus({ preventScroll: true });
  if (at.range && twin instanceof HTMLTextAreaElement) twin.setSelectionRange(...at.range);
}
