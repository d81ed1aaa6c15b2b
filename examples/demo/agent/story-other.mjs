// Any story that the script was not written for: a placeholder that says so, with a test that is red and then green.

export function otherStory(key) {
  const name =
    key
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'story';
  const notice = '// The scripted agent was not written for this story; a real one would put the code here.\n';
  const source = `src/placeholders/${name}.js`;
  const test = `test/${name}.test.js`;
  const code = (isWritten) => `${notice}export function isWritten() {\n  return ${isWritten};\n}\n`;
  return {
    key,
    title: 'Placeholder',
    next: null,
    done: 'a placeholder, no real code.',
    clarification: null,
    question: null,
    scenarios: [
      { title: 'A placeholder is there', given: 'this story', when: 'it is asked for', must: 'a file MUST be there' },
    ],
    delta: { ADDED: [`\`${source}\``], MODIFIED: [], REMOVED: [] },
    endpoint: null,
    scaffoldFiles: [source, test],
    scaffold: ({ words }) => ({ [source]: code(false), [test]: placeholderTest(name, words) }),
    impl: () => ({ [source]: code(true) }),
  };
}

function placeholderTest(name, words) {
  const said = words ? `// A person said: ${words}\n` : '';
  return `${said}import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWritten } from '../src/placeholders/${name}.js';

test('the placeholder for ${name} is there', () => {
  assert.equal(isWritten(), true);
});
`;
}
