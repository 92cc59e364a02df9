import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { notFound } from '../http/errors.ts';
import { pathId } from '../http/query.ts';
import { type FileReply, file, route } from '../http/route.ts';
import { time } from '../http/times.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import {
  ACCESS_TOKEN_TTL_MS,
  authenticateApp,
  disconnectApp,
  type IssuedTokens,
  redeemCode,
  refresh,
  revoke,
} from './oauth.ts';
import { connectedApps, type OauthApp } from './oauth-store.ts';

const JSON_TEXT = file('application/json; charset=utf-8');
const PUBLIC = { tag: 'OAuth', credential: 'public', permission: null, hidden: true, success: 200 } as const;
const SIGNED_IN = { tag: 'OAuth', credential: 'account', permission: null, hidden: true } as const;

/** Any form; a name sent twice becomes a list. */
const form = z.record(z.string(), z.union([z.string(), z.array(z.string())])).catch({});

const connectedApp = z.object({
  id: z.string(),
  app_id: z.string(),
  name: z.string(),
  workspace_id: z.string(),
  workspace_name: z.string(),
  created_at: time(),
  last_used_at: time().nullable(),
});

/** Endpoints for connected apps, with responses and errors as in RFC 6749, section 5, and the user's list of apps. */
export function oauthRoutes(app: FastifyInstance, deps: AccountsDeps): void {
  const { sql, publicUrl } = deps;
  const issuer = publicUrl.replace(/\/+$/, '');

  route(app, {
    ...PUBLIC,
    method: 'GET',
    path: '/.well-known/oauth-authorization-server',
    summary: 'What this authorization server offers (RFC 8414)',
    schema: { response: JSON_TEXT },
    handler: async () =>
      jsonReply(200, {
        issuer,
        authorization_endpoint: `${issuer}/oauth/authorize`,
        token_endpoint: `${issuer}/oauth/token`,
        revocation_endpoint: `${issuer}/oauth/revoke`,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
        authorization_response_iss_parameter_supported: true,
      }),
  });

  route(app, {
    ...PUBLIC,
    method: 'POST',
    path: '/oauth/token',
    summary: 'A code or a refresh token for new tokens',
    schema: { body: form, response: JSON_TEXT },
    handler: async ({ body }, { request }) => {
      const known = await client(request, body);
      if (!('redirect_uris' in known)) return known;
      const [grant_type, code, redirect_uri, code_verifier, refresh_token] = [
        singleValue(body, 'grant_type'),
        singleValue(body, 'code'),
        singleValue(body, 'redirect_uri'),
        singleValue(body, 'code_verifier'),
        singleValue(body, 'refresh_token'),
      ];
      if (grant_type === 'authorization_code') {
        if (!code || !redirect_uri || !code_verifier) {
          return oauthError(400, 'invalid_request', 'code, redirect_uri and code_verifier are required, each once');
        }
        return tokenReply(await redeemCode(deps, known, { code, redirect_uri, code_verifier }));
      }
      if (grant_type === 'refresh_token') {
        if (!refresh_token) return oauthError(400, 'invalid_request', 'refresh_token is required, once');
        return tokenReply(await refresh(deps, known, refresh_token));
      }
      return grant_type
        ? oauthError(400, 'unsupported_grant_type', 'authorization_code and refresh_token are offered')
        : oauthError(400, 'invalid_request', 'grant_type is required, once');
    },
  });

  route(app, {
    ...PUBLIC,
    method: 'POST',
    path: '/oauth/revoke',
    summary: 'End a token',
    schema: { body: form, response: JSON_TEXT },
    handler: async ({ body }, { request }) => {
      const known = await client(request, body);
      if (!('redirect_uris' in known)) return known;
      const token = singleValue(body, 'token');
      if (!token) return oauthError(400, 'invalid_request', 'token is required, once');
      await revoke(deps, known, token);
      return jsonReply(200, {});
    },
  });

  route(app, {
    ...SIGNED_IN,
    method: 'GET',
    path: '/api/connected-apps',
    summary: 'Apps that act for the signed-in user',
    schema: { response: z.array(connectedApp) },
    success: 200,
    handler: async (_input, { user_id }) => connectedApps(sql, user_id),
  });

  route(app, {
    ...SIGNED_IN,
    method: 'DELETE',
    path: '/api/connected-apps/{connection_id}',
    summary: 'End a connection; its tokens, and the keys and webhook endpoints that it made, stop working at once',
    schema: { params: z.object({ connection_id: pathId('connection') }) },
    success: 204,
    handler: async ({ params }, { user_id, actor }) => {
      const ended = await disconnectApp(deps, actor, { id: params.connection_id, user_id });
      if (!ended) throw notFound('connection');
    },
  });

  async function client(request: FastifyRequest, body: Form): Promise<OauthApp | FileReply> {
    const basic = basicCredentials(request.headers.authorization);
    const id = basic?.id ?? singleValue(body, 'client_id');
    const secret = basic
      ? basic.secret
      : body.client_secret === undefined
        ? null
        : (singleValue(body, 'client_secret') ?? '');
    // Two methods at once are an error (RFC 6749, section 2.3).
    const twice = basic !== null && body.client_secret !== undefined;
    const known = id && !twice && /^[a-f0-9]{32}$/.test(id) ? await authenticateApp(sql, id, secret) : null;
    if (known) return known;
    const headers: Record<string, string> = basic ? { 'WWW-Authenticate': 'Basic' } : {};
    return jsonReply(401, { error: 'invalid_client', error_description: 'unknown app or wrong secret' }, headers);
  }
}

type Form = z.output<typeof form>;

/** Returns a parameter that was sent exactly once. */
const singleValue = (body: Form, name: string): string | undefined => {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  return typeof value === 'string' && value.length <= 2000 ? value : undefined;
};

/** Decodes HTTP Basic credentials, whose parts are form-encoded before they are joined (RFC 6749, section 2.3.1). */
function basicCredentials(header: string | undefined): { id: string; secret: string } | null {
  const sent = /^basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? '')?.[1];
  if (!sent) return null;
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(sent, 'base64').toString()) ?? [];
  try {
    return { id: decodeURIComponent(id ?? ''), secret: decodeURIComponent(secret ?? '') };
  } catch {
    return { id: '', secret: '' };
  }
}

function tokenReply(tokens: IssuedTokens | null): FileReply {
  if (!tokens)
    return oauthError(400, 'invalid_grant', 'the code or token is unknown, too old, used, or not for this app');
  return jsonReply(200, { ...tokens, token_type: 'Bearer', expires_in: ACCESS_TOKEN_TTL_MS / 1000 });
}

const oauthError = (status: number, error: string, error_description: string) =>
  jsonReply(status, { error, error_description });

function jsonReply(status: number, body: object, headers: Record<string, string> = {}): FileReply {
  return { status, body: JSON.stringify(body), headers: { 'Cache-Control': 'no-store', ...headers } };
}
