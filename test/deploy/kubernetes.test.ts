import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { at, documentsOf, listOf, partOf, root, textOf, yamlOf } from './given.js';

const files = listOf(yamlOf('deploy/kubernetes/kustomization.yaml')['resources']).map(String);
const all = files.flatMap((file) => documentsOf(`deploy/kubernetes/${file}`));
const named = (kind: string, name: string) =>
  all.find((one) => one['kind'] === kind && at(one, 'metadata.name') === name);
const [bosun, redis] = [named('StatefulSet', 'bosun'), named('StatefulSet', 'bosun-redis')];
const worker = named('Deployment', 'bosun-worker');
const containerOf = (one: unknown) => partOf(at(one, 'spec.template.spec.containers.0'));

describe('the manifests', () => {
  it('run one Bosun, never two, on a volume that one pod may have', () => {
    expect(at(bosun, 'spec.replicas')).toBe(1);
    expect(at(bosun, 'spec.volumeClaimTemplates.0.spec.accessModes')).toEqual(['ReadWriteOncePod']);
    expect(all.filter((one) => JSON.stringify(at(one, 'spec.template') ?? '').includes('"up"'))).toHaveLength(1);
  });

  it('ask for health where it is told', () => {
    const { startupProbe, livenessProbe, readinessProbe } = containerOf(bosun);
    for (const probe of [startupProbe, livenessProbe]) expect(at(probe, 'httpGet.path')).toBe('/healthz');
    expect(at(readinessProbe, 'httpGet.path')).toBe('/readyz');
    const [, file = ''] = listOf(at(containerOf(worker), 'livenessProbe.exec.command')).map(String);
    expect(existsSync(join(root, file.replace('/app/', '')))).toBe(true);
  });

  it('give what ends the time that it takes', () => {
    const args = listOf(containerOf(worker)['args']).map(String);
    const drainS = Number(args[args.indexOf('--drain') + 1]);
    expect(at(worker, 'spec.template.spec.terminationGracePeriodSeconds')).toBeGreaterThan(drainS);
    expect(at(bosun, 'spec.template.spec.terminationGracePeriodSeconds')).toBeGreaterThan(5);
  });

  it.each([
    ['Bosun', bosun],
    ['workers', worker],
    ['Redis', redis],
  ])('keep %s from doing more than they must', (_who, one) => {
    expect(at(one, 'spec.template.spec.securityContext.runAsNonRoot')).toBe(true);
    expect(at(one, 'spec.template.spec.automountServiceAccountToken')).toBe(false);
    expect(containerOf(one)['securityContext']).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('run Redis as deploy/redis.conf says', () => {
    const lines = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const said = partOf(at(named('ConfigMap', 'bosun-redis'), 'data'))['redis.conf'];
    expect(lines(String(said)).sort()).toEqual(lines(textOf('deploy/redis.conf')).sort());
  });

  it('take secrets from Secrets that the page about them makes', () => {
    const text = files.map((file) => textOf(`deploy/kubernetes/${file}`)).join('\n');
    const names = [...text.matchAll(/(?:secretKeyRef: \{ name|secretRef: \{ name|secretName): ([\w-]+)/g)].map(
      ([, name]) => name,
    );
    expect(new Set(names).size).toBe(5);
    for (const name of names) expect(textOf('docs/deployment.md')).toContain(`secret generic ${name} `);
  });
});
