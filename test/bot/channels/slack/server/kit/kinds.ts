// The kinds of blocks, each with its limits and the surfaces that take it.
import { accessory, actionsElement, contextAction, inputElement } from './elements.js';
import { anything, both, flag, isJson, kinds, list, only, problem, type Rule, shape, text, word } from './rule.js';
import { anyText, blockId, hasOneOf, imageElement, imageSource, plain, plainShape } from './text.js';

const own = { 'block_id?': blockId };
const contextText = { plain_text: plainShape(2000), mrkdwn: shape({ text: text(2000), 'verbatim?': flag }) };

const section: Rule = both(
  shape({
    ...own,
    'text?': anyText(3000),
    'fields?': list(10, anyText(2000)),
    'accessory?': accessory,
    'expand?': flag,
  }),
  (value, at, look) => {
    if (!isJson(value) || value['text'] !== undefined || value['fields'] !== undefined) return;
    problem(look, at, 'missing required field: text');
  },
);

const image: Rule = both(
  shape({ ...own, ...imageSource, alt_text: text(2000), 'title?': plain(2000) }),
  hasOneOf('image_url', 'slack_file'),
);

const input: Rule = shape({
  ...own,
  label: plain(2000),
  element: inputElement,
  'hint?': plain(2000),
  'optional?': flag,
  'dispatch_action?': flag,
});

const richText = kinds({
  rich_text_section: shape({ elements: anything }),
  rich_text_list: shape({
    elements: anything,
    style: word('bullet', 'ordered'),
    'indent?': anything,
    'offset?': anything,
    'border?': anything,
  }),
  rich_text_preformatted: shape({ elements: anything, 'border?': anything, 'language?': anything }),
  rich_text_quote: shape({ elements: anything, 'border?': anything }),
});

const table: Rule = shape({ ...own, rows: list(100, list(20, anything)), 'column_settings?': list(20, anything) });

const video: Rule = shape({
  ...own,
  alt_text: text(2000),
  title: plain(199),
  thumbnail_url: text(3000),
  video_url: text(3000),
  'author_name?': text(49),
  'description?': plain(199),
  'provider_name?': text(49),
  'provider_icon_url?': text(3000),
  'title_url?': text(3000),
});

export const block = kinds({
  actions: shape({ ...own, elements: list(25, actionsElement) }),
  context: shape({ ...own, elements: list(10, kinds({ ...contextText, image: imageElement })) }),
  context_actions: only(['message'], shape({ ...own, elements: list(5, contextAction) })),
  divider: shape(own),
  file: only(['message'], shape({ ...own, external_id: text(255), source: word('remote') })),
  header: shape({ ...own, text: plain(150), 'level?': anything }),
  image,
  input,
  markdown: only(['message'], shape({ ...own, text: text(12_000) })),
  rich_text: shape({ ...own, elements: list(1000, richText) }),
  section,
  table: only(['message'], table),
  video,
});
