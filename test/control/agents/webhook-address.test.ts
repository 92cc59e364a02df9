import { afterAll, beforeAll, expect, it } from 'vitest';
import { agentRoutes } from '../../../control/agents/routes.ts';
import { availableProviders } from '../../../control/catalog/available-providers.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { createWorkspace } from '../../../control/operators/workspaces.ts';
import { createUrlCheck } from '../../../control/webhooks/check-url.ts';
import { createKeyFinder } from '../../../control/workspaces/keys.ts';
import { systemClock as clock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { request } from '../../support/control-app.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { toolHeaders } from '../../support/tool-headers.ts';

/** The address of an agent is held to what those of endpoints are held to: also where its name leads. */

const log = createLogger('test', 'silent');
const LEADS: Record<string, string> = { 'inside.example.com': '10.0.0.5', 'meta.example.com': '169.254.169.254' };
let http: Awaited<ReturnType<typeof createHttpApp>>;
let key: string;

beforeAll(async () => {
  const { sql } = await createTestDatabase();
  const made = await createWorkspace({ sql, wallMs: clock.wall() }, 'Acme');
  key = made.api_key;
  http = await createHttpApp({ log, findPrincipal: createKeyFinder({ sql, clock, log }) });
  const resolve = async (host: string) => [{ address: LEADS[host] ?? '203.0.114.9', family: 4 }];
  agentRoutes(http, {
    ...{ sql, reportsSql: sql, clock, toolHeaders, promptGenerator: null, consoleUrl: 'https://console.example.com' },
    onAgentDeleted: async () => {},
    checkUrl: createUrlCheck({ clock, resolve }),
    checkToolUrl: createUrlCheck({ clock, resolve }),
    available: availableProviders({}),
    checkProviders: async (_, config) => ({ config, warnings: [] }),
  });
});
afterAll(() => http.close());

const send = (method: 'POST' | 'PUT', url: string, payload: object) =>
  request(http, { method, url: `/api/v1${url}`, headers: { 'x-api-key': key }, payload });

it('is refused when it is saved and its name leads inside', async () => {
  const { body: agent } = await send('POST', '/agents', { name: 'Asha', webhook_url: 'https://hooks.example.com/a' });
  expect(agent).toMatchObject({ version: 1, webhook_url: 'https://hooks.example.com/a' });
  for (const host of Object.keys(LEADS)) {
    const webhook_url = `https://${host}/hook`;
    const refused = {
      status: 422,
      body: {
        detail: [
          {
            type: 'value_error',
            loc: ['body', 'webhook_url'],
            msg: 'the url must be https on the public internet',
            input: webhook_url,
          },
        ],
      },
    };
    expect(await send('POST', '/agents', { name: 'Asha', webhook_url })).toMatchObject(refused);
    expect(await send('PUT', `/agents/${agent.id}`, { name: 'Asha', webhook_url })).toMatchObject(refused);
  }
  const saved = await send('PUT', `/agents/${agent.id}`, { name: 'Asha', webhook_url: '' });
  expect(saved).toMatchObject({ status: 200, body: { version: 2, webhook_url: '' } });
});
