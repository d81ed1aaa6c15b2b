// A one-time link, or the token that only the owner can read.
import { assets } from './shared/assets.js';
import { pageResponse } from './shared/layout.js';

export function loginPage(problem: string | null = null, status = 401): Promise<Response> {
  return pageResponse({ title: 'Log in', place: null, live: null, children: <LoginForm problem={problem} /> }, status);
}

function LoginForm({ problem }: { readonly problem: string | null }) {
  return (
    <section class="panel narrow" aria-labelledby="login-title">
      <h1 id="login-title">Log in</h1>
      <p>
        On the machine where Bosun runs, <code>bosun web</code> prints a link. It works once, within ten minutes.
      </p>
      <form class="answer" method="post" action="/login">
        <label for="token">
          <span>
            Or paste the token from the file <code>token</code> in Bosun's home
          </span>
          <input id="token" name="token" type="password" autocomplete="off" required maxlength={500} />
        </label>
        {problem === null ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="first">
            Log in
          </button>
        </div>
      </form>
    </section>
  );
}

/**
 * The only response with the page key, which its script stores. Without JavaScript the session only reads. A redirect
 * would lose the SameSite=Strict cookie.
 */
export function loggedInPage(pageKey: string): Promise<Response> {
  return pageResponse({
    title: 'Logged in',
    place: null,
    live: null,
    head: (
      <>
        <script type="module" src={assets.login}></script>
        <noscript>
          <meta http-equiv="refresh" content="0; url=/" />
        </noscript>
      </>
    ),
    children: (
      <p id="page-key" data-key={pageKey}>
        You are logged in. <a href="/">Continue</a>
      </p>
    ),
  });
}

/** `isKept`: the end is stored and survives a restart. */
export function loggedOutPage(isKept: boolean): Promise<Response> {
  return pageResponse({
    title: 'Logged out',
    place: null,
    live: null,
    children: (
      <section class="panel narrow" aria-labelledby="logout-title">
        <h1 id="logout-title">You are logged out</h1>
        <p>This browser's session has ended. Bosun keeps working.</p>
        {isKept ? null : (
          <p class="problem">
            Bosun cannot write to its home, so that this lasts until it restarts. To end all sessions, put another token
            into the file <code>token</code> there and restart Bosun.
          </p>
        )}
        <p>
          <a href="/login">Log in again</a>
        </p>
      </section>
    ),
  });
}
