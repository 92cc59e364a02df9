import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildBrowserCalls, buildProgress, progressText } from '../../dev/build-browser-calls.ts';

const folder = mkdtempSync(join(tmpdir(), 'antiphon-build-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function script(text: string): string {
  const file = join(folder, `${Math.random()}.sh`);
  writeFileSync(file, `#!/bin/sh\n${text}\n`, { mode: 0o700 });
  return file;
}

describe('the progress of the build', () => {
  it('is read from the lines of ninja', () => {
    expect(buildProgress('[12/261] c++ src/Worker.cpp', 5)).toEqual({ step: 12, steps: 261, atMs: 5 });
    expect(buildProgress('ninja: Entering directory', 5)).toBeNull();
  });

  it('has an estimate of the rest as soon as there is a rate', () => {
    const first = { step: 1, steps: 261, atMs: 0 };
    expect(progressText(first, { step: 6, steps: 261, atMs: 20_000 })).toBe('building [6/261]');
    expect(progressText(first, { step: 61, steps: 261, atMs: 60_000 })).toBe(
      'building [61/261], about 3 min more at the rate so far',
    );
    expect(progressText(first, { step: 241, steps: 261, atMs: 240_000 })).toBe(
      'building [241/261], about 20 s more at the rate so far',
    );
  });
});

describe('the build in the background', () => {
  it('reports its stages and that browser calls are ready', async () => {
    const said: string[] = [];
    const build = buildBrowserCalls(
      (line) => said.push(line),
      script('echo "Building the worker ..."; echo "[1/2] a"; echo "[2/2] b"; echo "Browser calls are ready."'),
    );
    expect(await build.done).toBe(true);
    expect(said).toEqual([
      'browser calls: Building the worker ...',
      'browser calls: building [1/2]',
      'browser calls: ready, press the call button',
    ]);
  });

  it('reports the whole reason why they are not available, and what to do', async () => {
    const said: string[] = [];
    const build = buildBrowserCalls(
      (line) => said.push(line),
      script('echo "please install, as root: apt-get install meson" >&2; exit 1'),
    );
    expect(await build.done).toBe(false);
    expect(said.join('\n')).toContain('apt-get install meson');
    expect(said.join('\n')).toContain('run dev/browser-calls.sh');
  });

  it('ends with everything it started', async () => {
    const said: string[] = [];
    const build = buildBrowserCalls((line) => said.push(line), script('sleep 600 & wait'));
    build.stop();
    expect(await build.done).toBe(false);
    expect(said).toEqual([]);
  });
});
