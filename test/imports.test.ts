import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** Holds the doors of ARCHITECTURE.md: which room may import which. Change the page and these lists together. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What the folders at the top may import, besides themselves. */
const TOP_DOORS: Record<string, readonly string[] | 'everything'> = {
  shared: [],
  media: ['shared'],
  control: ['shared'],
  console: ['shared'],
  fixtures: ['shared'],
  dev: 'everything',
  bench: 'everything',
  test: 'everything',
};

/** From the bottom up: an arrow may point down or sideways, never up. */
const MEDIA_LEVELS = [
  ['config.ts'],
  ['audio'],
  ['leg', 'stt', 'tts', 'turn', 'provider', 'report'],
  ['reply', 'playout'],
  ['call'],
  [
    ...['admission.ts', 'siblings.ts', 'relay.ts', 'used-tokens.ts', 'web-door.ts', 'server.ts', 'engine.ts'],
    ...[
      'carrier-door.ts',
      'doorway.ts',
      'thread-ranks.ts',
      'engine-process.ts',
      'uncaught.ts',
      'supervisor.ts',
      'main.ts',
    ],
  ],
];
const CONTROL_LEVELS = [
  ['config.ts'],
  ['http', 'db'],
  ['audit', 'mail', 'pdf'],
  ['accounts'],
  ['workspaces'],
  ['webhooks', 'billing', 'carriers', 'catalog', 'recordings'],
  ['analysis'],
  ['tools', 'knowledge'],
  ['guardrails', 'numbers', 'agents', 'kyc', 'caller-id'],
  ['calls'],
  ['dispatch'],
  ['observability', 'batches', 'web-calls', 'agent-tests'],
  ['app.ts', 'main.ts', 'operator.ts', 'operators'],
];
const MAY_IMPORT_REPORT = ['call', 'report', 'engine.ts', 'engine-process.ts'];

interface SourceFile {
  /** From the root, like `media/leg/twilio.ts`. */
  path: string;
  /** Files of this repository. */
  imports: string[];
  /** npm packages. */
  packages: string[];
}

const files = Object.keys(TOP_DOORS).flatMap((folder) => sourcesBelow(folder).map(readSource));
const paths = new Set(files.map((file) => file.path));
const product = files.filter((file) => ['shared', 'media', 'control'].includes(top(file.path)));

function sourcesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
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

/** The folder below the top, or the file itself when it lies directly there. */
function moduleOf(path: string): string {
  return path.split('/')[1]!;
}

/** Every arrow `from → to` of the given files that `forbidden` says no to. */
function arrows(from: SourceFile[], forbidden: (from: string, to: string) => boolean): string[] {
  return from.flatMap((file) =>
    file.imports.filter((to) => forbidden(file.path, to)).map((to) => `${file.path} → ${to}`),
  );
}

function levelOf(levels: string[][], path: string): number {
  return levels.findIndex((names) => names.includes(moduleOf(path)));
}

/** The circles of a graph, each once, as `a → b → a`. */
function circles(graph: Map<string, Set<string>>): string[] {
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

describe('the doors', () => {
  it('between the folders at the top are kept', () => {
    const broken = arrows(files, (from, to) => {
      const doors = TOP_DOORS[top(from)]!;
      return doors !== 'everything' && top(to) !== top(from) && !doors.includes(top(to));
    });
    expect(broken).toEqual([]);
  });

  it.each([
    ['media', MEDIA_LEVELS],
    ['control', CONTROL_LEVELS],
  ])('inside %s never point upward, and every room has its place', (folder, levels) => {
    const own = files.filter((file) => top(file.path) === folder);
    expect(own.filter((file) => levelOf(levels, file.path) < 0).map((file) => file.path)).toEqual([]);
    const upward = arrows(own, (from, to) => top(to) === folder && levelOf(levels, to) > levelOf(levels, from));
    expect(upward).toEqual([]);
  });

  it('of the rooms on one level lead one way only', () => {
    for (const folder of ['media', 'control']) {
      const graph = new Map<string, Set<string>>();
      for (const file of files.filter((each) => top(each.path) === folder)) {
        const targets = graph.get(moduleOf(file.path)) ?? new Set();
        for (const to of file.imports) {
          if (top(to) === folder && moduleOf(to) !== moduleOf(file.path)) targets.add(moduleOf(to));
        }
        graph.set(moduleOf(file.path), targets);
      }
      expect(circles(graph)).toEqual([]);
    }
  });

  it('of report open only to call, which conducts, and to the process itself', () => {
    const media = files.filter(
      (file) => top(file.path) === 'media' && !MAY_IMPORT_REPORT.includes(moduleOf(file.path)),
    );
    expect(arrows(media, (_, to) => to.startsWith('media/report/'))).toEqual([]);
  });

  it('of a room of control are not passed by: routes.ts is for app.ts, store.ts for its own room', () => {
    const outside = product.concat(files.filter((file) => top(file.path) === 'dev'));
    const routes = arrows(outside, (from, to) => basename(to) === 'routes.ts' && from !== 'control/app.ts');
    const stores = arrows(outside, (from, to) => basename(to) === 'store.ts' && dirname(from) !== dirname(to));
    expect([...routes, ...stores]).toEqual([]);
  });
});

describe('the files', () => {
  it('import files that exist', () => {
    expect(arrows(files, (_, to) => /\.tsx?$/.test(to) && !paths.has(to))).toEqual([]);
  });

  it('import each other without a circle', () => {
    expect(circles(new Map(files.map((file) => [file.path, new Set(file.imports)])))).toEqual([]);
  });

  it('carry words of the domain as names', () => {
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
