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
const [shell] = documentsOf('deploy/kubernetes/shell.yaml');
const litestream = documentsOf('deploy/kubernetes/litestream/bosun.yaml')[0];
const containerOf = (one: unknown) => partOf(at(one, 'spec.template.spec.containers.0'));

describe('the Kubernetes manifests', () => {
  it('run exactly one Bosun, on a ReadWriteOncePod volume', () => {
    expect(at(bosun, 'spec.replicas')).toBe(1);
    expect(at(bosun, 'spec.volumeClaimTemplates.0.spec.accessModes')).toEqual(['ReadWriteOncePod']);
    expect(all.filter((one) => JSON.stringify(at(one, 'spec.template') ?? '').includes('"up"'))).toHaveLength(1);
  });

  it('probe the health endpoints', () => {
    const { startupProbe, livenessProbe, readinessProbe } = containerOf(bosun);
    for (const probe of [startupProbe, livenessProbe]) expect(at(probe, 'httpGet.path')).toBe('/healthz');
    expect(at(readinessProbe, 'httpGet.path')).toBe('/readyz');
    const [, file = ''] = listOf(at(containerOf(worker), 'livenessProbe.exec.command')).map(String);
    expect(existsSync(join(root, file.replace('/app/', '')))).toBe(true);
  });

  it('allow a new version half an hour to migrate a large database', () => {
    const { startupProbe } = containerOf(bosun);
    const seconds = Number(at(startupProbe, 'periodSeconds')) * Number(at(startupProbe, 'failureThreshold'));
    expect(seconds).toBeGreaterThanOrEqual(1_800);
  });

  it('tag the images that the pods use', () => {
    const images = listOf(yamlOf('deploy/kubernetes/kustomization.yaml')['images']);
    for (const one of images) expect(at(one, 'newTag')).toMatch(/^\d/);
    expect(images.map((one) => at(one, 'name'))).toEqual([containerOf(bosun)['image'], containerOf(worker)['image']]);
  });

  it.each(['bosun', 'bosun-worker', 'bosun-redis'])('restrict ingress to %s', (name) => {
    const policy = named('NetworkPolicy', name);
    expect(at(policy, 'spec.podSelector.matchLabels.app')).toBe(name);
    expect(at(policy, 'spec.policyTypes')).toEqual(['Ingress']);
    const from = listOf(at(policy, 'spec.ingress')).flatMap((one) => listOf(at(one, 'from')));
    expect(from).toHaveLength(name === 'bosun-redis' ? 2 : 0);
  });

  it('require HOOK_SECRET to start Bosun', () => {
    const secret = listOf(containerOf(bosun)['env']).find((one) => at(one, 'name') === 'HOOK_SECRET');
    expect(at(secret, 'valueFrom.secretKeyRef')).toEqual({ name: 'bosun-hook', key: 'secret' });
  });

  it('have a maintenance pod with Bosun’s volume and user', () => {
    expect(at(shell, 'spec.volumes.0.persistentVolumeClaim.claimName')).toBe('data-bosun-0');
    expect(at(shell, 'spec.securityContext')).toEqual(at(bosun, 'spec.template.spec.securityContext'));
    expect(files).not.toContain('shell.yaml');
  });

  it('replicate the database as deploy/litestream.yml does, in Bosun’s pod', () => {
    const [config] = documentsOf('deploy/kubernetes/litestream/config.yaml');
    const lines = (text: unknown) =>
      String(text)
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines(partOf(at(config, 'data'))['litestream.yml'])).toEqual(lines(textOf('deploy/litestream.yml')));
    const notes = partOf(at(bosun, 'spec.template.metadata.annotations'));
    expect(notes['kubectl.kubernetes.io/default-container']).toBe(containerOf(bosun)['name']);
    expect(at(litestream, 'metadata.name')).toBe(at(bosun, 'metadata.name'));
    expect(listOf(containerOf(litestream)['volumeMounts'])).toContainEqual({ name: 'data', mountPath: '/data' });
    expect(String(listOf(containerOf(litestream)['args'])[0])).toContain(` /data/bosun/lock;`);
  });

  it('allow longer grace periods than draining and shutdown take', () => {
    const args = listOf(containerOf(worker)['args']).map(String);
    const drainS = Number(args[args.indexOf('--drain') + 1]);
    expect(at(worker, 'spec.template.spec.terminationGracePeriodSeconds')).toBeGreaterThan(drainS);
    expect(at(bosun, 'spec.template.spec.terminationGracePeriodSeconds')).toBeGreaterThan(5);
  });

  it.each([
    ['Bosun', bosun],
    ['workers', worker],
    ['Redis', redis],
    ['a shell', { spec: { template: shell } }],
    [
      'Litestream',
      {
        spec: {
          template: {
            spec: { ...partOf(at(bosun, 'spec.template.spec')), ...partOf(at(litestream, 'spec.template.spec')) },
          },
        },
      },
    ],
  ])('restrict %s: non-root, no capabilities, no privilege escalation', (_who, one) => {
    expect(at(one, 'spec.template.spec.securityContext.runAsNonRoot')).toBe(true);
    expect(at(one, 'spec.template.spec.automountServiceAccountToken')).toBe(false);
    expect(containerOf(one)['securityContext']).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('run Redis with deploy/redis.conf', () => {
    const lines = (text: string) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const said = partOf(at(named('ConfigMap', 'bosun-redis'), 'data'))['redis.conf'];
    expect(lines(String(said)).sort()).toEqual(lines(textOf('deploy/redis.conf')).sort());
  });

  it('use only Secrets that the deployment page creates', () => {
    const text = [...files, 'litestream/bosun.yaml'].map((file) => textOf(`deploy/kubernetes/${file}`)).join('\n');
    const names = [...text.matchAll(/(?:secretKeyRef: \{ name|secretRef: \{ name|secretName): ([\w-]+)/g)].map(
      ([, name]) => name,
    );
    expect(new Set(names).size).toBe(7);
    for (const name of names) expect(textOf('docs/deployment.md')).toContain(`secret generic ${name} `);
  });
});
