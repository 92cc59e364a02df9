import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signatureHeader } from '../../control/webhooks/webhook-secrets.ts';

/** The functions of docs/webhooks.md accept what the service signs, and nothing else. */

const run = promisify(execFile);
const SECRET = 'whsec_5f2b1c';
const AT_MS = Date.UTC(2026, 10, 23, 9);
const BODY = '{"type":"call.completed","text":"नमस्ते"}';

/** Secret, header, body, seconds since the signature, genuine. */
const CASES: [title: string, secret: string, header: string, body: string, ageSeconds: number, genuine: boolean][] = [
  ['a delivery', SECRET, signatureHeader(SECRET, BODY, AT_MS), BODY, 2, true],
  ['a delivery of five minutes ago', SECRET, signatureHeader(SECRET, BODY, AT_MS), BODY, 301, false],
  ['another body', SECRET, signatureHeader(SECRET, BODY, AT_MS), `${BODY} `, 2, false],
  ['another secret', 'whsec_other', signatureHeader(SECRET, BODY, AT_MS), BODY, 2, false],
  ['no signature', SECRET, `t=${AT_MS / 1000}`, BODY, 2, false],
  ['garbage', SECRET, 'garbage', BODY, 2, false],
];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webhook-docs-'));
  const page = await readFile(fileURLToPath(new URL('../../docs/webhooks.md', import.meta.url)), 'utf8');
  const code = (language: string) => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)![1]!;
  await writeFile(join(folder, 'webhook.mjs'), code('js'));
  await writeFile(
    join(folder, 'webhook.py'),
    `${code('python')}\nimport sys\nsecret, header, body, now = sys.argv[1:]\nprint(is_genuine(secret, header, body.encode(), int(now)))\n`,
  );
});
afterAll(() => rm(folder, { recursive: true }));

describe.each(CASES)('%s', (_, secret, header, body, ageSeconds, genuine) => {
  const now = AT_MS / 1000 + ageSeconds;

  it('in JavaScript', async () => {
    const { isGenuine } = await import(/* @vite-ignore */ pathToFileURL(join(folder, 'webhook.mjs')).href);
    expect(isGenuine(secret, header, body, now)).toBe(genuine);
  });

  it('in Python', async () => {
    const { stdout } = await run('python3', [join(folder, 'webhook.py'), secret, header, body, String(now)]);
    expect(stdout.trim()).toBe(genuine ? 'True' : 'False');
  });
});
