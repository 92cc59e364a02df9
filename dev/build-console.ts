import { fileURLToPath } from 'node:url';
import { build, type InlineConfig } from 'vite';
import { errorText } from '../shared/log.ts';

/**
 * Builds the web page into `console/dist`: `index.html` with its files under `assets/`, and `embed.js`, one script for the
 * pages of others. Control serves them; `make console`.
 */

const ROOT = fileURLToPath(new URL('../console', import.meta.url));

const common: InlineConfig = {
  root: ROOT,
  configFile: false,
  publicDir: false,
  logLevel: 'warn',
  // A development server would look for settings of the machine; a build that depends on them is another one everywhere.
  envDir: false,
};

export async function buildConsole(outDir = `${ROOT}/dist`): Promise<void> {
  await build({
    ...common,
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // Everything is a file: the page's policy allows no script or picture within it.
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
