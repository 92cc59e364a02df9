import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { InlineConfig } from 'vite';
import { errorText } from '../shared/log.ts';

/**
 * Builds the web page into `console/dist`: `index.html` with its files under `assets/`, and `embed.js`, one script for other
 * websites. Control serves them. Run by `make console`, which builds nothing where the sources are those of the last build.
 */

const REPOSITORY = fileURLToPath(new URL('..', import.meta.url));
const ROOT = join(REPOSITORY, 'console');
/** What the page is made of; the lock file stands for the packages. */
const SOURCES = ['console', 'shared', 'dev/build-console.ts', 'package-lock.json', 'tsconfig.json'];
/** In the folder of the build, written last: the hash of what it was made of. */
const BUILT_FROM = '.built-from';

const common: InlineConfig = {
  root: ROOT,
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  // The build must not depend on .env files of the machine.
  envDir: false,
};

export async function buildConsole(outDir = `${ROOT}/dist`): Promise<void> {
  // Its import takes longer than the look whether there is anything to build.
  const { build } = await import('vite');
  await build({
    ...common,
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // The page's Content-Security-Policy allows no inline scripts or images.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
    },
  });
  await build({
    ...common,
    build: {
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      lib: { entry: `${ROOT}/embed/embed.ts`, name: 'Antiphon', formats: ['iife'], fileName: () => 'embed.js' },
    },
  });
  for (const file of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) compressBeside(join(outDir, file));
}

/** Builds it unless the folder has the build of the same sources. @returns whether it was built. */
export async function buildChangedConsole({
  outDir = `${ROOT}/dist`,
  sources = SOURCES,
  build = buildConsole,
} = {}): Promise<boolean> {
  const stamp = join(outDir, BUILT_FROM);
  const hash = hashOf(sources.flatMap((source) => filesOf(resolve(REPOSITORY, source), outDir)));
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return false;
  // A build that is broken off leaves no stamp.
  rmSync(stamp, { force: true });
  await build(outDir);
  writeFileSync(stamp, hash);
  return true;
}

function filesOf(path: string, outDir: string): string[] {
  if (path === outDir || path.endsWith('/node_modules')) return [];
  const entries = statSync(path).isDirectory() ? readdirSync(path).sort() : null;
  return entries ? entries.flatMap((name) => filesOf(join(path, name), outDir)) : [path];
}

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`${relative(REPOSITORY, file)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

/** Writes a text as `.br` and `.gz` too, from which control serves it to browsers that take them. */
function compressBeside(path: string): void {
  if (!/\.(js|css|svg|html)$/.test(path)) return;
  const text = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(text));
  writeFileSync(`${path}.gz`, gzipSync(text));
}

if (import.meta.main ?? process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    if (await buildChangedConsole()) console.log('the console is built: console/dist');
  } catch (error) {
    console.error(`the console could not be built: ${errorText(error)}`);
    process.exitCode = 1;
  }
}
