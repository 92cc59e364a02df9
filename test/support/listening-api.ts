import type { AddressInfo } from 'node:net';
import { type Client, startTestApi, type TestApi } from './control-app.ts';

export interface ListeningApi extends TestApi {
  url: string;
  /** A workspace with a number to call from. */
  newCallingWorkspace(): Promise<Client>;
}

/** The API over its own database, on a socket, for clients that open one. */
export async function startListeningApi(): Promise<ListeningApi> {
  const api = await startTestApi();
  await api.http.listen({ host: '127.0.0.1', port: 0 });
  let workspaces = 0;
  const { port } = api.http.server.address() as AddressInfo;
  return {
    ...api,
    url: `http://127.0.0.1:${port}`,
    async newCallingWorkspace() {
      const workspace = await api.newWorkspace();
      const { workspace_id } = workspace;
      const facts = { agent_id: null, provider: 'twilio', created_at: new Date() };
      await api.sql`insert into numbers ${api.sql({ number: `+91980000${1_000 + workspaces++}`, workspace_id, ...facts })}`;
      return workspace;
    },
  };
}
