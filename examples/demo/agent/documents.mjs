// The documents of a story, as text in and text out.

const CLARIFY = '[NEEDS CLARIFICATION]';

export function bddText(story, words, seconds) {
  const parts = story.scenarios.map(
    (one) => `## Scenario: ${one.title}\n\nGiven ${one.given}\nWhen ${one.when}\nThen ${one.must} [unit]\n`,
  );
  const open = story.clarification && seconds === null ? [`${CLARIFY} ${story.clarification}\n`] : [];
  const decided = story.clarification && seconds !== null ? [`Decided: ${seconds} seconds\n`] : [];
  const said = words ? [`A person said: ${words}\n`] : [];
  return [`# ${story.key} ${story.title}\n`, ...parts, ...open, ...decided, ...said].join('\n');
}

export function scenariosIn(spec) {
  return [...spec.matchAll(/^## Scenario: (.+)$/gm)].map((match) => match[1]);
}

export function clarificationsIn(spec) {
  return spec
    .split('\n')
    .filter((line) => line.startsWith(CLARIFY))
    .map((line) => line.slice(CLARIFY.length).trim());
}

export function deltaText(story) {
  const section = (name) => {
    const lines = story.delta[name].map((line) => `- ${line}`);
    return `## ${name}\n\n${lines.join('\n') || '- nothing'}\n`;
  };
  return [`# ${story.key} ${story.title}\n`, ...['ADDED', 'MODIFIED', 'REMOVED'].map(section)].join('\n');
}

/** Sets one endpoint in `paths:` and leaves every other line alone. */
export function withPath(openapi, { path, lines }) {
  const all = openapi.split('\n');
  const own = all.indexOf(`  ${path}:`);
  const start = own >= 0 ? own : endOfBlock(all, all.indexOf('paths:'), 0);
  const end = own >= 0 ? endOfBlock(all, own, 2) : start;
  all.splice(start, end - start, `  ${path}:`, ...lines.map((line) => `    ${line}`));
  return all.join('\n');
}

/** The first line after `from` that is indented no deeper than `indent`. */
function endOfBlock(lines, from, indent) {
  if (from < 0) throw new Error('docs/api/openapi.yaml has no "paths:"');
  const next = lines.findIndex((line, index) => index > from && line.search(/\S|$/) <= indent);
  return next < 0 ? lines.length : next;
}

/** Changes the lines of this story and leaves the others. */
export function memoryText(memory, story, counts) {
  const name = `${story.key} ${story.title}`;
  let text = inSection(memory, 'DONE', (lines) => put(lines, name, story.done));
  text = inSection(text, 'TESTS', () => [`- ${counts}`]);
  text = inSection(text, 'LOG', (lines) => put(lines, name, `verified with ${counts}`));
  const next = story.next ? `- ${story.next}` : '- Nothing planned.';
  text = inSection(text, 'NEXT', () => [next]);
  return inSection(text, 'NOW', () => ['- Nothing in progress.']);
}

function put(lines, name, text) {
  return [...lines.filter((line) => !line.startsWith(`- ${name}:`)), `- ${name}: ${text}`];
}

function inSection(text, name, change) {
  const sections = text.split(/^(?=## )/m);
  const at = sections.findIndex((section) => section.startsWith(`## ${name}\n`));
  const old = at < 0 ? [] : sections[at].split('\n').slice(1);
  const lines = change(old.filter((line) => line.trim() !== ''));
  const last = at < 0 ? sections.length : at;
  sections[last] = `## ${name}\n\n${lines.join('\n')}\n\n`;
  return `${sections.join('').trimEnd()}\n`;
}
