import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { newPassword, personName } from '../accounts/account-fields.ts';
import { errorText, page, toConsole } from '../accounts/html-page.ts';
import { saveSessionCookie } from '../accounts/set-session-cookie.ts';
import type { FindPrincipal } from '../http/authenticate.ts';
import { refuseCrossSite, refuseCrossSitePage } from '../http/cross-site.ts';
import { HttpError, sentenceOf } from '../http/errors.ts';
import { type Html, html } from '../http/html.ts';
import { pathId } from '../http/query.ts';
import { requestContextOf } from '../http/request-context.ts';
import { type FileReply, file, route } from '../http/route.ts';
import { readSessionCookie } from '../http/session-cookie.ts';
import { DEFAULT_ZONE } from '../http/times.ts';
import { type AcceptInviteDeps, createInviteAcceptance } from './accept-invite.ts';
import { createInvites, type InvitesDeps } from './invites.ts';
import { type FoundInvite, roleGrantedBy } from './invites-store.ts';

const HTML = file('text/html; charset=utf-8');
const HIDDEN = {
  path: '/invites/{invite}',
  tag: 'Workspace',
  credential: 'public',
  permission: null,
  hidden: true,
  success: 200,
} as const;
const params = z.object({ invite: pathId('invite') });
/** A form or a query can hold anything; missing fields are empty. */
const anyText = z.string().max(1000).catch('');

/**
 * Serves the page of an invite's link, unless the console has one (`CONSOLE_ORIGINS`). Signed-in users join by a button, others
 * enter a name and a password. The link alone does nothing, because mail scanners follow links too.
 */
export function invitePages(app: FastifyInstance, deps: InvitesDeps & AcceptInviteDeps): void {
  const invites = createInvites(deps);
  const acceptance = createInviteAcceptance(deps);

  route(app, {
    ...HIDDEN,
    method: 'GET',
    summary: 'The page of an invite',
    schema: { params, response: HTML },
    handler: async ({ params }, { request }) => {
      const invite = await open(params.invite);
      return invite ? invitePage(invite, await signedIn(request)) : invalidInvitePage();
    },
  });

  route(app, {
    ...HIDDEN,
    method: 'POST',
    summary: 'Join',
    schema: { params, body: z.object({ name: anyText, password: anyText }), response: HTML },
    async handler({ params, body }, { request }) {
      refuseCrossSitePage(request);
      const invite = await open(params.invite);
      if (!invite) return invalidInvitePage();
      const requestContext = requestContextOf(request);
      const user = await signedIn(request);
      try {
        if (user) {
          refuseCrossSite(request);
          await acceptance.asUser(params.invite, requestContext, user);
          return joinedPage(invite);
        }
        const name = personName().safeParse(body.name);
        const password = newPassword().safeParse(body.password);
        if (!name.success || !password.success) {
          return invitePage(invite, null, 422, 'A name is needed, and a password of 10 to 200 characters.');
        }
        const newUser = { name: name.data, password: password.data, timezone: DEFAULT_ZONE };
        const { token } = await acceptance.asNewUser(params.invite, requestContext, newUser);
        saveSessionCookie(request, token);
        return joinedPage(invite);
      } catch (error) {
        // Errors of rules are shown on the page.
        if (!(error instanceof HttpError)) throw error;
        return error.status === 404
          ? invalidInvitePage()
          : invitePage(invite, user, error.status, `${sentenceOf(error)}.`);
      }
    },
  });

  async function open(token: string): Promise<FoundInvite | null> {
    try {
      return await invites.findByToken(token);
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) return null;
      throw error;
    }
  }
}

type SignedIn = { session_id: string; user_id: string; name: string };

/** Reads the browser's cookie; an expired one counts as none. */
async function signedIn(request: FastifyRequest): Promise<SignedIn | null> {
  const find: FindPrincipal = request.server.findPrincipal;
  const token = readSessionCookie(request);
  const principal = token === null ? null : await find(token, null);
  if (!principal?.session_id || !principal.user_id) return null;
  return { session_id: principal.session_id, user_id: principal.user_id, name: principal.actor.name };
}

function invitePage(invite: FoundInvite, user: SignedIn | null, status = 200, hint = ''): FileReply {
  const { workspace_name, invited_by, email } = invite;
  const join = html`<div class="buttons"><button>Join</button></div>`;
  const form: Html = user
    ? html`<form method="post"><p class="quiet">You are signed in as ${user.name}.</p>${join}</form>`
    : html`<form method="post">
<div class="field"><label for="name">Your name</label>
<input id="name" name="name" type="text" autocomplete="name" required maxlength="80"></div>
<div class="field"><label for="password">Password</label><p class="quiet" id="password-hint">At least 10 characters.</p>
<input id="password" name="password" type="password" autocomplete="new-password" aria-describedby="password-hint" required minlength="10" maxlength="200"></div>
${join}
</form>
<p class="quiet">If you have an account already, <a href="/">sign in</a> first and open the link again.</p>`;
  return page({
    title: `Join ${workspace_name}`,
    status,
    content: html`<p>${invited_by} invites ${email} to join the workspace ${workspace_name} as ${roleGrantedBy(invite)}.</p>
${errorText(hint)}
${form}`,
  });
}

function joinedPage({ workspace_name }: FoundInvite): FileReply {
  const content = html`<p>You belong to ${workspace_name} now.</p>${toConsole('Go on to the console')}`;
  return page({ title: 'Welcome', content });
}

function invalidInvitePage(): FileReply {
  const content = html`<p>It was used, revoked or has expired. Ask the sender for a new one.</p>${toConsole('Go to the console')}`;
  return page({ title: 'This invite does not work any more', content, status: 404 });
}
