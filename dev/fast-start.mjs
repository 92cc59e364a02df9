import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Preloaded into the test processes and the programs that they start, by `make up` and `make demo`, and in the images. At every start of a
 * program Node strips the types of six hundred files, a third of its CPU; here each version of a file is stripped once, by the same function,
 * and kept in `.cache`. Our files import packages as `bundle-packages.ts` has bundled them, where it has: a quarter of the rest. It is
 * JavaScript, so that itself needs no stripping.
 */

const ROOT = new URL('../', import.meta.url).href;
const CACHE = fileURLToPath(new URL('../.cache/stripped/', import.meta.url));
const RELATIVE_FILE = /^\.\.?\/.*\.ts$/;
const BUNDLED = new URL('../node_modules/.bundled/', import.meta.url);
const bundled = bundledPackages();

try {
  mkdirSync(CACHE, { recursive: true });
} catch {
  // Where nothing may be written, types are stripped at each start.
}

registerHooks({
  resolve(specifier, context, next) {
    if (!isOwn(context.parentURL)) return next(specifier, context);
    const file = bundled.get(specifier);
    if (file) return { url: file, format: 'module', shortCircuit: true };
    if (!RELATIVE_FILE.test(specifier)) return next(specifier, context);
    // It names its file, so that nothing has to be looked for.
    return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    const [file] = url.split('?');
    if (!file.endsWith('.ts') || !isOwn(file)) return next(url, context);
    return { format: 'module', source: stripped(fileURLToPath(file)), shortCircuit: true };
  },
});

/** Returns the address of each package's file; of none where they were not bundled. */
function bundledPackages() {
  let files = '{}';
  try {
    files = readFileSync(new URL('files.json', BUNDLED), 'utf8');
  } catch {}
  return new Map(Object.entries(JSON.parse(files)).map(([name, file]) => [name, new URL(file, BUNDLED).href]));
}

/** @param {string | undefined} url */
function isOwn(url) {
  return url !== undefined && url.startsWith(ROOT) && !url.includes('/node_modules/');
}

/** @param {string} path */
function stripped(path) {
  const source = readFileSync(path, 'utf8');
  const kept = `${CACHE}${hash('sha1', source)}.js`;
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const code = stripQuietly(source);
    // Two processes may write it at once; in an image nobody may.
    const writing = `${kept}.${process.pid}`;
    try {
      writeFileSync(writing, code);
      renameSync(writing, kept);
    } catch {}
    return code;
  }
}

/**
 * The function warns that it is experimental, on the error output of a program whose output is tested.
 *
 * @param {string} source
 */
function stripQuietly(source) {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
