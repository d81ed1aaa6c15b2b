// Counts elapsed times without the server.

setInterval(() => {
  for (const one of document.querySelectorAll('time[data-since]'))
    one.textContent = span(Date.now() - Number(one.dataset.since));
}, 1_000);

function span(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}
