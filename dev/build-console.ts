import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build, type InlineConfig } from 'vite';
import { errorText } from '../shared/log.ts';

/**
 * Builds the web page into `console/dist`: `index.html` with its files under `assets/`, and `embed.js`, one script for other
 * websites. Control serves them. Run by `make console`.
 */

const ROOT = fileURLToPath(new URL('../console', import.meta.url));

const common: InlineConfig = {
  root: ROOT,
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  // The build must not depend on .env files of the machine.
  envDir: false,
};

export async function buildConsole(outDir = `${ROOT}/dist`): Promise<void> {
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

/** Writes a text as `.br` and `.gz` too, from which control serves it to browsers that take them. */
function compressBeside(path: string): void {
  if (!/\.(js|css|svg|html)$/.test(path)) return;
  const text = readFileSync(path);
  writeFileSync(`${path}.br`, brotliCompressSync(text));
  writeFileSync(`${path}.gz`, gzipSync(text));
}

if (import.meta.main ?? process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    await buildConsole();
    console.log('the console is built: console/dist');
  } catch (error) {
    console.error(`the console could not be built: ${errorText(error)}`);
    process.exitCode = 1;
  }
}
