import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Holds the import rules of ARCHITECTURE.md: which module may import which. Change the page and these lists together. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What the folders at the top may import, besides themselves. */
const TOP_RULES: Record<string, readonly string[] | 'everything'> = {
  shared: [],
  media: ['shared'],
  control: ['shared'],
  console: ['shared'],
  clients: [],
  fixtures: ['shared'],
  dev: 'everything',
  bench: 'everything',
  examples: 'everything',
  test: 'everything',
};

/** From the bottom up: an import may point down or sideways, never up. The program's own files, beside `config.ts`, lie above all. */
const MEDIA_LEVELS = [
  ['config.ts'],
  ['audio'],
  ['leg', 'stt', 'tts', 'turn', 'provider', 'report'],
  ['realtime', 'reply', 'playout'],
  ['call'],
  ['test-caller'],
];
const CONTROL_LEVELS = [
  ['config.ts'],
  ['http', 'db'],
  ['audit', 'mail', 'pdf', 'call-totals'],
  ['accounts'],
  ['workspaces'],
  ['alerts'],
  ['webhooks', 'billing', 'carriers', 'catalog', 'recordings'],
  ['analysis', 'payments'],
  ['money-audit'],
  ['tools', 'knowledge'],
  ['guardrails', 'numbers', 'agents', 'kyc', 'caller-id'],
  ['calls'],
  ['dispatch'],
  ['observability', 'batches', 'web-calls', 'agent-tests', 'exports'],
  ['operators'],
];
const MAY_IMPORT_REPORT = ['call', 'report', 'engine.ts', 'engine-metrics.ts', 'engine-process.ts'];

interface SourceFile {
  /** From the root, like `media/leg/protocols/twilio.ts`. */
  path: string;
  /** Files of this repository. */
  imports: string[];
  /** npm packages. */
  packages: string[];
}

const files = Object.keys(TOP_RULES).flatMap((folder) => sourcesBelow(folder).map(readSource));
const paths = new Set(files.map((file) => file.path));
const product = files.filter((file) => ['shared', 'media', 'control'].includes(top(file.path)));

function sourcesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\/node_modules(\/|$)/.test(entry.parentPath))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(ROOT, path), 'utf8').replace(/^\s*(\/\/|\*|\/\*).*$/gm, '');
  const specifiers = [...text.matchAll(/(?:^|\s)(?:import|export)\b[^;'"`]*?from\s*['"]([^'"]+)['"]/g)]
    .concat([...text.matchAll(/(?:^|[^\w.])import\s*\(?\s*['"]([^'"]+)['"]/g)])
    .map((match) => match[1]!);
  const own = specifiers.filter((name) => name.startsWith('.'));
  const foreign = specifiers.filter((name) => !name.startsWith('.') && !name.startsWith('node:'));
  return {
    path,
    imports: own.map((name) => normalize(join(dirname(path), name))),
    packages: foreign.map((name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/')),
  };
}

function top(path: string): string {
  return path.split('/')[0]!;
}

/** The module: program and folder, like `control/calls`. */
function programModule(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

/** The folder below the top, or the file itself when it lies directly there. */
function moduleOf(path: string): string {
  return path.split('/')[1]!;
}

/** Every import `from → to` of the given files that `forbidden` says no to. */
function importsWhere(from: SourceFile[], forbidden: (from: string, to: string) => boolean): string[] {
  return from.flatMap((file) =>
    file.imports.filter((to) => forbidden(file.path, to)).map((to) => `${file.path} → ${to}`),
  );
}

function levelOf(levels: string[][], path: string): number {
  const level = levels.findIndex((names) => names.includes(moduleOf(path)));
  return level < 0 && moduleOf(path).endsWith('.ts') ? levels.length : level;
}

/** The cycles of a graph, each once, as `a → b → a`. */
function cycles(graph: Map<string, Set<string>>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (node: string, trail: string[]) => {
    if (trail.includes(node)) {
      found.push([...trail.slice(trail.indexOf(node)), node].join(' → '));
      return;
    }
    if (done.has(node)) return;
    for (const next of graph.get(node) ?? []) visit(next, [...trail, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return found;
}

describe('imports', () => {
  it('between the folders at the top follow the rules', () => {
    const broken = importsWhere(files, (from, to) => {
      const rules = TOP_RULES[top(from)]!;
      return rules !== 'everything' && top(to) !== top(from) && !rules.includes(top(to));
    });
    expect(broken).toEqual([]);
  });

  it.each([
    ['media', MEDIA_LEVELS],
    ['control', CONTROL_LEVELS],
  ])('inside %s never point upward, and every module has its level', (folder, levels) => {
    const own = files.filter((file) => top(file.path) === folder);
    expect(own.filter((file) => levelOf(levels, file.path) < 0).map((file) => file.path)).toEqual([]);
    const upward = importsWhere(own, (from, to) => top(to) === folder && levelOf(levels, to) > levelOf(levels, from));
    expect(upward).toEqual([]);
  });

  it('between modules of one level go one way only', () => {
    for (const folder of ['media', 'control']) {
      const graph = new Map<string, Set<string>>();
      for (const file of files.filter((each) => top(each.path) === folder)) {
        const targets = graph.get(moduleOf(file.path)) ?? new Set();
        for (const to of file.imports) {
          if (top(to) === folder && moduleOf(to) !== moduleOf(file.path)) targets.add(moduleOf(to));
        }
        graph.set(moduleOf(file.path), targets);
      }
      expect(cycles(graph)).toEqual([]);
    }
  });

  it('of report come only from call, which conducts, and from the process', () => {
    const media = files.filter(
      (file) => top(file.path) === 'media' && !MAY_IMPORT_REPORT.includes(moduleOf(file.path)),
    );
    expect(importsWhere(media, (_, to) => to.startsWith('media/report/'))).toEqual([]);
  });

  it('of routes come only from the wiring, of a store only from its own module', () => {
    const outside = product.concat(files.filter((file) => top(file.path) === 'dev'));
    const isWiring = (from: string, to: string) =>
      from === 'control/app.ts' ||
      (/-module\.ts$|(^|\/)routes\.ts$/.test(from) && programModule(from) === programModule(to));
    const routes = importsWhere(outside, (from, to) => /(^|-)routes\.ts$/.test(basename(to)) && !isWiring(from, to));
    const stores = importsWhere(
      outside,
      (from, to) => basename(to) === 'store.ts' && programModule(from) !== programModule(to),
    );
    expect([...routes, ...stores]).toEqual([]);
  });
});

describe('the files', () => {
  it('import files that exist', () => {
    expect(importsWhere(files, (_, to) => /\.tsx?$/.test(to) && !paths.has(to))).toEqual([]);
  });

  it('import each other without a cycle', () => {
    expect(cycles(new Map(files.map((file) => [file.path, new Set(file.imports)])))).toEqual([]);
  });

  it('have names of the domain', () => {
    const vague = /^(index|utils?|helpers?|types?|common|services?|misc)(\.test)?\.tsx?$/;
    const shape = /^[a-z0-9]+(-[a-z0-9]+)*(\.test)?\.tsx?$/;
    const wrong = files.filter(({ path }) => vague.test(basename(path)) || !shape.test(basename(path)));
    expect(wrong.map((file) => file.path)).toEqual([]);
  });

  it('of the product use only packages that are installed with it', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const foreign = product.flatMap(({ path, packages }) =>
      packages.filter((name) => !Object.hasOwn(dependencies, name)).map((name) => `${path} uses ${name}`),
    );
    expect(foreign).toEqual([]);
  });
});
