import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

/**
 * Preloaded into the test processes and the programs that they start, and by `make up` and `make demo`. At every start of a program
 * Node strips the types of six hundred files, a third of its CPU; here each version of a file is stripped once, by the same function, and kept in `.cache`.
 * It is JavaScript, so that itself needs no stripping.
 */

const ROOT = new URL('../', import.meta.url).href;
const CACHE = fileURLToPath(new URL('../.cache/stripped/', import.meta.url));
const RELATIVE_FILE = /^\.\.?\/.*\.ts$/;

mkdirSync(CACHE, { recursive: true });

registerHooks({
  resolve(specifier, context, next) {
    // It names its file, so that nothing has to be looked for.
    if (!RELATIVE_FILE.test(specifier) || !isOwn(context.parentURL)) return next(specifier, context);
    return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true };
  },
  load(url, context, next) {
    const [file] = url.split('?');
    if (!file.endsWith('.ts') || !isOwn(file)) return next(url, context);
    return { format: 'module', source: stripped(fileURLToPath(file)), shortCircuit: true };
  },
});

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
    // Two processes may write it at once.
    const writing = `${kept}.${process.pid}`;
    writeFileSync(writing, code);
    renameSync(writing, kept);
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
