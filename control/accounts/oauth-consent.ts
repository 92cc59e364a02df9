import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { refuseCrossSite } from '../http/cross-site.ts';
import { HttpError } from '../http/errors.ts';
import { type Html, html } from '../http/html.ts';
import { requestContextOf } from '../http/request-context.ts';
import { type FileReply, file, route } from '../http/route.ts';
import { readSessionCookie } from '../http/session-cookie.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { confirmSession } from './confirm-session.ts';
import { errorText, page, toConsole } from './html-page.ts';
import { grantApp, isRegisteredRedirectUri } from './oauth.ts';
import { findApp, type OauthApp } from './oauth-store.ts';
import { type WorkspaceOfUser, workspacesOfUser } from './store.ts';

const PATH = '/oauth/authorize';
const HTML = file('text/html; charset=utf-8');
/** A parameter sent twice is an error (RFC 6749, section 3.1) and counts as empty here. */
const text = z.string().max(2000).catch('');
const authorizationParams = {
  response_type: text,
  client_id: text,
  redirect_uri: text,
  state: text,
  code_challenge: text,
  code_challenge_method: text,
};
type AuthorizationRequest = { [Name in keyof typeof authorizationParams]: string };

const HIDDEN = {
  path: PATH,
  tag: 'OAuth',
  credential: 'public',
  permission: null,
  hidden: true,
  success: 200,
} as const;

interface User {
  id: string;
  name: string;
  session_id: string;
  /** The password was entered more than 15 minutes ago: an app is connected with it only. */
  confirmation_over: boolean;
}

/** Serves the page on which a signed-in user grants an app access to one of their workspaces. */
export function consentPage(app: FastifyInstance, deps: AccountsDeps): void {
  const { sql, publicUrl } = deps;
  const issuer = publicUrl.replace(/\/+$/, '');

  /** Checks app and redirect URI first, because other errors are sent there: to an operator's app at once. */
  async function checked(given: AuthorizationRequest): Promise<OauthApp | FileReply> {
    const known = /^[a-f0-9]{32}$/.test(given.client_id) ? await findApp(sql, given.client_id) : null;
    if (!known) return errorPage('This app is not known here.');
    if (!isRegisteredRedirectUri(known, given.redirect_uri))
      return errorPage('The app asked to be answered at an unknown address.');
    const error =
      given.response_type !== 'code'
        ? ['unsupported_response_type', 'only `code` is offered']
        : given.code_challenge_method !== 'S256' || !/^[\w-]{43}$/.test(given.code_challenge)
          ? ['invalid_request', 'PKCE with code_challenge_method S256 is required']
          : null;
    if (!error) return known;
    // Any workspace may register an address, so our link must not lead there without a person's decision (RFC 9700, section 4.11.2).
    if (known.workspace_name !== null) return errorPage(`The app asked in a wrong way: ${error[1]}.`);
    return back(given, { error: error[0]!, error_description: error[1]! });
  }

  /** Redirects to the app with the response (RFC 6749, section 4.1.2; `iss` is RFC 9207). */
  function back({ redirect_uri, state }: AuthorizationRequest, response: Record<string, string>): FileReply {
    const url = new URL(redirect_uri);
    for (const [name, value] of Object.entries({ ...response, iss: issuer })) url.searchParams.set(name, value);
    if (state !== '') url.searchParams.set('state', state);
    return { status: 303, body: '', headers: { Location: url.href, 'Cache-Control': 'no-store' } };
  }

  /** Confirms the session. @returns what is wrong with the password, or null. */
  async function wrongPassword(request: FastifyRequest, user: User, password: string): Promise<string | null> {
    if (password === '') return 'Enter your password.';
    try {
      const session = { user_id: user.id, session_id: user.session_id };
      await confirmSession(deps, null, requestContextOf(request), session, { password });
      return null;
    } catch (error) {
      if (error instanceof HttpError && error.status === 401) return 'That password is not right.';
      if (error instanceof HttpError && error.status === 429) return 'Too many tries. Wait a few minutes.';
      throw error;
    }
  }

  route(app, {
    ...HIDDEN,
    method: 'GET',
    summary: 'Ask the user whether an app may act for them',
    schema: { query: z.object(authorizationParams), response: HTML },
    handler: async ({ query }, { request }) => {
      const known = await checked(query);
      if (!('redirect_uris' in known)) return known;
      const user = await signedIn(request);
      if (!user) return signInFirst(known);
      const open = (await workspacesOfUser(sql, user.id)).filter(({ state }) => state !== 'closed');
      return open.length === 0
        ? errorPage('You have no workspace that an app could act in.')
        : consentForm(known, query, user, open);
    },
  });

  route(app, {
    ...HIDDEN,
    method: 'POST',
    summary: 'The user has decided',
    schema: {
      body: z.object({ ...authorizationParams, workspace_id: text, decision: text, password: text }),
      response: HTML,
    },
    handler: async ({ body }, { request }) => {
      refuseCrossSite(request);
      const known = await checked(body);
      if (!('redirect_uris' in known)) return known;
      const user = await signedIn(request);
      if (!user) return signInFirst(known);
      if (body.decision !== 'allow') return back(body, { error: 'access_denied' });
      const open = await workspacesOfUser(sql, user.id);
      const chosen = open.find(({ id, state }) => id === body.workspace_id && state !== 'closed');
      if (!chosen) return errorPage('Choose one of your workspaces.');
      if (user.confirmation_over) {
        const wrong = await wrongPassword(request, user, body.password);
        if (wrong !== null)
          return consentForm(
            known,
            body,
            user,
            open.filter(({ state }) => state !== 'closed'),
            { chosen: chosen.id, wrong },
          );
      }
      const { redirect_uri, code_challenge } = body;
      const code = await grantApp(deps, {
        app: known,
        user,
        workspace_id: chosen.id,
        redirect_uri,
        code_challenge,
        origin: { address: request.ip, request_id: request.id },
      });
      return back(body, { code });
    },
  });
}

