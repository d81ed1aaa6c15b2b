// What repeated measurements come to: the median, and how far they spread.

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

/** Half the distance between the least and the greatest, in percent of the median. */
export function spread(values) {
  const middle = median(values);
  if (middle === 0) return 0;
  return (50 * (Math.max(...values) - Math.min(...values))) / Math.abs(middle);
}

/** The median of the ratios of each repetition: the load of a shared machine changes between repetitions, not within one. */
export function ratio(values, others) {
  return median(values.map((value, at) => value / others[at]));
}

/**
 * Tables that were measured several times as one: a cell with numbers becomes its median, and a column tells the
 * greatest spread of each row.
 */
export function mergeTables(repeated) {
  if (repeated.length === 1) return repeated[0];
  return repeated[0].map(({ title, rows }, table) => ({
    title,
    rows: rows.map((row, at) => mergeRows(repeated.map((tables) => tables[table].rows[at] ?? row))),
  }));
}

function mergeRows(rows) {
  const [first] = rows;
  let widest = 0;
  const merged = Object.fromEntries(
    Object.keys(first).map((column) => {
      const values = rows.map((row) => toNumber(row[column]));
      if (values.some((value) => value === null)) return [column, first[column]];
      widest = Math.max(widest, spread(values));
      return [column, toText(median(values), first[column])];
    }),
  );
  return { ...merged, spread: `±${widest.toFixed(0)} %` };
}

function toNumber(cell) {
  const text = String(cell).replaceAll(',', '');
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : null;
}

/** With as many places as it had. */
function toText(value, like) {
  const [, places = ''] = String(like).split('.');
  return value.toFixed(places.length);
}
