import { describe, expect, it } from 'vitest';
import { redirectUriError, registerOauthApp } from '../../../control/accounts/oauth.ts';
import { runCommand } from '../../../control/operator.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const database = await createTestDatabase();

describe('an app is registered', () => {
  it.each([
    ['https://app.example.com/cb', null],
    ['http://localhost:8080/cb', null],
    ['http://[::1]/cb', null],
    ['http://app.example.com/cb', 'begins with https'],
    ['https://app.example.com/cb#part', 'fragment'],
    ['https://me@app.example.com/cb', 'user'],
    ['https://:secret@app.example.com/cb', 'user'],
    ['javascript:alert(1)', 'begins with https'],
    ['nonsense', 'no address'],
  ])('with addresses that can be trusted: %s', (uri, refusal) => {
    if (refusal === null) expect(redirectUriError(uri)).toBeNull();
    else expect(redirectUriError(uri)).toContain(refusal);
  });

  it('with a name and an address', async () => {
    const enter = (name: string, redirect_uris: string[]) =>
      registerOauthApp(database.sql, { name, redirect_uris, confidential: false }, Date.now());
    expect(await enter(' ', ['https://app.example.com/cb'])).toContain('1 to 80');
    expect(await enter('A', [])).toContain('1 to 10');
    expect(await enter('A', ['http://evil.example'])).toContain('https');
  });
});

describe('the operator', () => {
  const deps = { sql: database.sql, wallMs: Date.UTC(2026, 0, 5) };

  it('registers and disables an app, and both are audited', async () => {
    const made = await runCommand(deps, ['app', 'create', 'Sheets', 'https://app.example.com/cb'], { secret: 'yes' });
    const { client_id, client_secret } = made.result as { client_id: string; client_secret: string };
    expect(made.lines.join()).toContain(client_secret);
    await runCommand(deps, ['app', 'disable', client_id]);
    await expect(runCommand(deps, ['app', 'disable', client_id])).rejects.toThrow('not found');
    const events = await database.sql`select action from service_events where target_id = ${client_id} order by id`;
    expect(events.map(({ action }) => action).sort()).toEqual(['app.created', 'app.disabled']);
  });

  it('sees why a redirect URI is rejected', async () => {
    const words = ['app', 'create', 'Sheets', 'http://evil.example'];
    await expect(runCommand(deps, words)).rejects.toThrow('begins with https');
  });
});
