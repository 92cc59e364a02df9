import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommand } from '../../../control/operator.ts';
import type { OperatorDeps } from '../../../control/operators/command.ts';
import { afterFile } from '../../support/after-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'antiphon-keys-'));
afterFile(() => rmSync(folder, { recursive: true, force: true }));
const write = (...names: string[]) => runCommand({} as OperatorDeps, ['bus', 'keys', folder, ...names]);
const read = (name: string) => readFileSync(join(folder, name), 'utf8');

test('bus keys writes a key for each program, keeps those that are there, and shows none in the configuration', async () => {
  await write('engine-1');
  const [key, control] = [read('engines/engine-1.nk'), read('control/control.nk')];
  expect(statSync(join(folder, 'engines/engine-1.nk')).mode & 0o777).toBe(0o600);
  const { lines } = await write('engine-1', 'engine-2');
  expect([read('engines/engine-1.nk'), read('control/control.nk')]).toEqual([key, control]);
  expect(read('engines/engine-2.nk')).not.toBe(key);
  expect(read('server/nats.conf')).not.toContain(key.trim());
  expect(lines).toContain(`NATS_NAME=engine-2 NATS_CREDENTIALS=${folder}/engines/engine-2.nk`);
  await expect(write('control')).rejects.toThrow('not a name');
  await expect(write('a.b')).rejects.toThrow('not a name');
});
