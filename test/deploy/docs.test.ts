// The pages for operators: their commands are commands, and what they name is there.

import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { codingAgents } from '../../src/agents/index.js';
import { parse } from '../../src/bot/grammar/index.js';
import { makeProgram } from '../../src/cli/program.js';
import { at, documentsOf, listOf, partOf, root, textOf, yamlOf } from './given.js';

const movers = readdirSync(join(root, 'docs/from')).map((name) => `docs/from/${name}`);
const pages = ['docs/operations.md', 'docs/deployment.md', 'docs/workers.md', ...movers];
const stream = () => new PassThrough();
const shell = { env: {}, cwd: root, stdin: stream(), stdout: stream(), stderr: stream() };
const { program } = makeProgram(
  shell,
  { startWeb: () => Promise.reject(new Error('no web in this test')) },
  codingAgents,
);

/** Words after `bosun`: in code of the pages, by itself, by its path, or within a container. */
function saidIn(path: string): readonly string[] {
  const text = textOf(path);
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n'));
  const code = [...text.matchAll(/`([^`\n]+)`/g)].map(([, words = '']) => words);
  return [...blocks, ...code]
    .flatMap((line) => line.split(/&&|;/))
    .flatMap((part) => {
      const words = part.replace(/\s#.*$/, '').trim();
      const found =
        /^(?:as-bosun )?(?:\S*\/bin\/)?bosun (?!-)(.+)$/.exec(words) ??
        /^docker compose exec (?:-T )?bosun bosun (.+)$/.exec(words) ??
        /^docker compose run --rm --no-deps bosun (.+)$/.exec(words);
      return found === null ? [] : [found[1] ?? ''];
    });
}

/** Arguments that the files themselves start Bosun with. */
function startedIn(): readonly string[] {
  const compose = Object.values(partOf(yamlOf('docker-compose.yml')['services'])).filter(
    (one) => at(one, 'build') !== undefined,
  );
  const pods = ['bosun', 'worker'].flatMap((name) => documentsOf(`deploy/kubernetes/${name}.yaml`));
  const units = ['bosun', 'bosun-worker@'].map((name) => textOf(`deploy/systemd/${name}.service`));
  return [
    ...compose.map((one) => listOf(partOf(one)['command']).join(' ')),
    ...pods.map((one) => listOf(at(one, 'spec.template.spec.containers.0.args')).join(' ')).filter((one) => one !== ''),
    ...units.map((unit) => /^ExecStart=\S+ \S+\/bosun (.+)$/m.exec(unit)?.[1] ?? ''),
    ...[...textOf('Dockerfile').matchAll(/^CMD \["(\w+)"\]$/gm)].map(([, word = '']) => word),
  ];
}

function problemOf(said: string): string | null {
  const [name = '', ...rest] = said.split(/\s+/);
  const command: Command | undefined = program.commands.find((one) => one.name() === name);
  if (command === undefined) return `no command ${name}`;
  const known = [...command.options, ...program.options].map(({ long }) => long);
  const unknown = rest.filter((word) => word.startsWith('--')).find((word) => !known.includes(word));
  return unknown === undefined ? null : `${name} has no ${unknown}`;
}

/** What the pages have one say in a chat, and what `bosun say` carries. */
function sentencesIn(path: string): readonly string[] {
  const text = textOf(path);
  const blocks = [...text.matchAll(/```chat\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
  return [...blocks, ...[...text.matchAll(/bosun say "([^"…]+)"/g)].map(([, said = '']) => said)];
}

describe('a migration guide', () => {
  const names = [{ name: 'shop', aliases: ['A'] }];

  it.each(movers)('%s uses only sentences that the grammar parses', (page) => {
    const said = sentencesIn(page);
    expect(said.length).toBeGreaterThan(2);
    expect(said.filter((one) => parse(one, names).verb === null)).toEqual([]);
  });

  it.each(movers)('%s is shorter than 75 lines', (page) => {
    expect(textOf(page).split('\n').length).toBeLessThan(75);
  });
});

describe('a documented command line', () => {
  it.each(pages)('in %s is a command of Bosun with valid options', (page) => {
    const said = saidIn(page);
    expect(said.length).toBeGreaterThan(0);
    expect(said.map(problemOf).filter((problem) => problem !== null)).toEqual([]);
  });

  it('is detected by this test, and an invalid one is reported', () => {
    expect(saidIn('docs/operations.md')).toEqual(
      expect.arrayContaining(['up --no-worker', 'verify', 'verify --home /tmp/look']),
    );
    expect(saidIn('docs/deployment.md')).toEqual(
      expect.arrayContaining([
        'web',
        'init /data/projects/shop --yes',
        'init /srv/projects/shop --executor claude --yes',
      ]),
    );
    expect(['upp', 'up --now', 'worker --drains 5'].map(problemOf)).not.toContain(null);
  });

  it('in containers, pods and units is valid too', () => {
    const said = startedIn();
    expect(said).toHaveLength(8);
    expect(said.map(problemOf).filter((problem) => problem !== null)).toEqual([]);
  });

  it('names a service of docker-compose.yml', () => {
    const services = Object.keys(partOf(yamlOf('docker-compose.yml')['services']));
    const named = pages.flatMap((page) =>
      [
        ...textOf(page).matchAll(
          /docker compose (?:exec(?: -T)?|stop|run(?: --rm)?(?: --no-deps)?(?: --entrypoint sh)?) ([a-z ]+)/g,
        ),
      ].map(([, words = '']) => words.trim().split(' ')[0] ?? ''),
    );
    expect(named.length).toBeGreaterThan(8);
    for (const name of named) expect(services).toContain(name);
  });
});

describe.each(pages)('%s', (page) => {
  const text = textOf(page);

  it('names only repository files that exist', () => {
    const named = [...text.matchAll(/`((?:deploy|docs)\/[\w./@-]+|docker-compose\.yml|\.env\.example)`/g)].map(
      ([, path = '']) => path,
    );
    // These two the reader makes, from an example or by hand.
    for (const path of named.filter((one) => !one.startsWith('deploy/keys/'))) {
      expect(existsSync(join(root, path)) || existsSync(join(root, `${path}.example`)), path).toBe(true);
    }
  });

  it('links only to pages and headings that exist', () => {
    const links = [...text.matchAll(/\]\(([^)#\s]*)(?:#([^)]+))?\)/g)].filter(([, to = '']) => !to.startsWith('http'));
    expect(links.length).toBeGreaterThan(0);
    for (const [, to = '', heading] of links) {
      const path = to === '' ? page : normalize(join(dirname(page), to));
      expect(existsSync(join(root, path)), path).toBe(true);
      if (heading !== undefined) expect(headingsOf(path)).toContain(heading);
    }
  });
});

function headingsOf(path: string): readonly string[] {
  return [...textOf(path).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );
}

it('the deployment pages mention every file in deploy', () => {
  const files = readdirSync(join(root, 'deploy'), { withFileTypes: true }).map(({ name }) => name);
  const text = textOf('docs/deployment.md') + textOf('docs/operations.md') + textOf('docker-compose.yml');
  for (const name of files.filter((one) => !one.startsWith('.') && !/^keys$|\.env$|^docker$/.test(one))) {
    expect(text).toContain(`deploy/${name.replace('.example', '')}`);
  }
});

it('no page starts Bosun before its project is registered, or leaves a partial config.yaml', () => {
  for (const text of pages.map(textOf)) {
    expect(text).not.toMatch(/sudo -u bosun|> \/data\/bosun\/config\.yaml/);
    // The service comes after what it is to know.
    const [started, known] = [text.indexOf('systemctl enable --now bosun\n'), text.indexOf('as-bosun bosun init')];
    if (started >= 0) expect(known).toBeLessThan(started);
  }
  const systemd = textOf('docs/deployment.md');
  for (const folder of ['/var/lib/bosun', '/srv/projects']) {
    expect(systemd).toMatch(new RegExp(`^install -d -o bosun -g bosun .*${folder}( |$)`, 'm'));
  }
});

it('nginx forwards the address that Bosun listens on, and the page’s own origin only', () => {
  const proxy = textOf('deploy/nginx/bosun.conf');
  expect(proxy).toMatch(/proxy_pass http:\/\/127\.0\.0\.1:7420;/);
  expect(proxy).toMatch(/proxy_set_header Host 127\.0\.0\.1:7420;/);
  expect(proxy).toMatch(/default\s+\$http_origin;/);
  // An import has at most 5 MB, with what is around it.
  expect(Number(/client_max_body_size (\d+)m;/.exec(proxy)?.[1])).toBeGreaterThan(5);
  expect(proxy.match(/bosun\.example\.org/g)).toHaveLength(5);
});
