import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { COMMANDS, checkedCommand, runCommand } from '../../../control/operator.ts';
import type { Options } from '../../../control/operators/command.ts';
import { givenKey, whoRunsIt } from '../../../control/operators/who-runs-it.ts';
import { afterFile } from '../../support/after-file.ts';
import { startTestApi } from '../../support/control-app.ts';

const OPERATOR = fileURLToPath(new URL('../../../control/operator.ts', import.meta.url));
const DAY_MS = 24 * 3_600_000;
const { sql, databaseUrl, newWorkspace } = await startTestApi();
const home = mkdtempSync(join(tmpdir(), 'antiphon-operator-'));
afterFile(() => rmSync(home, { recursive: true, force: true }));
beforeEach(async () => {
  await sql`delete from operators`;
});

/** Runs a command as the command line does: with this key, so many milliseconds from now. */
async function run(words: string[], options: Options = {}, { key = '', inMs = 0 } = {}) {
  const nowMs = Date.now() + inMs;
  const command = checkedCommand(words, options);
  const who = await whoRunsIt(sql, command, options, { key, nowMs, program: './operator', user: 'root' });
  // biome-ignore lint/suspicious/noExplicitAny: results have the type that the test expects
  const { result } = (await runCommand({ sql, wallMs: nowMs, by: who.by }, words, options)) as any;
  return { ...who, result };
}
const refusal = (...given: Parameters<typeof run>) =>
  run(...given).then(
    () => 'succeeded',
    (error: Error) => error.message,
  );
const keyOf = async (name: string, options: Options = {}, by = {}): Promise<string> =>
  (await run(['people', 'add', name], options, by)).result.key;
const LIST = ['workspace', 'list'];

describe('before anybody has a key', () => {
  it('commands run under the name of the user of the machine, and say so', async () => {
    const { by, notice } = await run(LIST);
    expect(by).toEqual({ kind: 'service', id: 'operator', name: 'operator (root)' });
    expect(notice).toContain('nobody has a key yet: this runs as "operator (root)"');
  });

  it('the first person may change things', async () => {
    expect(await refusal(['people', 'add', 'Asha'], { role: 'read' })).toContain(
      'the first person has the role change',
    );
    expect(await keyOf('Asha')).toMatch(/^svcp_[\w-]{43}$/);
  });
});

