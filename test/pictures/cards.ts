// Every message as a phone shows it: what the renderers send to Telegram and Slack, drawn as HTML.
import type { Block, SlackPart } from '../../src/bot/channels/slack/render/index.js';
import type { Part } from '../../src/bot/channels/telegram/render/index.js';
import type { View } from '../../src/store/messages/message-types.js';
import { rendered as forSlack } from '../bot/channels/slack/render/phone.js';
import { rendered as forTelegram } from '../bot/channels/telegram/render/phone.js';

type Samples = readonly (readonly [name: string, make: () => View])[];

export function telegramSheet(title: string, samples: Samples): string {
  return sheet(
    title,
    'telegram',
    samples.map(([name, make]) => [name, forTelegram(make()).parts.map(telegramPart).join('')]),
  );
}

export function slackSheet(title: string, samples: Samples): string {
  return sheet(
    title,
    'slack',
    samples.map(([name, make]) => [name, forSlack(make()).map(slackPart).join('')]),
  );
}

function sheet(title: string, look: 'telegram' | 'slack', cards: readonly (readonly [string, string])[]): string {
  const all = cards.map(([name, html]) => `<figure><figcaption>${escaped(name)}</figcaption>${html}</figure>`);
  const body = all
    .join('')
    .replace(/\p{Extended_Pictographic}\ufe0f?/gu, (sign) => `<span class="sign">${signs[sign] ?? sign}</span>`);
  return `<!doctype html><meta charset="utf-8"><title>${escaped(title)}</title><style>${style}</style>
    <body class="${look}"><main>${body}</main>`;
}

/** A machine without a font for emoji draws these instead. */
const signs: Readonly<Record<string, string>> = { '✅': '✔', '❌': '✖', '⏹': '■', '⏭': '»', '✏️': '✎' };

function telegramPart({ html, keyboard, isSilent }: Part): string {
  const rows = keyboard.map(
    (row) => `<div class="keys">${row.map(({ text }) => `<b>${escaped(text)}</b>`).join('')}</div>`,
  );
  const sign = isSilent ? '' : '<i class="rings">rings</i>';
  return `<div class="bubble">${sign}<div class="text">${html}</div></div>${rows.join('')}`;
}

function slackPart(part: SlackPart): string {
  if (part.kind === 'file') return `<div class="file">${escaped(part.name)}</div>`;
  return `<div class="message">${part.blocks.map(slackBlock).join('')}</div>`;
}

function slackBlock(block: Block): string {
  switch (block.type) {
    case 'header':
      return `<h3>${escaped(block.text.text)}</h3>`;
    case 'section': {
      const fields = (block.fields ?? []).map((one) => `<span>${worded(one)}</span>`).join('');
      const side = block.accessory?.type === 'button' ? `<button>${escaped(block.accessory.text.text)}</button>` : '';
      return `<div class="section"><div class="text">${worded(block.text)}</div>${side}</div>
        ${fields === '' ? '' : `<div class="fields">${fields}</div>`}`;
    }
    case 'context':
      return `<p class="small text">${block.elements.map((one) => (one.type === 'image' ? '' : worded(one))).join(' ')}</p>`;
    case 'actions':
      return `<div class="actions">${block.elements
        .map((one) =>
          one.type === 'button' ? `<button class="${one.style ?? ''}">${escaped(one.text.text)}</button>` : '',
        )
        .join('')}</div>`;
    case 'rich_text':
      return block.elements
        .map((element) => {
          const words = element.elements.map((one) => {
            const said = one.type === 'date' ? one.fallback : 'text' in one ? one.text : '';
            const text = typeof said === 'string' ? escaped(said) : '';
            return 'style' in one && one.style !== undefined && 'bold' in one.style && one.style.bold
              ? `<b>${text}</b>`
              : text;
          });
          const tag = element.type === 'rich_text_preformatted' ? 'pre' : 'p';
          return `<${tag} class="text">${words.join('')}</${tag}>`;
        })
        .join('');
    default:
      return '';
  }
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Only `mrkdwn` comes escaped, and has marks. */
function worded(text: { readonly type: string; readonly text: string } | undefined): string {
  if (text === undefined) return '';
  return text.type === 'mrkdwn' ? marked(text.text) : escaped(text.text);
}

/** The marks of Slack's text; it escapes `&`, `<` and `>` itself. */
function marked(text: string): string {
  return text
    .replace(/<(?:https?:[^|>]+)\|([^>]+)>/g, '<a>$1</a>')
    .replace(/<(https?:[^>]+)>/g, '<a>$1</a>')
    .replace(/<[@#!]([^>|]+)(?:\|[^>]+)?>/g, '<a>@$1</a>')
    .replace(/```([\s\S]*?)```/g, '<pre>$1</pre>')
    .replace(/`([^`\n]+)`/g, '<code>$1</code>')
    .replace(/(^|[\s(])\*([^*\n]+)\*/gm, '$1<b>$2</b>')
    .replace(/(^|[\s(])_([^_\n]+)_/gm, '$1<i>$2</i>');
}

const style = `
  * { box-sizing: border-box; margin: 0 }
  body { font: 15px/1.4 system-ui, "DejaVu Sans", sans-serif; width: 1250px; color: #111; background: #e6ebee }
  body.slack { background: #fff }
  main { columns: 3; column-gap: 20px; padding: 20px }
  figure { break-inside: avoid; width: 390px; padding-bottom: 18px }
  figcaption { font-size: 12px; color: #5a6570; padding-bottom: 4px }
  .text { white-space: pre-wrap; overflow-wrap: anywhere }
  a { color: #1264a3 }
  pre, code { font: 13px/1.45 ui-monospace, "DejaVu Sans Mono", monospace; background: #0000000d; border-radius: 4px }
  pre { padding: 6px 8px; white-space: pre-wrap }
  blockquote { border-left: 3px solid #3390ec; padding-left: 8px }
  .bubble { position: relative; max-width: 372px; background: #fff; border-radius: 12px; padding: 8px 12px 8px 12px; box-shadow: 0 1px 2px #0002 }
  .rings { float: right; padding-left: 8px; font-size: 11px; font-style: normal; color: #5a6570 }
  .sign { color: #1a6b34 }
  .keys { display: flex; gap: 3px; max-width: 372px; margin-top: 3px }
  .keys b { flex: 1; text-align: center; padding: 8px 4px; border-radius: 8px; background: #7b99b3; color: #fff; font-weight: 500; font-size: 14px }
  .message { border: 1px solid #ddd; border-radius: 10px; padding: 12px; display: grid; gap: 8px; max-width: 380px }
  .message h3 { font-size: 17px }
  .section { display: flex; gap: 8px; justify-content: space-between; align-items: start }
  .fields { display: grid; grid-template-columns: 1fr 1fr; gap: 6px }
  .small { font-size: 12.5px; color: #616061 }
  .actions { display: flex; flex-wrap: wrap; gap: 6px }
  button { font: 600 14px system-ui, "DejaVu Sans"; padding: 5px 12px; border-radius: 5px; border: 1px solid #bbb; background: #fff; color: #111 }
  button.primary { background: #007a5a; border-color: #007a5a; color: #fff }
  button.danger { background: #fff; border-color: #c0155a; color: #c0155a }
  .file { border: 1px solid #ddd; border-radius: 8px; padding: 8px 12px; margin-top: 6px; max-width: 380px }
`;
