import { expect, it } from 'vitest';
import { startWeb } from '../../src/web/index.js';
import { given } from './given.js';

it('refuses to be reachable from elsewhere without secrets', async () => {
  const { app } = await given();
  const config = () => {
    const read = app.config();
    return { ...read, projects: read.projects.map((project) => ({ ...project, hookSecret: null })) };
  };
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'bosun.example']) {
    await expect(startWeb({ ...app, config }, { host, port: 0, version: '1' })).rejects.toMatchObject({
      code: 'bad_config',
      message: expect.stringContaining('shop'),
    });
  }
  const own = await startWeb({ ...app, config }, { host: '127.0.0.1', port: 0, version: '1' });
  await own.close();
});

it('answers on every address with secrets, under the address that was called', async () => {
  const { web, call, home } = await given({ host: '0.0.0.0' });
  expect(web.url).toBe(`http://127.0.0.1:${web.port}`);
  const authorization = `Bearer ${home.apiToken}`;
  expect((await call('/api/projects', { headers: { authorization } })).status).toBe(200);
  const foreign = { authorization, host: `rebound.example:${web.port}` };
  expect((await call('/api/projects', { headers: foreign })).status).toBe(403);
});

it('says which port is taken', async () => {
  const { app, web } = await given();
  await expect(startWeb(app, { host: '127.0.0.1', port: web.port, version: '1' })).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringContaining(String(web.port)),
  });
});

it('is gone once it is closed', async () => {
  const { web } = await given();
  await web.close();
  await expect(fetch(`${web.url}/healthz`)).rejects.toThrow();
});
