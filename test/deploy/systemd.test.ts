import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { afterFile } from '../support/after-file.ts';
import { makeFastFolder } from '../support/fast-folder.ts';

/** The units of systemd, as its own checker reads them, and against what the programs do. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const units = readdirSync(join(ROOT, 'deploy/systemd'));
const unitText = (name: string) => text(`deploy/systemd/${name}`);
const valuesOf = (name: string, key: string) =>
  [...unitText(name).matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value!);
const variablesOf = (name: string) =>
  Object.fromEntries(
    valuesOf(name, 'Environment')
      .flatMap((line) => line.split(' '))
      .map((pair) => pair.split('=') as [string, string]),
  );

const noSystemd = spawnSync('systemd-analyze', ['--version']).status !== 0;
/** Of ten: how much of the machine a unit could reach, as `systemd-analyze security` counts. */
const MAX_EXPOSURE = 2;
const OF_NODE = ['NODE_ENV', 'ORT_DISABLE_TELEMETRY'];

/** The unit in a folder of its own, with the Node that is here. */
function installed(name: string): string {
  const folder = makeFastFolder('antiphon-unit-');
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, name), unitText(name).replace('/usr/bin/node', process.execPath));
  return join(folder, name);
}

function analyze(...args: string[]): void {
  const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
  expect([status, stderr], stdout).toEqual([0, '']);
}

describe.each(units)('%s', (name) => {
  it.skipIf(noSystemd)('is a valid unit (skipped without systemd-analyze)', () => {
    analyze('verify', '--man=no', installed(name));
  });

  it.skipIf(noSystemd)('reaches little of the machine (skipped without systemd-analyze)', () => {
    analyze('security', '--offline=true', '--no-pager', `--threshold=${MAX_EXPOSURE * 10}`, installed(name));
  });

  it('runs a program that exists, with settings that exist, as a user of its own', () => {
    const [, program] = /^\/usr\/bin\/node \S+ (\S+\.ts)/.exec(valuesOf(name, 'ExecStart')[0]!)!;
    expect(existsSync(join(ROOT, program!))).toBe(true);
    const settings = Object.keys(variablesOf(name)).filter((each) => !OF_NODE.includes(each));
    for (const setting of settings) expect(text('docs/settings.md')).toContain(`\`${setting}\``);
    expect(valuesOf(name, 'User')).toEqual(['antiphon']);
  });

  it('writes to folders of its state only', () => {
    const folders = valuesOf(name, 'StateDirectory').flatMap((line) => line.split(' '));
    const written = Object.entries(variablesOf(name)).filter(([setting]) => setting.endsWith('_DIR'));
    for (const [, folder] of written) expect(folders).toContain(folder.replace('/var/lib/', ''));
    expect(valuesOf(name, 'ProtectSystem')).toEqual(['strict']);
  });
});

const secondsIn = (path: string, name: string) =>
  Number(new RegExp(`${name} = [^;]*?([\\d_]+);`).exec(text(path))![1]!.replaceAll('_', '')) / 1_000;

it('media is given the time that its calls and the rest of its shutdown may take', () => {
  const drain = Number(variablesOf('antiphon-media.service').DRAIN_SECONDS);
  const timeout = Number(valuesOf('antiphon-media.service', 'TimeoutStopSec')[0]);
  expect(timeout).toBeGreaterThanOrEqual(drain + secondsIn('media/supervisor.ts', 'EXIT_DEADLINE_MS') + 5);
});

it('control is given the time that it takes to stop', () => {
  const timeout = Number(valuesOf('antiphon-control.service', 'TimeoutStopSec')[0]);
  expect(timeout).toBeGreaterThanOrEqual(secondsIn('control/main.ts', 'STOP_TIMEOUT_MS') + 5);
});

it('control is not started again on a schema that it does not run on', () => {
  const [, code] = /SCHEMA_EXIT_CODE = (\d+);/.exec(text('control/main.ts'))!;
  expect(valuesOf('antiphon-control.service', 'RestartPreventExitStatus')).toEqual([code]);
});
