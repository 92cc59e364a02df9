import { builtConsole } from './built-console.ts';
import { startTestApi, type TestApi } from './control-app.ts';

export const MEDIA_URL = 'ws://127.0.0.1:1';
const PASSWORD = 'a password of ten';

export interface NewUser {
  email: string;
  password: string;
  workspace_id: string;
  /** Of the session that signing up has begun. */
  token: string;
}

export interface ConsoleFixture {
  api: TestApi;
  /** `http://localhost:<port>`, from which browsers accept a Secure cookie. */
  url: string;
  /** Creates a user with a password and an active workspace. */
  newUser(): Promise<NewUser>;
  newAgent(workspaceId: string, config: object): Promise<string>;
}

/** Serves the real page over the real API, without an engine. */
export async function startConsole({
  port: wantedPort = 0,
  settings = {},
}: {
  port?: number;
  settings?: Record<string, string>;
} = {}): Promise<ConsoleFixture> {
  const api = await startTestApi({}, { CONSOLE_DIR: await builtConsole(), PUBLIC_MEDIA_URL: MEDIA_URL, ...settings });
  await api.http.listen({ host: '127.0.0.1', port: wantedPort });
  const { port } = api.http.server.address() as { port: number };
  let users = 0;
  return {
    api,
    url: `http://localhost:${port}`,
    async newUser() {
      users += 1;
      const email = `asha@clinic${users}.example.com`;
      const response = await api.http.inject({
        method: 'POST',
        url: '/api/v1/auth/signup',
        // Each from another address, because sign-ups are limited per address.
        remoteAddress: `10.0.0.${users}`,
        payload: { name: 'Asha', email, password: PASSWORD, workspace_name: 'Acme Clinics' },
      });
      if (response.statusCode !== 201) throw new Error(`signing up responded ${response.statusCode}: ${response.body}`);
      const { user, token } = response.json();
      const [row] = await api.sql<{ workspace_id: string }[]>`
        select workspace_id from memberships where user_id = ${user.id}`;
      const { workspace_id } = row!;
      await api.sql`update users set email_verified_at = now() where id = ${user.id}`;
      await api.sql`update workspaces set state = 'active' where id = ${workspace_id}`;
      return { email, password: PASSWORD, workspace_id, token };
    },
    async newAgent(workspaceId, config) {
      const owner = await api.asUser('owner', workspaceId);
      const { status, body } = await owner.send('POST', '/agents', {
        welcome_message: 'Hello.',
        system_prompt: 'Be brief.',
        ...config,
      });
      if (status !== 201) throw new Error(`making an agent responded ${status}: ${JSON.stringify(body)}`);
      return body.id;
    },
  };
}
