import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { buildConsole } from '../../dev/build-console.ts';
import { startTestApi, type TestApi } from './control-app.ts';

export const MEDIA_URL = 'ws://127.0.0.1:1';
const PASSWORD = 'a password of ten';

export interface ConsoleFixture {
  api: TestApi;
  /** `http://localhost:<port>`: browsers take a Secure cookie from there. */
  url: string;
  /** A user with a password and an active workspace of their own. */
  newUser(): Promise<{ email: string; password: string; workspace_id: string }>;
  newAgent(workspaceId: string, config: object): Promise<string>;
}

/** The real page over the real API; only the engine is missing. */
export async function startConsole(): Promise<ConsoleFixture> {
  const dir = mkdtempSync(join(tmpdir(), 'antiphon-console-'));
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  await buildConsole(dir);
  const api = await startTestApi({}, { CONSOLE_DIR: dir, PUBLIC_MEDIA_URL: MEDIA_URL });
  await api.http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = api.http.server.address() as { port: number };
  let users = 0;
  return {
    api,
    url: `http://localhost:${port}`,
    async newUser() {
      users += 1;
      const email = `asha${users}@example.com`;
      const answer = await api.http.inject({
        method: 'POST',
        url: '/api/v1/auth/signup',
        // Every one from elsewhere: one address signs up a few only.
        remoteAddress: `10.0.0.${users}`,
        payload: { name: 'Asha', email, password: PASSWORD, workspace_name: 'Acme Clinics' },
      });
      if (answer.statusCode !== 201) throw new Error(`signing up answered ${answer.statusCode}: ${answer.body}`);
      const { user } = answer.json();
      const [row] = await api.sql<{ workspace_id: string }[]>`
        select workspace_id from memberships where user_id = ${user.id}`;
      const { workspace_id } = row!;
      await api.sql`update workspaces set state = 'active' where id = ${workspace_id}`;
      return { email, password: PASSWORD, workspace_id };
    },
    async newAgent(workspaceId, config) {
      const owner = await api.asUser('owner', workspaceId);
      const { status, body } = await owner.send('POST', '/agents', {
        welcome_message: 'Hello.',
        system_prompt: 'Be brief.',
        ...config,
      });
      if (status !== 201) throw new Error(`making an agent answered ${status}: ${JSON.stringify(body)}`);
      return body.id;
    },
  };
}