/** Only a browser's cookie counts: a program cannot consent. */
async function signedIn(request: FastifyRequest): Promise<User | null> {
  const token = readSessionCookie(request);
  const principal = token === null ? null : await request.server.findPrincipal(token, null);
  if (!principal?.session_id) return null;
  const { actor, session_id, confirmation_over = true } = principal;
  return { id: actor.id, name: actor.name, session_id, confirmation_over };
}

function errorPage(words: string): FileReply {
  return page({
    title: 'This cannot be connected',
    content: html`<p>${words}</p>${toConsole('Go to the console')}`,
    status: 400,
  });
}

function signInFirst(app: OauthApp): FileReply {
  const content = html`<p>Sign in first, then open the link of ${app.name} again.</p>${toConsole('Sign in')}`;
  return page({ title: 'You are not signed in', content, status: 401 });
}

function consentForm(
  app: OauthApp,
  given: AuthorizationRequest,
  user: User,
  workspaces: WorkspaceOfUser[],
  { chosen = workspaces[0]?.id, wrong = '' }: { chosen?: string; wrong?: string } = {},
): FileReply {
  const target = new URL(given.redirect_uri);
  const names = Object.keys(authorizationParams) as (keyof AuthorizationRequest)[];
  const hidden: Html[] = names.map((name) => html`<input type="hidden" name="${name}" value="${given[name]}">`);
  const password = user.confirmation_over
    ? html`<div class="field"><label for="password">Your password, once more</label>
<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1000">
${errorText(wrong)}</div>`
    : html``;
  const choices: Html[] = workspaces.map(
    ({ id, name, role }) =>
      html`<label class="choice"><input type="radio" name="workspace_id" value="${id}"${{ markup: id === chosen ? ' checked' : '' }} required> ${name} (${role})</label>`,
  );
  return page({
    title: `Connect ${app.name}?`,
    status: wrong === '' ? 200 : 422,
    formOrigin: target.origin,
    content: html`<p>${app.name} will be able to do ${
      app.scopes === null ? 'what an API key of the workspace can' : `only this: ${app.scopes.join(', ')}`
    }, within your own role, until you end the connection.</p>
${app.workspace_name === null ? html`` : html`<p>The app was registered by the workspace ${app.workspace_name}, not by this service.</p>`}
<p class="quiet">Signed in as ${user.name}. You will be sent back to ${target.host}.</p>
<form method="post" action="${PATH}">
${hidden}
<fieldset><legend>Workspace</legend>
${choices}</fieldset>
${password}
${user.confirmation_over ? html`` : errorText(wrong)}
<div class="buttons"><button name="decision" value="allow">Allow</button><button class="secondary" name="decision" value="deny">Deny</button></div>
</form>`,
  });
}
