import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { buildChangedConsole } from '../../dev/build-console.ts';

let sources: string;
let outDir: string;

beforeEach(() => {
  sources = mkdtempSync(join(tmpdir(), 'antiphon-sources-'));
  outDir = mkdtempSync(join(tmpdir(), 'antiphon-built-'));
  writeFileSync(join(sources, 'page.ts'), 'first');
});
afterEach(() => {
  for (const folder of [sources, outDir]) rmSync(folder, { recursive: true });
});

describe('the console', () => {
  it('is built again only after a source has changed', async () => {
    const build = vi.fn(async () => {});
    expect(await buildChangedConsole({ outDir, sources: [sources], build })).toBe(true);
    expect(await buildChangedConsole({ outDir, sources: [sources], build })).toBe(false);
    writeFileSync(join(sources, 'page.ts'), 'second');
    expect(await buildChangedConsole({ outDir, sources: [sources], build })).toBe(true);
    expect(build).toHaveBeenCalledTimes(2);
  });

  it('is built again after a build that failed', async () => {
    const build = vi.fn(async () => {});
    await buildChangedConsole({ outDir, sources: [sources], build });
    writeFileSync(join(sources, 'page.ts'), 'second');
    const failing = async () => Promise.reject(new Error('no'));
    await expect(buildChangedConsole({ outDir, sources: [sources], build: failing })).rejects.toThrow();
    writeFileSync(join(sources, 'page.ts'), 'first');
    expect(await buildChangedConsole({ outDir, sources: [sources], build })).toBe(true);
  });
});
