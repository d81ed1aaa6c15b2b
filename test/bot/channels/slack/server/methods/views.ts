// Modals and home tabs.
import type { Methods, Request } from '../api.js';
import { problemsOfView } from '../blocks.js';
import { seenBy } from '../happen.js';
import { isRecord, neededText, partOf, textOf } from '../params.js';
import { refuse, wrong } from '../refusal.js';
import { viewJson } from '../wire.js';
import type { Json, View } from '../world.js';

/** Three modals may lie on each other. */
const maxStack = 3;

export const viewMethods: Methods = {
  'views.open'(request) {
    const { api, params } = request;
    const json = readView(partOf(params, 'view'), 'modal');
    const user = api.tickets.take(neededText(params, 'trigger_id'));
    return { view: viewJson(seenBy(api), api.world.addView({ type: 'modal', user, json })) };
  },

  'views.push'(request) {
    const { api, params } = request;
    const json = readView(partOf(params, 'view'), 'modal');
    const user = api.tickets.take(neededText(params, 'trigger_id'));
    const below = api.world.modalOf(user);
    if (!below) throw refuse('not_found');
    return { view: viewJson(seenBy(api), pushed(request.api.world, below, json)) };
  },

  'views.update'(request) {
    const { api, params } = request;
    const view = known(request);
    const hash = textOf(params, 'hash');
    if (hash !== '' && hash !== view.hash) throw refuse('hash_conflict');
    Object.assign(view, { json: readView(partOf(params, 'view'), view.type), hash: api.world.nextTs() });
    return { view: viewJson(seenBy(api), view) };
  },

  'views.publish'(request) {
    const { api, params } = request;
    const user = api.world.user(neededText(params, 'user_id')).id;
    const json = readView(partOf(params, 'view'), 'home');
    const view = api.world.homeOf(user) ?? api.world.addView({ type: 'home', user, json });
    const hash = textOf(params, 'hash');
    if (hash !== '' && hash !== view.hash) throw refuse('hash_conflict');
    Object.assign(view, { json, hash: api.world.nextTs() });
    return { view: viewJson(seenBy(api), view) };
  },
};

export function pushed(world: Request['api']['world'], below: View, json: Json): View {
  const stack = [...world.views.values()].filter((one) => one.rootId === below.rootId && one.isOpen);
  if (stack.length >= maxStack) throw refuse('push_limit_reached');
  return world.addView({ type: 'modal', user: below.user, json, rootId: below.rootId, previousId: below.id });
}

export function readView(given: unknown, type: View['type']): Json {
  if (!isRecord(given)) throw wrong('invalid_arguments', ['missing required field: view']);
  if (given['type'] !== type) throw wrong('invalid_arguments', [`must be one of: ${type} [json-pointer:/view/type]`]);
  const problems = problemsOfView(given);
  if (problems.includes('view_too_large')) throw refuse('view_too_large');
  if (problems.length > 0) throw wrong('invalid_arguments', problems);
  const blocks = Array.isArray(given['blocks']) ? given['blocks'].filter(isRecord) : [];
  return { ...given, blocks: blocks.map((one, index) => ({ ...one, block_id: one['block_id'] ?? `auto${index}` })) };
}

function known({ api, params }: Request): View {
  const external = textOf(params, 'external_id');
  const id = textOf(params, 'view_id');
  const all = [...api.world.views.values()];
  const view = all.find((one) => one.id === id || (external !== '' && one.json['external_id'] === external));
  if (!view?.isOpen) throw refuse('not_found');
  return view;
}
