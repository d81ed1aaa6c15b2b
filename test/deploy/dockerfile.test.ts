import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root, stagesOf, textOf, wholeStage } from './given.js';

const stages = stagesOf('Dockerfile');
const images = ['bosun', 'worker'];

/** What is copied from the checkout, not from another stage. */
const copied = stages.flatMap(({ instructions }) =>
  instructions
    .filter(({ word, rest }) => word === 'COPY' && !rest.includes('--from='))
    .flatMap(({ rest }) =>
      rest
        .split(' ')
        .filter((one) => !one.startsWith('--'))
        .slice(0, -1),
    ),
);

describe('the Dockerfile', () => {
  it('copies only files that exist and that .dockerignore allows', () => {
    const allowed = textOf('.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    expect(copied.length).toBeGreaterThan(8);
    for (const path of copied) {
      expect(existsSync(join(root, path)), path).toBe(true);
      expect(
        allowed.some((one) => path === one || path.startsWith(`${one}/`)),
        `${path} in .dockerignore`,
      ).toBe(true);
    }
    expect(textOf('.dockerignore')).toMatch(/^\*$/m);
  });

  it('copies every published file of the package, and builds dist itself', () => {
    const { files } = JSON.parse(textOf('package.json')) as { files: string[] };
    const taken = (name: string) => copied.some((path) => path === name || path.startsWith(`${name}/`));
    expect(files.filter((name) => name !== 'dist' && !taken(name))).toEqual([]);
    const base = stages.find(({ name }) => name === 'base')?.instructions ?? [];
    for (const built of ['dist', 'node_modules']) {
      expect(base).toContainEqual({ word: 'COPY', rest: `--from=build /app/${built} ${built}` });
    }
  });

  it('copies nothing with the checkout’s file modes, which may be private', () => {
    const wordsOf = (name: string) => stages.find((one) => one.name === name)?.instructions ?? [];
    const build = wordsOf('build').map(({ word, rest }) => `${word} ${rest}`);
    const opened = build.findLastIndex((line) => line.startsWith('RUN chmod -R a+rX .'));
    expect(opened).toBeGreaterThan(build.findLastIndex((line) => line.startsWith('COPY ')));
    for (const name of ['base', ...images]) {
      const copies = wordsOf(name).filter(({ word }) => word === 'COPY');
      expect(copies.filter(({ rest }) => !rest.startsWith('--from=build '))).toEqual([]);
    }
  });

  it('uses a Node version that package.json allows', () => {
    const major = Number(/^ARG NODE_IMAGE=node:(\d+)-/m.exec(textOf('Dockerfile'))?.[1]);
    const { engines } = JSON.parse(textOf('package.json')) as { engines: { node: string } };
    const [, least = '0'] = /^>=(\d+)\./.exec(engines.node) ?? [];
    expect(major).toBeGreaterThan(Number(least));
    for (const { name, from } of stages) expect(from, name).toMatch(/^(\$\{NODE_IMAGE\}|base)$/);
  });

  it.each(images)('runs %s as a fixed non-root user, with git and without a compiler', (name) => {
    const whole = wholeStage(stages, name);
    expect(whole.filter(({ word }) => word === 'USER').at(-1)?.rest).toBe('10001:10001');
    const installed = whole.filter(({ rest }) => rest.includes('apt-get install')).map(({ rest }) => rest);
    expect(installed).toHaveLength(1);
    for (const needed of ['git', 'openssh-client', 'ca-certificates', 'tini'])
      expect(installed[0]).toContain(` ${needed}`);
    expect(installed[0]).not.toMatch(/g\+\+|gcc|make|python|build-essential/);
    expect(whole).toContainEqual({ word: 'STOPSIGNAL', rest: 'SIGTERM' });
    expect(whole).toContainEqual({ word: 'VOLUME', rest: '/data' });
  });

  it.each(images)('has a health check for %s', (name) => {
    const check = stages.find((one) => one.name === name)?.instructions.find(({ word }) => word === 'HEALTHCHECK');
    const [, file = ''] = /"\/app\/(deploy[^"]+)"/.exec(check?.rest ?? '') ?? [];
    expect(copied).toContain(file);
  });

  it('has an executable entry point', () => {
    const entry = wholeStage(stages, 'bosun').find(({ word }) => word === 'ENTRYPOINT')?.rest ?? '';
    const [, file = ''] = /"\/app\/([^"]+)"/.exec(entry) ?? [];
    expect(copied).toContain(file);
    expect(statSync(join(root, file)).mode & 0o111).not.toBe(0);
  });

  it('builds Bosun by default', () => {
    expect(stages.at(-1)?.name).toBe('bosun');
  });
});

it('git ignores every file for secrets that an example is copied to', () => {
  const ignored = textOf('deploy/.gitignore').split('\n');
  expect(ignored).toContain('*.env');
  for (const secret of ['bosun.env', 'worker.env', 'litestream.env']) {
    expect(existsSync(join(root, 'deploy', `${secret}.example`))).toBe(true);
  }
  expect(ignored).toContain('keys/');
  expect(textOf('.gitignore').split('\n')).toContain('.env');
});
