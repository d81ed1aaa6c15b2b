// 404 and 405 with a hint at similar routes.
import { problem } from '../http/problem.js';

const lists: Readonly<Record<string, string>> = {
  project: 'GET /api/projects lists them.',
  run: 'GET /api/runs lists them.',
  story: 'GET /api/runs/{run}/stories lists them.',
  node: 'GET /api/runs/{run}/nodes lists them.',
  attempt: 'GET /api/runs/{run}/attempts lists them.',
  interaction: 'GET /api/inbox lists those that are open.',
};

export function missing(what: string, which: string): Response {
  return problem(404, 'not_found', `No ${what} "${which.slice(0, 200)}"`, lists[what] ?? null);
}

interface Known {
  readonly method: string;
  readonly path: string;
}

export function notThere(method: string, path: string, routes: readonly Known[]): Response {
  const allowed = methodsOf(path, routes);
  const route = `${method.slice(0, 20)} ${path.slice(0, 200)}`;
  if (allowed.length === 0) return problem(404, 'not_found', `There is no route ${route}`);
  const refused = problem(405, 'bad_input', `There is no route ${route}`, `Allowed methods: ${allowed.join(', ')}.`);
  refused.headers.set('allow', allowed.join(', '));
  return refused;
}

/** GET implies HEAD. */
function methodsOf(path: string, routes: readonly Known[]): readonly string[] {
  const known = routes.filter((route) => route.method !== 'ALL' && patternOf(route.path).test(path));
  return [...new Set(known.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

function patternOf(path: string): RegExp {
  const parts = path.split('/').map((part) => (part.startsWith(':') ? '[^/]+' : part.replaceAll(/[^\w-]/g, '\\$&')));
  return new RegExp(`^${parts.join('/')}$`);
}
