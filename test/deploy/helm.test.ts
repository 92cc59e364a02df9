import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@redocly/openapi-core';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createEngineMetrics, engineMetricsText } from '../../media/engine-metrics.ts';
import { afterFile } from '../support/after-file.ts';

/** The Helm chart: its values against their schema, and what its templates make, rendered by Go's own engine (`render-chart.go`). */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CHART = join(ROOT, 'deploy/helm/antiphon');
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const defaults = parseYaml(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as Record<string, Record<string, unknown>>;
const schema = z.fromJSONSchema(JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')));
const problems = (values: unknown) => schema.safeParse(values).error?.issues.map(({ path }) => path.join('.')) ?? [];

/** The defaults with what has none. */
function valuesWith(change: (values: typeof defaults) => void = () => {}) {
  const values = structuredClone(defaults);
  Object.assign(values.images!, { control: 'registry/control@sha256:c', media: 'registry/media@sha256:m' });
  Object.assign(values.recordings!, { bucket: 'calls', endpoint: 'https://s3.example.com' });
  values.control!.publicUrl = 'https://voice.example.com';
  Object.assign(values.media!, { publicUrl: 'wss://media.example.com', engineDomain: 'media.example.com' });
  change(values);
  return values;
}

const everything = valuesWith((values) => {
  Object.assign(values.images!, { pullSecrets: ['registry'] });
  Object.assign(values.secrets!, { providers: 'providers', control: 'carriers' });
  Object.assign(values.control!, { env: { LOG_LEVEL: 'warn' }, trustedProxies: '10.0.0.0/8' });
  Object.assign(values.media!, {
    env: { MAX_CALLS: '100' },
    nodeSelector: { role: 'media' },
    tolerations: [{ key: 'x' }],
  });
  (values.media!.autoscaling as { enabled: boolean }).enabled = true;
  Object.assign(values.ingress!, { enabled: true, className: 'nginx', annotations: { a: 'b' } });
  Object.assign(values.ingress!, { controlTlsSecret: 'control-tls', mediaTlsSecret: 'media-tls' });
});
const little = valuesWith((values) => {
  Object.assign(values.secrets!, { bus: '' });
});

describe('the values', () => {
  it('of the chart lack what only the operator knows, and nothing else', () => {
    expect(problems(defaults)).toEqual([
      ...['images.control', 'images.media', 'recordings.bucket', 'recordings.endpoint'],
      ...['control.publicUrl', 'media.publicUrl', 'media.engineDomain'],
    ]);
    expect([problems(everything), problems(little)]).toEqual([[], []]);
  });

  it.each([
    ['media', 'drain', 600],
    ['media', 'drainSeconds', '600'],
    ['control', 'publicUrl', 'http://voice.example.com'],
    ['control', 'env', { log: 'x' }],
    ['secrets', 'core', ''],
  ])('with %s.%s as %j are refused', (part, name, value) => {
    expect(problems(valuesWith((values) => Object.assign(values[part]!, { [name]: value })))).not.toEqual([]);
  });
});

interface Probe {
  httpGet: { path: string; port: string };
}
interface Container {
  name: string;
  image: string;
  command?: string[];
  ports?: { name: string; containerPort: number; hostPort?: number; protocol?: string }[];
  env: { name: string; value?: string; valueFrom?: object }[];
  securityContext: object;
  startupProbe?: Probe;
  readinessProbe?: Probe;
  livenessProbe?: Probe;
  volumeMounts: { name: string; mountPath: string }[];
}
interface Pod {
  containers: Container[];
  volumes: { name: string }[];
  securityContext: object;
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds?: number;
}
interface Resource {
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: each kind has its own.
  spec: any;
}

const go = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' };
const noGo = spawnSync('go', ['list', 'github.com/Masterminds/sprig', 'sigs.k8s.io/yaml'], { env: go }).status !== 0;

describe.skipIf(noGo)('the templates (skipped without Go and its packages of Debian)', () => {
  let program: string;
  const render = (values: object): Resource[] =>
    execFileSync(program, [CHART, 'voice'], { input: JSON.stringify(values), encoding: 'utf8' })
      .split(/^---$/m)
      .flatMap((document) => (parseYaml(document) as Resource | null) ?? []);
  const podsIn = (resources: readonly Resource[]) =>
    resources.flatMap(({ spec }) => (spec.template ? [spec.template.spec as Pod] : []));
  const find = (resources: readonly Resource[], kind: string, name: string) =>
    resources.find((each) => each.kind === kind && each.metadata.name === name)!;
  let full: Resource[];
  let small: Resource[];

  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'antiphon-chart-'));
    afterFile(() => rmSync(folder, { recursive: true, force: true }));
    program = join(folder, 'render');
    const source = join(ROOT, 'test/deploy/render-chart.go');
    execFileSync('go', ['build', '-o', program, source], { env: { ...go, GOCACHE: join(folder, 'cache') } });
    full = render(everything);
    small = render(little);
  }, 300_000);

  it('make one resource of each name, and no Secret', () => {
    for (const resources of [full, small]) {
      const names = resources.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
      expect(names).toEqual([...new Set(names)]);
      expect(names.filter((name) => name.startsWith('Secret'))).toEqual([]);
    }
    expect(small.map(({ kind }) => kind).toSorted()).toEqual([
      'Deployment',
      'Job',
      'PodDisruptionBudget',
      'PodDisruptionBudget',
      ...Array(4).fill('Service'),
      'StatefulSet',
    ]);
  });

  it('give each program settings that it has, and none twice', () => {
    const settings = new Map(
      [...text('docs/settings.md').matchAll(/^\| (`[A-Z].*?) \| (\w+) \|/gm)].flatMap(([, names, of]) =>
        [...names!.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => [name!, of!] as const),
      ),
    );
    for (const { containers } of podsIn([...full, ...small])) {
      for (const { name: program, env } of containers) {
        const names = env.map(({ name }) => name);
        expect(names).toEqual([...new Set(names)]);
        const of = program === 'migrate' ? 'control' : program;
        const unknown = names.filter((name) => name !== 'POD_NAME' && !['both', of].includes(settings.get(name) ?? ''));
        expect(unknown, program).toEqual([]);
      }
    }
  });

  it('take every secret by reference', () => {
    const written = podsIn([...full, ...small]).flatMap(({ containers }) =>
      containers.flatMap(({ env }) =>
        env.filter(({ name, value }) => value && /SECRET|KEY|PASSWORD|DATABASE_URL/.test(name)),
      ),
    );
    expect(written).toEqual([]);
  });

  it('run everything as the user of the images, without rights and on a read-only file system', () => {
    for (const { containers, volumes, ...pod } of podsIn([...full, ...small])) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const { securityContext, volumeMounts } of containers) {
        expect(securityContext).toEqual({
          ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
        });
        expect(volumeMounts.map(({ mountPath }) => mountPath)).toContain('/tmp');
        expect(volumes.map(({ name }) => name)).toEqual(expect.arrayContaining(volumeMounts.map(({ name }) => name)));
      }
    }
  });

  it('probe the health endpoints of the programs, at the ports where they listen', () => {
    const endpoints = { control: text('control/http/health.ts'), media: text('media/server.ts') };
    for (const [kind, name] of [
      ['Deployment', 'control'],
      ['StatefulSet', 'media'],
    ] as const) {
      const [container] = (find(full, kind, `voice-${name}`).spec.template.spec as Pod).containers;
      const { ports, env, startupProbe, readinessProbe, livenessProbe } = container!;
      const port = Number(env.find((each) => each.name === (name === 'control' ? 'API_PORT' : 'MEDIA_PORT'))!.value);
      for (const { httpGet } of [startupProbe!, readinessProbe!, livenessProbe!]) {
        expect(ports!.find((each) => each.name === httpGet.port)).toMatchObject({ containerPort: port });
        expect(endpoints[name]).toContain(`'${httpGet.path}'`);
      }
      const metrics = env.find((each) => each.name === 'METRICS_PORT')!.value;
      expect(ports!.find((each) => each.name === 'metrics')!.containerPort).toBe(Number(metrics));
    }
  });

  it('give calls and shutdown their time', () => {
    const secondsIn = (path: string, name: string) =>
      Number(new RegExp(`${name} = [^;]*?([\\d_]+);`).exec(text(path))![1]!.replaceAll('_', '')) / 1_000;
    const media = find(full, 'StatefulSet', 'voice-media').spec.template.spec as Pod;
    const drain = Number(media.containers[0]!.env.find(({ name }) => name === 'DRAIN_SECONDS')!.value);
    const least = drain + secondsIn('media/supervisor.ts', 'EXIT_DEADLINE_MS') + 5;
    expect(media.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(least);
    const control = find(full, 'Deployment', 'voice-control').spec.template.spec as Pod;
    expect(control.terminationGracePeriodSeconds).toBeGreaterThan(secondsIn('control/main.ts', 'STOP_TIMEOUT_MS'));
  });

  it('migrate before the new control, by a command that exists', () => {
    const { metadata, spec } = find(full, 'Job', 'voice-migrate');
    expect(metadata.annotations!['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    const { command, image } = (spec.template.spec as Pod).containers[0]!;
    expect([command!.slice(-2), image]).toEqual([['control/operator.ts', 'migrate'], 'registry/control@sha256:c']);
  });

  it('scale engines by a metric that engines have', async () => {
    const { spec } = find(full, 'HorizontalPodAutoscaler', 'voice-media');
    const engine = createEngineMetrics(() => ({
      ...{ calls: 3, headroom: 1, overloaded: false, draining: false, lag_counts: [1] },
      ...{ unhealthy_providers: [], workers: [] },
    }));
    const metrics = await engineMetricsText([{ port: 7070, metrics: await engine.read() }]);
    expect(metrics).toMatch(new RegExp(`^${spec.metrics[0].pods.metric.name}(\\{.*\\})? 3$`, 'm'));
    expect(find(full, 'StatefulSet', spec.scaleTargetRef.name).spec.replicas).toBeUndefined();
    expect(find(small, 'StatefulSet', 'voice-media').spec.replicas).toBe(2);
  });

  it('have a service for each engine that there can be, and lead its host to it', () => {
    const engines = [...Array((everything.media!.autoscaling as { maxReplicas: number }).maxReplicas).keys()].map(
      (ordinal) => `voice-media-${ordinal}`,
    );
    for (const name of engines) {
      const { selector, publishNotReadyAddresses } = find(full, 'Service', name).spec;
      expect([selector['statefulset.kubernetes.io/pod-name'], publishNotReadyAddresses]).toEqual([name, true]);
    }
    const { rules } = find(full, 'Ingress', 'voice-media').spec as {
      rules: { host: string; http: { paths: { path: string; backend: { service: { name: string } } }[] } }[];
    };
    expect(
      rules.map(({ host, http }) => [host, new Set(http.paths.map(({ backend }) => backend.service.name))]),
    ).toEqual([
      ['media.example.com', new Set(['voice-media'])],
      ...engines.map((name) => [`${name}.media.example.com`, new Set([name])]),
    ]);
    expect(rules[0]!.http.paths.map(({ path }) => path)).toEqual(['/carrier', '/web', '/stream']);
  });

  it('select pods by labels that they have', () => {
    const pods = full.flatMap(({ spec }) => (spec.template ? [spec.template.metadata.labels as object] : []));
    for (const { kind, spec } of full) {
      const selector = kind === 'Service' ? { ...spec.selector } : spec.selector?.matchLabels;
      if (!selector) continue;
      delete selector['statefulset.kubernetes.io/pod-name'];
      expect(pods).toContainEqual(expect.objectContaining(selector));
    }
  });
});
