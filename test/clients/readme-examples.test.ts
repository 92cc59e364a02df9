import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { type ListeningApi, startListeningApi } from '../support/listening-api.ts';

/** The examples of the clients' pages run as they are. */

const CLIENTS = new URL('../../clients/', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'readme-'));

const examplesOf = (page: string, language: string) =>
  [...readFileSync(new URL(page, CLIENTS), 'utf8').matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(
    (match) => match[1]!,
  );

let api: ListeningApi;
let key: string;

beforeAll(async () => {
  api = await startListeningApi();
  ({ key } = await api.newCallingWorkspace());
});

async function run(program: string, words: string[]) {
  const env = {
    ...process.env,
    ANTIPHON_URL: api.url,
    ANTIPHON_API_KEY: key,
    PYTHONPATH: new URL('python', CLIENTS).pathname,
  };
  return (await promisify(execFile)(program, words, { env })).stdout;
}

it('TypeScript', async () => {
  const entry = new URL('typescript/src/antiphon-client.ts', CLIENTS).href;
  const printed: string[] = [];
  for (const [nth, code] of examplesOf('typescript/README.md', 'ts').entries()) {
    const file = join(folder, `${nth}.ts`);
    writeFileSync(file, code.replace("'@antiphon/client'", `'${entry}'`));
    printed.push(await run(process.execPath, ['--disable-warning=ExperimentalWarning', file]));
  }
  expect(printed).toEqual(['queued\n+919811112222\n', '422 body.name 32\n', 'true\n', '']);
});

it('Python', async () => {
  const [code] = examplesOf('python/README.md', 'python');
  expect(await run('python3', ['-B', '-c', code!])).toMatch(/^queued\n(\+9198111\d{5}\n)+$/);
});
