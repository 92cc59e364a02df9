import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';

/**
 * Bundles the packages that the programs import at their start, a file each, and further ones for what they share: thirty files to find,
 * read and compile in place of six hundred. `dev/fast-start.mjs` imports them in place of the packages. They lie in `node_modules`, so that
 * they are gone with the packages of which they were made. Run by `dev/setup.sh` after the packages are installed, and in the Dockerfiles.
 */

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const FOLDER = `${ROOT}node_modules/.bundled`;

/**
 * Not those that read files beside their own, start threads from them or are native, nor those that few runs use; those are imported
 * as they are.
 */
export const BUNDLED = [
  ...['@fastify/cors', '@fastify/multipart', '@fastify/swagger', 'fastify', 'fastify-type-provider-zod', 'zod'],
  ...['@modelcontextprotocol/client', '@nats-io/jetstream', '@nats-io/transport-node', '@opentelemetry/api'],
  ...['aws4fetch', 'cookie', 'csv-parse', 'libphonenumber-js/min', 'lru-cache', 'otpauth', 'pino', 'postgres'],
  ...['prom-client', 'protobufjs', 'ws', 'yazl'],
] as const;

const PREFIX = '\0exports of ';
/** To the bundler the entry is an ES module of Node: the default export of a CommonJS package is the whole of its `module.exports`. */
const SUFFIX = '.mjs';

/** A module for each package that exports by name what the package does, as Node sees it: bundlers find no names in CommonJS. */
const entries: Plugin = {
  name: 'exports-by-name',
  resolveId: (id) => (id.startsWith(PREFIX) ? id : null),
  async load(id) {
    if (!id.startsWith(PREFIX)) return null;
    const name = id.slice(PREFIX.length, -SUFFIX.length);
    const names = Object.keys(await import(name)).filter((each) => /^[\w$]+$/.test(each));
    return `export { ${names.join(', ')} } from '${name}';`;
  },
};

const fileOf = (name: string) => name.replaceAll(/[@/]/g, '_');

async function bundle(): Promise<void> {
  const building = `${FOLDER}.${process.pid}`;
  const build = await rolldown({
    input: Object.fromEntries(BUNDLED.map((name) => [fileOf(name), `${PREFIX}${name}${SUFFIX}`])),
    cwd: ROOT,
    platform: 'node',
    // What Node would take, and not what is meant for browsers and bundlers.
    resolve: { mainFields: ['main'], conditionNames: ['node'] },
    plugins: [entries],
  });
  await build.write({
    dir: building,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await build.close();
  const files = Object.fromEntries(BUNDLED.map((name) => [name, `${fileOf(name)}.mjs`]));
  writeFileSync(`${building}/files.json`, JSON.stringify(files));
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(building, FOLDER);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await bundle();
