import type { Context } from 'hono';
import { pictureReader, picturesOf } from '../../../bot/index.js';
import type { Interaction } from '../../../engine/index.js';
import type { Env, WebContext } from '../../context/web-context.js';
import { problem } from '../../http/problem.js';
import { lineOf } from '../shared/text.js';

export function CardPictures({ interaction }: { readonly interaction: Interaction }) {
  const pictures = picturesOf(interaction);
  if (pictures.length === 0) return null;
  return (
    <div class="pictures">
      {pictures.map(({ name, file }) => {
        const [run = '', copy = ''] = file.split('/');
        const address = `/runs/${encodeURIComponent(run)}/pictures/${encodeURIComponent(copy)}`;
        return (
          <a href={address}>
            <img src={address} alt={lineOf(name, 120)} loading="lazy" />
          </a>
        );
      })}
    </div>
  );
}

const types: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};

export function sendPicture(c: Context<Env>, web: WebContext): Response {
  const { services } = web;
  const [id, copy] = [c.req.param('run') ?? '', (c.req.param('picture') ?? '').slice(0, 100)];
  const run = services.runtime.reader.run(id);
  const found = run && pictureReader(services.home)({ name: copy, file: `${run.id}/${copy}` });
  const type = types[copy.slice(copy.lastIndexOf('.') + 1)];
  if (!found?.isThere || type === undefined) return problem(404, 'not_found', 'There is no such picture');
  // Named by content: never changes.
  const headers = { 'content-type': type, 'cache-control': 'private, max-age=86400, immutable' };
  return new Response(new Uint8Array(found.bytes), { headers });
}
