import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { SCOPES } from '../http/scopes.ts';
import { time } from '../http/times.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { redirectUriError } from './oauth.ts';
import { type AppWithSecret, createRegisteredApps } from './registered-apps.ts';
import type { RegisteredApp } from './registered-apps-store.ts';

/** For the console, so they are not part of the public API: signed-in owners and admins only. */
const MANAGERS = { tag: 'OAuth', credential: 'session', permission: 'members.manage', hidden: true } as const;
const PATH = '/api/oauth-apps';

const name = z.string().trim().min(1).max(80).describe('shown to people who connect the app');
const redirectUri = z
  .string()
  .max(500)
  .superRefine((uri, context) => {
    const refusal = redirectUriError(uri);
    if (refusal !== null) context.addIssue({ code: 'custom', message: refusal, input: uri });
  });
const redirectUris = z
  .array(redirectUri)
  .min(1)
  .max(10)
  .transform((uris) => [...new Set(uris)])
  .describe('where people are sent back to');

const appBody = z.object({
  name,
  redirect_uris: redirectUris,
  confidential: z.boolean().default(true).describe('it can keep a secret; a phone or a page cannot'),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1)
    .max(SCOPES.length)
    .optional()
    .describe('what it may do; left out: all that keys may'),
});

const appRecord = z.object({
  client_id: z.string(),
  name: z.string(),
  redirect_uris: z.array(z.string()),
  confidential: z.boolean(),
  scopes: z.array(z.enum(SCOPES)).nullable(),
  connections: z.int().describe('of people, in any workspace'),
  created_by: z.string(),
  created_at: time(),
});
const appWithSecret = appRecord.extend({ client_secret: z.string().nullable().describe('shown this once') });

const params = z.object({ client_id: pathId('app') });
const shown = <App extends RegisteredApp>({ id, ...app }: App) => ({ ...app, client_id: id });

/** OAuth apps of the workspace. Who connects one consents on a page that names the workspace and the scopes. */
export function registeredAppRoutes(app: FastifyInstance, deps: AccountsDeps): void {
  const apps = createRegisteredApps(deps);

  route(app, {
    ...MANAGERS,
    method: 'GET',
    path: PATH,
    summary: 'Apps that the workspace registered, newest first',
    schema: { response: z.array(appRecord) },
    success: 200,
    handler: async (_input, { workspace_id }) => (await apps.list(workspace_id)).map(shown),
  });

  route(app, {
    ...MANAGERS,
    method: 'POST',
    path: PATH,
    summary: 'Register an app; its secret is shown this once',
    confirmed: true,
    schema: { body: appBody, response: appWithSecret },
    success: 201,
    errors: [409],
    handler: async ({ body: { scopes, ...body } }, { workspace_id, actor }) =>
      shown<AppWithSecret>(
        await apps.register({ workspace_id, actor }, { ...body, scopes: scopes ? [...new Set(scopes)] : null }),
      ),
  });

  route(app, {
    ...MANAGERS,
    method: 'PATCH',
    path: `${PATH}/{client_id}`,
    // People have consented to the scopes, so those stay.
    summary: 'Rename an app, or change where people are sent back to',
    confirmed: true,
    schema: {
      params,
      body: z.object({ name: name.optional(), redirect_uris: redirectUris.optional() }),
      response: appRecord,
    },
    success: 200,
    errors: [404],
    handler: async ({ params, body }, { workspace_id, actor }) =>
      shown(await apps.change({ workspace_id, actor }, params.client_id, body)),
  });

  route(app, {
    ...MANAGERS,
    method: 'POST',
    path: `${PATH}/{client_id}/rotate-secret`,
    summary: 'Replace the secret of an app, shown this once; the present one stops working at once',
    confirmed: true,
    schema: { params, response: appWithSecret },
    success: 200,
    errors: [404, 409],
    handler: async ({ params }, { workspace_id, actor }) =>
      shown<AppWithSecret>(await apps.rotateSecret({ workspace_id, actor }, params.client_id)),
  });

  route(app, {
    ...MANAGERS,
    method: 'DELETE',
    path: `${PATH}/{client_id}`,
    summary: 'Delete an app; its connections, and the keys and webhook endpoints that it made, end at once',
    schema: { params },
    success: 204,
    errors: [404],
    handler: async ({ params }, { workspace_id, actor }) => apps.remove({ workspace_id, actor }, params.client_id),
  });
}
