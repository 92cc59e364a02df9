import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSecretKeys } from '../control/db/secret-keys.ts';
import { runCommandLine } from '../control/operator.ts';
import type { StackState } from './data-folder.ts';

/** `./operator`: the operator's command line on the service of `make up`. Exit code 1 when it does not run. */

const home = process.env.ANTIPHON_HOME || fileURLToPath(new URL('../.antiphon', import.meta.url));

process.exitCode = await runCommandLine('./operator', process.argv.slice(2), () => {
  const file = join(home, 'state.json');
  if (existsSync(file)) {
    const { database_url, carriers }: StackState = JSON.parse(readFileSync(file, 'utf8'));
    const stored = (name: string) =>
      existsSync(join(home, name)) ? readFileSync(join(home, name), 'utf8').trim() : '';
    const {
      SECRETS_KEY = stored('secrets-key'),
      MEDIA_TOKEN_SECRET = stored('media-token-secret'),
      SECRETS_KMS_COMMAND = '',
    } = process.env;
    return {
      databaseUrl: database_url,
      hasAccount: (carrier) => carriers.includes(carrier),
      secretKeys: () => openSecretKeys({ SECRETS_KEY, SECRETS_KMS_COMMAND, MEDIA_TOKEN_SECRET }),
    };
  }
  throw new Error(`no service runs in ${home}: start it with \`make up\`, or set ANTIPHON_HOME to its folder`);
});
