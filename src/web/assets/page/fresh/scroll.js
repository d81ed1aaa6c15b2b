// A reader at the end of a growing list stays at the end, others keep the rows in sight.

export const isAtEnd = (box) => box.scrollHeight - box.scrollTop - box.clientHeight < 60;

export const toEnd = () => document.scrollingElement.scrollTo({ top: document.scrollingElement.scrollHeight });

const maxRows = 40;
const keyOf = (row) => row.id || row.dataset.key;
const rowsOf = (list) => [...list.querySelectorAll('li:is([id], [data-key])')];
/** The page itself scrolls some lists, so their top edge is the window's. */
const edgeOf = (list) => (list.dataset.follow === 'page' ? 0 : list.getBoundingClientRect().top);

/** Returns a function that moves the first remembered row that is left back to its place. */
export function rowsInSight(list) {
  const edge = edgeOf(list);
  const seen = rowsOf(list)
    .map((row) => ({ key: keyOf(row), box: row.getBoundingClientRect() }))
    .filter(({ box }) => box.bottom > edge)
    .slice(0, maxRows)
    .map(({ key, box }) => ({ key, top: box.top - edge }));
  return (grown) => {
    const rows = new Map(rowsOf(grown).map((row) => [keyOf(row), row]));
    const kept = seen.find(({ key }) => rows.has(key));
    if (!kept) return false;
    const scroller = grown.dataset.follow === 'page' ? document.scrollingElement : grown;
    scroller.scrollTop += rows.get(kept.key).getBoundingClientRect().top - edgeOf(grown) - kept.top;
    return true;
  };
}
