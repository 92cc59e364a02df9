import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isInContext, readDockerfile } from '../../dev/dockerfile.ts';

const ROOT = join(import.meta.dirname, '../..');
const text = (name: string) => readFileSync(join(ROOT, name), 'utf8');
const FILES = ['Dockerfile.control', 'Dockerfile.media'];

describe('a Dockerfile', () => {
  it('is stages of steps; lines that a backslash continues are one, without the comments between them', () => {
    const [first, second] = readDockerfile(
      'FROM a AS b\nRUN x \\\n# why\n && y\nFROM b\nCOPY --from=b /x y ./\nCMD ["z"]\n',
    );
    expect(first).toMatchObject({
      from: 'a',
      name: 'b',
      steps: [{ kind: 'RUN', command: expect.stringMatching(/^x +&& y$/) }],
    });
    expect(second).toMatchObject({
      name: '1',
      steps: [
        { kind: 'COPY', from: 'b', sources: ['/x', 'y'], target: './' },
        { kind: 'CMD', command: ['z'] },
      ],
    });
  });

  it.each([
    'ADD a b',
    'RUN --mount=type=cache x',
    'COPY --chown=node a b',
    'COPY a*.json ./',
    'HEALTHCHECK CMD x',
    'CMD x',
    'ENV a b',
  ])('with %s is not passed over in silence', (line) => {
    expect(() => readDockerfile(`FROM a\n${line}`)).toThrow('not known');
  });

  it.each(FILES)('such as %s copies only what .dockerignore lets through', (file) => {
    const copied = readDockerfile(text(file)).flatMap(({ steps }) =>
      steps.flatMap((step) => (step.kind === 'COPY' && step.from === null ? step.sources : [])),
    );
    expect(copied.filter((path) => !isInContext(text('.dockerignore'), path))).toEqual([]);
    expect(copied.length).toBeGreaterThan(4);
  });
});

it('the last line of .dockerignore that names a path, or a folder above it, decides', () => {
  const paths = ['x', 'a', 'a/c', 'a/b', 'a/b/d'];
  expect(paths.filter((path) => isInContext('# a\n*\n!a\na/b\n', path))).toEqual(['a', 'a/c']);
});

describe.each(FILES)('%s', (file) => {
  const last = readDockerfile(text(file)).at(-1)!;
  const of = (kind: string) => last.steps.filter((step) => step.kind === kind);

  it('ends as a user without rights, with a health check, and its program as process 1, which gets SIGTERM', () => {
    expect(of('USER').at(-1)).toMatchObject({ value: 'node' });
    expect(of('HEALTHCHECK')).toHaveLength(1);
    expect(of('CMD')).toMatchObject([{ command: ['node', expect.any(String), expect.stringMatching(/main\.ts$/)] }]);
  });

  it('has no compiler in what is shipped', () => {
    expect(last.from).toMatch(/^node:22-bookworm-slim/);
  });
});

it('the console is built with the configuration that its own extends', () => {
  const { extends: base } = JSON.parse(text('console/tsconfig.json')) as { extends: string };
  const { steps } = readDockerfile(text('Dockerfile.control')).find(({ name }) => name === 'console')!;
  const copied = steps.flatMap((step) => (step.kind === 'COPY' ? step.sources : []));
  expect(copied).toContain(join('console', base));
});
