import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { StackState } from './data-folder.ts';

/** `make operator`: runs the operator's command line on the service of `make up`. Exit code 1 when it does not run. */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const home = process.env.ANTIPHON_HOME || join(ROOT, '.antiphon');
const file = join(home, 'state.json');

if (existsSync(file)) {
  const { database_url } = JSON.parse(readFileSync(file, 'utf8')) as StackState;
  const command = join(ROOT, 'control/operator.ts');
  const args = ['--disable-warning=ExperimentalWarning', command, ...process.argv.slice(2)];
  const env = { ...process.env, DATABASE_URL: database_url };
  process.exitCode = spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1;
} else {
  console.error(`no service runs in ${home}: start it with \`make up\`, or set ANTIPHON_HOME to its folder`);
  process.exitCode = 1;
}
