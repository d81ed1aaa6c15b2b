// Writes figures as SVG: bars on a logarithmic scale, and lines of a cost against a size. Readable on a light and on a dark page.

const width = 760;
const font = 'font-family="system-ui, sans-serif"';
const colours = ['#2563eb', '#d97706', '#059669', '#dc2626', '#7c3aed', '#475569'];

/** @param {{ title: string, unit: string, note: string, bars: { label: string, value: number, kind: 'bosun'|'limit'|'rival' }[] }} given */
export function barChart({ title, unit, note, bars }) {
  const [left, top, line] = [250, 56, 26];
  const height = top + bars.length * line + 46;
  const scale = logScale(
    bars.map(({ value }) => value),
    [left, width - 90],
  );
  const colour = { bosun: colours[0], limit: colours[5], rival: colours[1] };
  const rows = bars.map(({ label, value, kind }, at) => {
    const y = top + at * line;
    const end = scale.at(value);
    return [
      text({ x: left - 8, y: y + 14, anchor: 'end', bold: kind === 'bosun' }, label),
      `<rect x="${left}" y="${y + 2}" width="${round(Math.max(1, end - left))}" height="16" fill="${colour[kind]}"/>`,
      text({ x: end + 6, y: y + 14 }, format(value)),
    ].join('');
  });
  const bottom = top + bars.length * line;
  return frame({ height, title }, [
    ...scale.ticks.map((tick) => gridLine(scale.at(tick), top, bottom) + tickLabel(scale.at(tick), bottom + 16, tick)),
    ...rows,
    text({ x: left, y: bottom + 36, small: true }, `${unit}, logarithmic scale; more is better. ${note}`),
  ]);
}

/**
 * @param {{ title: string, x: string, y: string, lines: { label: string, points: (readonly [x: number, y: number])[] }[] }} given
 * Both scales are logarithmic: a flat line says that the size costs nothing, a diagonal that the cost grows with it.
 */
export function lineChart({ title, x, y, lines }) {
  const [left, right, top, bottom] = [70, width - 200, 56, 330];
  const points = lines.flatMap((one) => one.points);
  const across = logScale(
    points.map(([at]) => Math.max(1, at)),
    [left, right],
  );
  const up = logScale(
    points.map(([, value]) => value),
    [bottom, top],
  );
  const drawn = lines.map(({ points: own, label }, at) => {
    const colour = colours[at % colours.length];
    const places = own.map(([px, py]) => [round(across.at(Math.max(1, px))), round(up.at(py))]);
    const dots = places.map(([px, py]) => `<circle cx="${px}" cy="${py}" r="3" fill="${colour}"/>`).join('');
    const legend = top + 8 + at * 22;
    return (
      `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${places.map((it) => it.join(',')).join(' ')}"/>${dots}` +
      `<rect x="${right + 20}" y="${legend}" width="12" height="12" fill="${colour}"/>` +
      text({ x: right + 38, y: legend + 11 }, label)
    );
  });
  return frame({ height: bottom + 60, title }, [
    ...across.ticks.map(
      (tick) => gridLine(across.at(tick), top, bottom) + tickLabel(across.at(tick), bottom + 18, tick),
    ),
    ...up.ticks.map(
      (tick) =>
        `<line x1="${left}" x2="${right}" y1="${round(up.at(tick))}" y2="${round(up.at(tick))}" stroke="#94a3b8" stroke-opacity="0.4"/>` +
        text({ x: left - 8, y: up.at(tick) + 4, anchor: 'end', small: true }, format(tick)),
    ),
    ...drawn,
    text({ x: (left + right) / 2, y: bottom + 44, anchor: 'middle' }, x),
    text({ x: left, y: top - 12, small: true }, y),
  ]);
}

/** Powers of ten from below the least to above the greatest value. */
function logScale(values, [from, to]) {
  const least = Math.floor(Math.log10(Math.min(...values)));
  const greatest = Math.max(least + 1, Math.ceil(Math.log10(Math.max(...values))));
  const at = (value) => from + ((Math.log10(value) - least) / (greatest - least)) * (to - from);
  return { at, ticks: Array.from({ length: greatest - least + 1 }, (_, step) => 10 ** (least + step)) };
}

function frame({ height, title }, parts) {
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}">\n` +
    `<rect width="${width}" height="${height}" fill="#ffffff"/>\n` +
    `${text({ x: 16, y: 28, bold: true, size: 16 }, title)}\n${parts.join('\n')}\n</svg>\n`
  );
}

function gridLine(x, top, bottom) {
  return `<line x1="${round(x)}" x2="${round(x)}" y1="${top}" y2="${bottom}" stroke="#94a3b8" stroke-opacity="0.4"/>`;
}

function tickLabel(x, y, value) {
  return text({ x, y, anchor: 'middle', small: true }, format(value));
}

function text({ x, y, anchor = 'start', bold = false, small = false, size = small ? 11 : 13 }, content) {
  const weight = bold ? ' font-weight="600"' : '';
  return `<text x="${round(x)}" y="${round(y)}" ${font} font-size="${size}"${weight} text-anchor="${anchor}" fill="#0f172a">${escapeXml(content)}</text>`;
}

function format(value) {
  if (value >= 1) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(1)));
}

function round(value) {
  return Math.round(value * 10) / 10;
}

function escapeXml(content) {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
