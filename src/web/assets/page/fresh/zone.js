// Says the browser's time zone, in which the server then writes all times, and shows the exact time of `3 min ago`.
import { due } from './freshness.js';

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
const { zone } = document.documentElement.dataset;

if (timeZone && zone && timeZone !== zone) {
  // biome-ignore lint/suspicious/noDocumentCookie: browsers offer the Cookie Store only in a secure context.
  document.cookie = `bosun_zone=${timeZone}; path=/; max-age=31536000; samesite=strict`;
  due({ atOnce: true });
}

document.addEventListener('pointerover', ({ target }) => {
  const time = target.closest?.('time[datetime]');
  if (time && time.title === '') time.title = new Date(time.dateTime).toLocaleString();
});
