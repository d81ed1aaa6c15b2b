// Interactive elements: what stands in actions, as an accessory, or in an input.
import {
  anything,
  both,
  flag,
  isJson,
  kinds,
  list,
  matching,
  number,
  problem,
  type Rule,
  shape,
  text,
  word,
} from './rule.js';
import {
  actionId,
  boxOption,
  confirm,
  hasOneOf,
  imageElement,
  menuOption,
  optionGroup,
  overflowOption,
  plain,
} from './text.js';

const common = { 'action_id?': actionId, 'confirm?': confirm, 'focus_on_load?': flag };
const typed = {
  'action_id?': actionId,
  'placeholder?': plain(150),
  'focus_on_load?': flag,
  'dispatch_action_config?': anything,
};

/** A button needs no action_id by Slack's letter; it gets one that nobody can know, so here it has to have one. */
const button: Rule = shape({
  text: plain(75),
  action_id: actionId,
  'url?': text(3000),
  'value?': text(2000),
  'style?': word('primary', 'danger'),
  'confirm?': confirm,
  'accessibility_label?': text(75),
});

const given = both(
  (value, at, look) => {
    if (!isJson(value) || value['initial_option'] === undefined || !Array.isArray(value['options'])) return;
    const values: unknown[] = value['options'].map((one: unknown) => (isJson(one) ? one['value'] : null));
    const initial = value['initial_option'];
    if (!isJson(initial) || values.includes(initial['value'])) return;
    problem(look, `${at}/initial_option`, 'must be one of the options');
  },
  hasOneOf('options', 'option_groups'),
);

const menu = { ...common, 'placeholder?': plain(150) };
const many = { ...menu, 'max_selected_items?': number(1, 1000) };
const ofOptions = { 'options?': list(100, menuOption), 'option_groups?': list(100, optionGroup) };
const boxes = { ...common, options: list(10, boxOption) };
const filter = { 'filter?': anything, 'default_to_current_conversation?': flag, 'response_url_enabled?': flag };

const menus: Readonly<Record<string, Rule>> = {
  static_select: both(shape({ ...menu, ...ofOptions, 'initial_option?': menuOption }), given),
  external_select: shape({ ...menu, 'min_query_length?': number(0, 100), 'initial_option?': menuOption }),
  users_select: shape({ ...menu, 'initial_user?': text(50) }),
  conversations_select: shape({ ...menu, ...filter, 'initial_conversation?': text(50) }),
  channels_select: shape({ ...menu, 'response_url_enabled?': flag, 'initial_channel?': text(50) }),
  multi_static_select: both(shape({ ...many, ...ofOptions, 'initial_options?': list(100, menuOption) }), given),
  multi_external_select: shape({
    ...many,
    'min_query_length?': number(0, 100),
    'initial_options?': list(100, menuOption),
  }),
  multi_users_select: shape({ ...many, 'initial_users?': anything }),
  multi_conversations_select: shape({ ...many, ...filter, 'initial_conversations?': anything }),
  multi_channels_select: shape({ ...many, 'initial_channels?': anything }),
};

const dates: Readonly<Record<string, Rule>> = {
  datepicker: shape({ ...menu, 'initial_date?': matching(/^\d{4}-\d\d-\d\d$/) }),
  timepicker: shape({ ...menu, 'initial_time?': matching(/^\d\d:\d\d$/), 'timezone?': text(100) }),
  datetimepicker: shape({ ...common, 'initial_date_time?': number(1_000_000_000, 9_999_999_999) }),
};

const choices: Readonly<Record<string, Rule>> = {
  checkboxes: shape({ ...boxes, 'initial_options?': list(10, boxOption) }),
  radio_buttons: shape({ ...boxes, 'initial_option?': boxOption }),
};

const fields: Readonly<Record<string, Rule>> = {
  plain_text_input: shape({
    ...typed,
    'initial_value?': text(3000, 0),
    'multiline?': flag,
    'min_length?': number(0, 3000),
    'max_length?': number(1, 3000),
  }),
  email_text_input: shape({ ...typed, 'initial_value?': text(3000) }),
  url_text_input: shape({ ...typed, 'initial_value?': text(3000) }),
  number_input: shape({
    ...typed,
    is_decimal_allowed: flag,
    'initial_value?': text(100),
    'min_value?': text(100),
    'max_value?': text(100),
  }),
  file_input: shape({ 'action_id?': actionId, 'filetypes?': anything, 'max_files?': number(1, 10) }),
  rich_text_input: shape({ ...typed, 'initial_value?': anything }),
};

const pressed: Readonly<Record<string, Rule>> = {
  button,
  overflow: shape({ 'action_id?': actionId, 'confirm?': confirm, options: list(5, overflowOption) }),
  workflow_button: shape({
    text: plain(75),
    workflow: anything,
    'action_id?': actionId,
    'style?': word('primary', 'danger'),
  }),
};

export const actionsElement = kinds({ ...pressed, ...menus, ...dates, ...choices });
export const accessory = kinds({ ...pressed, ...menus, ...dates, ...choices, image: imageElement });
export const inputElement = kinds({ ...menus, ...dates, ...choices, ...fields });

const feedback: Rule = shape({ text: plain(75), value: text(2000), 'accessibility_label?': text(75) });

export const contextAction = kinds({
  feedback_buttons: shape({ 'action_id?': actionId, positive_button: feedback, negative_button: feedback }),
  icon_button: shape({
    icon: word('trash'),
    text: plain(75),
    'action_id?': actionId,
    'value?': text(2000),
    'confirm?': confirm,
    'accessibility_label?': text(75),
    'visible_to_user_ids?': anything,
  }),
});
