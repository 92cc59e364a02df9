import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Advisory, advisoriesIn, problemsIn, supersededBy } from '../dev/audit.ts';
import { billOfMaterials, type Lockfile } from '../dev/sbom.ts';

/** What the service is made of and how it is packed. */

const ROOT = join(import.meta.dirname, '..');
const text = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const lockfile = JSON.parse(text('package-lock.json')) as Lockfile;
const { dependencies } = JSON.parse(text('package.json')) as { dependencies: Record<string, string> };

describe('the locked packages', () => {
  it('have exact versions and a hash each', () => {
    const inexact = Object.entries(dependencies).filter(
      ([, version]) => !/^(npm:[\w-]+@)?\d+\.\d+\.\d+$/.test(version),
    );
    const unhashed = Object.entries(lockfile.packages).filter(
      ([path, { integrity = '' }]) => path !== '' && !integrity.startsWith('sha512-'),
    );
    expect([inexact, unhashed.map(([path]) => path)]).toEqual([[], []]);
  });

  it('are all in the bill of materials, with hash and licence', () => {
    const { components } = billOfMaterials(lockfile) as { components: Record<string, unknown>[] };
    expect(components.length).toBeGreaterThan(300);
    expect(components.find(({ name }) => name === 'fastify')).toEqual({
      ...{
        type: 'library',
        'bom-ref': expect.stringContaining('pkg:npm/fastify@'),
        name: 'fastify',
        scope: 'required',
      },
      version: dependencies.fastify,
      purl: `pkg:npm/fastify@${dependencies.fastify}`,
      hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
      licenses: [{ license: { name: 'MIT' } }],
    });
    expect(components.find(({ name }) => name === 'vitest')).toMatchObject({ scope: 'excluded' });
    expect(billOfMaterials(lockfile)).toEqual(billOfMaterials(lockfile));
  });
});

describe('an audit', () => {
  const report = JSON.stringify({
    vulnerabilities: {
      a: {
        via: [{ source: 1, name: 'a', severity: 'high', title: 'T', url: 'https://github.com/advisories/GHSA-aa-bb' }],
      },
      b: { via: ['a', { source: 2, name: 'b', severity: 'moderate', title: 'M', url: '' }] },
    },
  });
  const high: Advisory = { id: 'GHSA-aa-bb', package: 'a', severity: 'high', title: 'T' };
  const accepted = { id: 'GHSA-aa-bb', package: 'a', until: '2026-12-31', reason: 'not reached' };

  it('reads each advisory once, and none where the registry has no answer', () => {
    expect(advisoriesIn(report)).toEqual([high, { id: '2', package: 'b', severity: 'moderate', title: 'M' }]);
    expect([advisoriesIn(''), advisoriesIn('{"error":{"summary":"","detail":""}}')]).toEqual([null, null]);
  });

  it('fails at a high one that is not accepted, or is no longer', () => {
    const advisories = advisoriesIn(report)!;
    expect(problemsIn(advisories, [], '2026-11-24')).toEqual([
      expect.stringMatching(/^high: a: T \(GHSA-aa-bb\): update it/),
    ]);
    expect(problemsIn(advisories, [accepted], '2026-12-31')).toEqual([]);
    expect(problemsIn(advisories, [accepted], '2027-01-01')).toEqual([
      expect.stringContaining('until 2026-12-31 only'),
    ]);
    expect(problemsIn([], [accepted], '2026-11-24')).toEqual([expect.stringContaining('no longer known')]);
  });

  it('accepts nothing without a day and a reason', () => {
    for (const each of JSON.parse(text('dev/accepted-advisories.json'))) {
      expect(each).toEqual({
        ...{ id: expect.any(String), package: expect.any(String), reason: expect.stringMatching(/\w+ \w+/) },
        until: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      });
    }
  });
});

describe('what we changed of packages', () => {
  it('is for the versions that are installed', () => {
    const installed = JSON.parse(text('node_modules/postgres/package.json')).version;
    const said =
      'does broken-connection.test.ts pass without the patch? Then remove it, else make it anew for this version';
    expect(readdirSync(join(ROOT, 'patches')), said).toEqual([`postgres+${installed}.patch`]);
    expect(text('node_modules/postgres/src/connection.js')).toContain('function forgetWrites()');
    expect(JSON.parse(text('node_modules/uWebSockets.js/package.json')).name).toBe('uws-pack');
  });

  it('is named when upstream may have made it superfluous', () => {
    expect(supersededBy({ postgres: '3.4.9', uWebSockets: '0.0.1' }, '3.4.9')).toEqual([]);
    expect(supersededBy({ postgres: '', uWebSockets: '' }, '3.4.9')).toEqual([]);
    expect(supersededBy({ postgres: '3.5.0', uWebSockets: '20.60.0' }, '3.4.9')).toEqual([
      expect.stringContaining('postgres 3.5.0 is there'),
      expect.stringContaining('uws-pack may go'),
    ]);
  });
});

describe('the images', () => {
  /** Not pinned yet: `dev/pin-images.sh` writes the digests where their registry is reached. A name here that is pinned is removed. */
  const UNPINNED = ['nats:2-alpine', 'node:22-bookworm', 'node:22-bookworm-slim', 'postgres:17-bookworm'];
  const files = ['Dockerfile.control', 'Dockerfile.media'];
  const compose = text('compose.yaml');

  it('are pinned by digest, but for those that are listed', () => {
    const named = [...files.map(text), compose].join('\n').matchAll(/^(?:FROM| {4}image:) (\S+:\S+)/gm);
    const unpinned = new Set(
      [...named].map(([, image]) => image!).filter((image) => !/@sha256:[0-9a-f]{64}$/.test(image)),
    );
    expect([...unpinned].toSorted()).toEqual(UNPINNED);
  });

  it.each(files)('%s runs as another user than root, for production, without telemetry', (file) => {
    const last = text(file)
      .split(/^FROM /m)
      .at(-1)!;
    expect(last).toMatch(/^USER node$/m);
    expect(last).toContain('NODE_ENV=production');
    if (file === 'Dockerfile.media') expect(last).toContain('ORT_DISABLE_TELEMETRY=1');
  });

  it('run read-only and without rights in compose.yaml', () => {
    expect(compose).toMatch(
      /^x-hardened: &hardened\n {2}read_only: true\n {2}tmpfs: \[\/tmp\]\n {2}cap_drop: \[ALL\]\n {2}security_opt: \[no-new-privileges:true\]$/m,
    );
    const services = compose
      .slice(compose.indexOf('\nservices:'), compose.indexOf('\nvolumes:'))
      .split(/^ {2}(?=[\w-]+:$)/m)
      .slice(1);
    const open = services.filter((each) => !each.includes('<<: *hardened')).map((each) => each.split(':')[0]);
    expect(open).toEqual(['postgres', 'nats']);
    for (const each of services) expect(each).toMatch(/\*hardened|no-new-privileges:true/);
  });
});

it('no file of the repository has a key of ours or of a provider', () => {
  const KEYS =
    /\b(svc_[A-Za-z0-9_-]{40}|sk-[A-Za-z0-9]{32,}|AKIA[0-9A-Z]{16}|-----BEGIN [A-Z ]*PRIVATE KEY-----\n[A-Za-z0-9+/])/;
  const folders = ['control', 'media', 'shared', 'dev', 'docs', 'examples', '.ci'];
  const found = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(ts|md|sh|json|sql|yaml)$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => KEYS.test(readFileSync(file, 'utf8'))),
  );
  expect(found).toEqual([]);
});
