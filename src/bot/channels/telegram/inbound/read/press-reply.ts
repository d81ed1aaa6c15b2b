// The toast shown when a button is pressed. It is sent before the press is decided, so it promises nothing.
import { type Config, mayDo, memberRole, requiredActionFor } from '../../../../../config/index.js';
import type { RunReader } from '../../../../../store/index.js';
import { offerOf, type Presser } from '../../../../commands/message-buttons.js';
import type { TelegramReadContext } from './read-result.js';

/** The format of Bosun's button data. */
const pressPattern = /^[\w.:-]{1,64}$/;
const maxToastChars = 190;

export function isPress(data: string | undefined): data is string {
  return data !== undefined && pressPattern.test(data);
}

export function toastOf(rows: ToastRows, press: string, pressed: MemberPress): string {
  const { config, by } = pressed;
  const [id = '', ...rest] = press.split('.');
  const shown = id.startsWith('i')
    ? ofInteraction(rows.reader, config, { by, id, option: rest.join('.') })
    : ofOffer(rows, press, pressed);
  return shown.slice(0, maxToastChars);
}

type ToastRows = Pick<TelegramReadContext, 'reader' | 'deliveries'>;

type MemberPress = Presser & { readonly by: string };

interface Option {
  readonly by: string;
  readonly id: string;
  readonly option: string;
  /** Shown instead of the option's own label. */
  readonly label?: string;
}

function ofInteraction(reader: RunReader, config: Config, { by, id, option, label }: Option): string {
  const found = reader.interaction(id);
  const name = found && reader.run(found.run)?.project;
  const project = config.projects.find((one) => one.name === name);
  const role = project === undefined ? null : memberRole(project, by);
  // Without read access a person must not learn that the question exists.
  if (!found || role === null) return 'There is nothing to answer.';
  if (!mayDo(role, requiredActionFor(option, found.interaction)))
    return `Not allowed: you are ${role} in ${project?.name}.`;
  if (found.interaction.state !== 'open') return 'Too late: that is decided already.';
  return `${label ?? found.interaction.options.find((one) => one.id === option)?.label ?? option}…`;
}

function ofOffer(rows: ToastRows, press: string, pressed: MemberPress): string {
  const offered = offerOf(rows, press, pressed);
  if (offered.kind === 'gone') return 'That was done already, or something newer took its place.';
  if (offered.kind === 'unknown') return 'That button is no longer known.';
  const [, id = '', option = ''] = /^@answer (\S+) (\S+)/.exec(offered.says) ?? [];
  if (id === '') return `${offered.label}…`;
  return ofInteraction(rows.reader, pressed.config, { by: pressed.by, id, option, label: offered.label });
}
