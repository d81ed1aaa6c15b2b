// The frame of every page: one style sheet inside, nothing from outside, no script.
import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';

type Markup = ReturnType<typeof html>;

const style = `
:root { color-scheme: light dark; --line: #8885; --soft: #767676; --mark: #b35900; }
@media (prefers-color-scheme: dark) { :root { --soft: #a0a0a0; --mark: #ffb454; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 56rem; padding: 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
ul { list-style: none; padding: 0; margin: 0; }
li { border-top: 1px solid var(--line); padding: .6rem 0; overflow-wrap: anywhere; }
p { margin: .2rem 0; }
pre { font: 14px/1.4 ui-monospace, monospace; margin: .3rem 0; white-space: pre-wrap; unicode-bidi: plaintext; }
code { font: 14px/1.4 ui-monospace, monospace; }
.soft { color: var(--soft); font-size: .9rem; }
.mark { color: var(--mark); font-weight: 600; }
`;

const styleHash = createHash('sha256').update(style).digest('base64');

export const pagePolicy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export function page(title: string, body: Markup, head: Markup = html``): Markup {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
${head}<style>${raw(style)}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

export function pageResponse(markup: string, status: number): Response {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': pagePolicy };
  return new Response(markup, { status, headers });
}
