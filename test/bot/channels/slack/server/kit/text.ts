// Text objects and the other small parts that blocks and elements share.
import { anything, both, flag, isJson, kinds, list, problem, type Rule, shape, text, word } from './rule.js';

export const plainShape = (maxChars: number): Rule => shape({ text: text(maxChars), 'emoji?': flag });

export function plain(maxChars: number): Rule {
  return kinds({ plain_text: plainShape(maxChars) });
}

export function anyText(maxChars: number): Rule {
  return kinds({ plain_text: plainShape(maxChars), mrkdwn: shape({ text: text(maxChars), 'verbatim?': flag }) });
}

export const confirm: Rule = shape({
  title: plain(100),
  text: anyText(300),
  confirm: plain(30),
  deny: plain(30),
  'style?': word('primary', 'danger'),
});

/** An action_id may stand once in a message or a view. */
export const actionId: Rule = both(text(255), (value, at, look) => {
  if (typeof value !== 'string') return;
  if (look.actionIds.has(value))
    problem(look, at, `\`action_id\` \`${value}\` already exists for another interactive element`);
  look.actionIds.add(value);
});

export const blockId: Rule = both(text(255), (value, at, look) => {
  if (typeof value !== 'string') return;
  if (look.blockIds.has(value)) problem(look, at, `\`block_id\` \`${value}\` already exists for another block`);
  look.blockIds.add(value);
});

const option = (ofText: (maxChars: number) => Rule, more: Readonly<Record<string, Rule>> = {}): Rule =>
  shape({ text: ofText(75), value: text(150), 'description?': ofText(75), ...more });

export const menuOption = option(plain);
export const boxOption = option(anyText);
export const overflowOption = option(plain, { 'url?': text(3000) });
export const optionGroup: Rule = shape({ label: plain(75), options: list(100, menuOption) });

export const imageSource: Readonly<Record<string, Rule>> = { 'image_url?': text(3000), 'slack_file?': anything };

export function hasOneOf(...names: readonly string[]): Rule {
  return (value, at, look) => {
    const held = isJson(value) ? names.filter((name) => value[name] !== undefined) : [];
    if (held.length === 1) return;
    problem(look, at, `exactly one of these fields is required: ${names.join(', ')}`);
  };
}

export const imageElement: Rule = both(
  shape({ ...imageSource, alt_text: text(2000) }),
  hasOneOf('image_url', 'slack_file'),
);
