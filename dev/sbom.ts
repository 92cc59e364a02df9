import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * `make sbom`: writes the bill of materials of the locked packages as CycloneDX 1.5 JSON (https://cyclonedx.org/docs/1.5/json/). From the
 * lockfile alone, so that it needs neither the network nor an npm that knows `npm sbom`, and is the same for the same lockfile.
 */

interface LockedPackage {
  name?: string;
  version?: string;
  integrity?: string;
  license?: string;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
}

export interface Lockfile {
  name: string;
  version: string;
  packages: Record<string, LockedPackage>;
}

/** Algorithms as CycloneDX names them. */
const HASHES: Record<string, string> = { sha1: 'SHA-1', sha256: 'SHA-256', sha384: 'SHA-384', sha512: 'SHA-512' };

export function billOfMaterials({ name, version, packages }: Lockfile): object {
  const components = Object.entries(packages)
    .filter(([path]) => path !== '')
    .map(([path, locked]) => componentOf(path, locked))
    .toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
  const seen = new Set<string>();
  const unique = components.filter((each) => !seen.has(each['bom-ref']) && seen.add(each['bom-ref']));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': name, name, version } },
    components: unique,
  };
}

function componentOf(path: string, locked: LockedPackage) {
  const { version = '', integrity = '', license, dev, devOptional } = locked;
  const name = locked.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const hashes = integrity.split(' ').flatMap((each) => {
    const [algorithm = '', base64 = ''] = each.split('-', 2);
    const alg = HASHES[algorithm];
    return alg ? [{ alg, content: Buffer.from(base64, 'base64').toString('hex') }] : [];
  });
  return {
    ...{ type: 'library', 'bom-ref': purl, name, version, purl },
    scope: dev || devOptional ? 'excluded' : locked.optional ? 'optional' : 'required',
    ...(hashes.length > 0 && { hashes }),
    ...(license && {
      licenses: [/ (OR|AND|WITH) /.test(license) ? { expression: license } : { license: { name: license } }],
    }),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lockfile = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as Lockfile;
  const file = process.argv[2] ?? 'sbom.json';
  writeFileSync(file, `${JSON.stringify(billOfMaterials(lockfile), null, 2)}\n`);
  console.log(`${file}: ${Object.keys(lockfile.packages).length - 1} packages`);
}
