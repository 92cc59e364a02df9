import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { BUNDLED } from '../../dev/bundle-packages.ts';

/** The packages as `make up` and the tests import them, bundled, against the packages themselves. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FAST_START = new URL('../../dev/fast-start.mjs', import.meta.url).href;

async function run(script: string, ...options: string[]): Promise<unknown> {
  const args = ['--disable-warning=ExperimentalWarning', ...options, '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: { NODE_OPTIONS: '' } });
  return JSON.parse(stdout);
}

it('each exports what the package itself does', async () => {
  const script = `
    const exported = {};
    for (const name of ${JSON.stringify(BUNDLED)}) {
      const all = await import(name);
      const typed = (each) => Object.keys(each ?? {}).sort().map((key) => [key, typeof each[key]]);
      exported[name] = { all: typed(all).filter(([key]) => key !== 'module.exports'), byDefault: typed(all.default) };
    }
    console.log(JSON.stringify(exported)); process.exit()`;
  expect(await run(script, `--import=${FAST_START}`)).toEqual(await run(script));
});

/** They read files beside their own, or are native. */
const AS_THEY_ARE = /^(@fastify\/(static|swagger-ui)|@node-rs\/argon2|uWebSockets\.js)$/;

it.each(['control/app.ts', 'media/engine-process.ts'])('%s imports no other packages at its start', async (file) => {
  const script = `
    import { registerHooks } from 'node:module';
    const names = new Set();
    registerHooks({
      resolve(specifier, context, next) {
        if (/^[^.:]+$/.test(specifier) && !context.parentURL.includes('node_modules')) names.add(specifier);
        return next(specifier, context);
      },
    });
    await import('./${file}');
    const { isBuiltin } = await import('node:module');
    console.log(JSON.stringify([...names].filter((name) => !isBuiltin(name)))); process.exit()`;
  const names = (await run(script, `--import=${FAST_START}`)) as string[];
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !AS_THEY_ARE.test(name) && !BUNDLED.some((each) => each === name))).toEqual([]);
});
