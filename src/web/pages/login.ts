import { html } from 'hono/html';
import { page } from './page.js';

export async function loginPage(): Promise<string> {
  const body = html`<h1>Bosun</h1>
<p>You are not logged in here, or the link was used before or is older than ten minutes.</p>
<p>On the machine where Bosun runs, <code>bosun web</code> prints a new link.</p>`;
  return String(await page('Bosun: log in', body));
}

export async function loggedInPage(): Promise<string> {
  const head = html`<meta http-equiv="refresh" content="0; url=/">
`;
  return String(await page('Bosun', html`<p>You are logged in. <a href="/">Go on</a></p>`, head));
}