describe('once somebody has a key', () => {
  it('a command without one is refused, and says where keys are looked for', async () => {
    await keyOf('Asha');
    expect(await refusal(LIST)).toContain('your key is missing: set OPERATOR_KEY');
    expect(await refusal(['people', 'add', 'Ravi'], { first: true })).toContain('--first is for when no key');
    expect(await refusal(LIST, {}, { key: `svcp_${'a'.repeat(43)}` })).toContain('this key is not known here');
    expect(await refusal(LIST, {}, { key: "' or 1=1" })).toContain('this key is not known here');
  });

  it('what they do names them, in the trail of the workspace and of the service', async () => {
    const key = await keyOf('Asha');
    const { workspace_id } = await newWorkspace();
    await run(['workspace', 'suspend', workspace_id, 'too many complaints'], {}, { key });
    await run(['app', 'create', 'App', 'https://app.example.com/callback'], {}, { key });
    const [person] = await sql<{ id: string; last_used_at: Date }[]>`select id, last_used_at from operators`;
    const trail = await sql`
      select actor_kind, actor_id, actor_name from audit_events
      where workspace_id = ${workspace_id} and action = 'workspace.suspended'`;
    expect([...trail]).toEqual([{ actor_kind: 'service', actor_id: person!.id, actor_name: 'Asha' }]);
    const events = await sql`
      select actor_id, actor_name from service_events where action = 'app.created' order by id desc limit 1`;
    expect([...events]).toEqual([{ actor_id: person!.id, actor_name: 'Asha' }]);
    expect(person!.last_used_at).toBeInstanceOf(Date);
  });

  it('the role read shows lists and states only', async () => {
    const key = await keyOf('Asha');
    const reader = await keyOf('Ravi', { role: 'read' }, { key });
    expect((await run(LIST, {}, { key: reader })).by.name).toBe('Ravi');
    for (const words of [
      ['workspace', 'create', 'Mine'],
      ['people', 'add', 'Me'],
      ['kyc', 'show', 'x'],
    ]) {
      expect(await refusal(words, {}, { key: reader })).toContain("needs a key of role change; Ravi's only shows");
    }
    const open = COMMANDS.filter(({ reads }) => reads).map(({ name }) => name);
    expect(open.filter((name) => !/ (list|audit|status)$/.test(name))).toEqual([]);
  });

  it('a key ends, is renewed and is revoked', async () => {
    const key = await keyOf('Asha', { days: '30' });
    expect(await refusal(LIST, {}, { key, inMs: 29 * DAY_MS })).toBe('succeeded');
    expect(await refusal(LIST, {}, { key, inMs: 30 * DAY_MS })).toContain("Asha's key is over");
    const renewed = (await run(['people', 'renew', 'asha'], {}, { key })).result.key as string;
    expect(await refusal(LIST, {}, { key })).toContain('this key is not known here');
    await run(['people', 'revoke', 'Asha'], {}, { key: renewed });
    expect(await refusal(LIST, {}, { key: renewed })).toBe("Asha's key was revoked");
  });

  it('names are of one person each, until a key is revoked', async () => {
    const key = await keyOf('Asha');
    expect(await refusal(['people', 'add', 'ASHA'], {}, { key })).toContain('there is somebody called ASHA');
    expect(await refusal(['people', 'revoke', 'Nobody'], {}, { key })).toContain('nobody is called Nobody');
    expect(await refusal(['people', 'add', 'Ravi'], { days: '367' }, { key })).toBe('--days is 1 to 366');
    await run(['people', 'add', 'Ravi'], {}, { key });
    await run(['people', 'revoke', 'Asha'], {}, { key });
    expect(await sql`select name from operators where revoked_at is null`).toEqual([{ name: 'Ravi' }]);
  });

  it('a machine on which no key works any more is opened with --first', async () => {
    const key = await keyOf('Asha');
    await keyOf('Ravi', { role: 'read' }, { key });
    await run(['people', 'revoke', 'Asha'], {}, { key });
    expect(await refusal(['people', 'add', 'Meera'])).toContain('your key is missing');
    const { by, result } = await run(['people', 'add', 'Meera'], { first: true });
    expect(by.name).toBe('operator (root)');
    expect(await refusal(LIST, {}, { key: result.key })).toBe('succeeded');
  });
});

describe('the command line', () => {
  const file = join(home, '.config/antiphon/operator-key');
  function store(key: string, mode: number) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${key}\n`);
    chmodSync(file, mode);
  }

  async function operator(args: string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', OPERATOR, ...args], {
      env: { PATH: process.env.PATH, HOME: home, DATABASE_URL: databaseUrl, ...env },
      timeout: 60_000,
    });
    const said = { out: '', err: '' };
    child.stdout.on('data', (part) => (said.out += part));
    child.stderr.on('data', (part) => (said.err += part));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, ...said };
  }

  it('takes the key from the environment or from a file that others may not read', () => {
    expect(givenKey({}, home)).toBe('');
    store('svcp_file', 0o644);
    expect(() => givenKey({}, home)).toThrow(`others may read ${file}: chmod 600 it`);
    expect(givenKey({ OPERATOR_KEY: 'svcp_env' }, home)).toBe('svcp_env');
    store('svcp_file', 0o600);
    expect(givenKey({}, home)).toBe('svcp_file');
    rmSync(file);
  });

  it('asks for it, but not in a deployment', async () => {
    const unnamed = await operator(['workspace', 'list', '--json']);
    expect([unnamed.code, JSON.parse(unnamed.out)]).toEqual([0, expect.any(Array)]);
    expect(unnamed.err).toContain('nobody has a key yet');
    const OPERATOR_KEY = await keyOf('Asha');
    expect(await operator(['workspace', 'list'])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('your key is missing'),
    });
    expect(await operator(['workspace', 'list'], { OPERATOR_KEY })).toMatchObject({ code: 0, err: '' });
    expect(await operator(['migrate'])).toMatchObject({ code: 0, out: 'nothing to apply\n' });
  });
});
