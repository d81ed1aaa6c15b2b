// Coming in: with a link that works once, or with the token that only the home's owner can read.
import { pageResponse } from './layout.js';

export function loginPage(problem: string | null = null, status = 401): Promise<Response> {
  return pageResponse(
    { title: 'Log in', place: null, version: null, children: <LoginForm problem={problem} /> },
    status,
  );
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
          Or paste what the file <code>token</code> in Bosun's home holds
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

/** The page goes on by itself: a redirect that began elsewhere would not take a strict cookie along. */
export async function loggedInPage(): Promise<Response> {
  const shown = await pageResponse({
    title: 'Logged in',
    place: null,
    version: null,
    children: (
      <p>
        You are logged in. <a href="/">Go on</a>
      </p>
    ),
  });
  shown.headers.set('refresh', '0; url=/');
  return shown;
}
