import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { HttpError, sentenceOf } from '../http/errors.ts';
import { html } from '../http/html.ts';
import { requestContextOf } from '../http/request-context.ts';
import { type FileReply, file, route } from '../http/route.ts';
import { emailField, newPassword } from './account-fields.ts';
import type { AccountsDeps } from './accounts-deps.ts';
import { confirmEmail, requestEmail, resetPassword } from './email-link-actions.ts';
import { findLink } from './email-links.ts';
import { LINK_PATHS } from './email-templates.ts';
import { backToSignIn, errorText, page, toConsole } from './html-page.ts';

const HTML = file('text/html; charset=utf-8');
const HIDDEN = {
  tag: 'Account and sign-in',
  credential: 'public',
  permission: null,
  hidden: true,
  success: 200,
} as const;

/** A form or a query can hold anything; missing fields are empty. */
const anyText = z.string().max(1000).catch('');
const tokenQuery = z.object({ token: anyText });

/**
 * Serves the pages that links in emails lead to, and the forms that ask for such a link. A link only shows a page with a
 * button, because mail scanners follow links too. Asking for an email is always answered with 202.
 */
export function emailLinkPages(app: FastifyInstance, deps: AccountsDeps): { settled(): Promise<void> } {
  const { sql, clock } = deps;
  const writing = new Set<Promise<void>>();

  for (const { path, purpose, title } of [
    { path: LINK_PATHS.reset, purpose: 'reset_password', title: 'Choose a new password' },
    { path: LINK_PATHS.verify, purpose: 'verify_email', title: 'Confirm your email address' },
  ] as const) {
    route(app, {
      ...HIDDEN,
      method: 'POST',
      path,
      summary: `Mail a link: ${title}`,
      schema: { body: z.object({ email: emailField() }), response: HTML },
      success: 202,
      handler: async ({ body }, { request }) => {
        // Sent without waiting for it, so that the time of the response reveals nothing.
        const work = requestEmail(deps, requestContextOf(request), purpose, body.email);
        writing.add(work);
        void work.then(() => writing.delete(work));
        const content = html`<p>If there is an account with this address, an email with a link is on its way.</p>
${backToSignIn}`;
        return page({ title: 'Look at your emails', content, status: 202 });
      },
    });
  }

  route(app, {
    ...HIDDEN,
    method: 'GET',
    path: LINK_PATHS.reset,
    summary: 'The page of a link for a new password, or without one the page to ask for it',
    schema: { query: tokenQuery, response: HTML },
    handler: async ({ query: { token } }) => {
      if (token === '') {
        const content = requestForm(LINK_PATHS.reset, 'We mail you a link with which you choose a new one.');
        return page({ title: 'Forgotten your password?', content });
      }
      const link = await findLink(sql, token, clock.wall());
      return link?.purpose === 'reset_password' ? passwordPage(token) : expiredLinkPage(LINK_PATHS.reset);
    },
  });

  route(app, {
    ...HIDDEN,
    method: 'POST',
    path: `${LINK_PATHS.reset}/confirm`,
    summary: 'Set the new password',
    schema: { body: z.object({ token: anyText, password: anyText }), response: HTML },
    handler: async ({ body: { token, password } }, { request }) => {
      if (!newPassword().safeParse(password).success) {
        return passwordPage(token, 'A password has 10 to 200 characters.');
      }
      const done = await shownOnPage(token, () => resetPassword(deps, requestContextOf(request), token, password));
      if (typeof done !== 'boolean') return done;
      if (!done) return expiredLinkPage(LINK_PATHS.reset);
      const content = html`<p>Sign in with your new password. You were signed out everywhere.</p>${toConsole('Sign in')}`;
      return page({ title: 'Your password was changed', content });
    },
  });

  route(app, {
    ...HIDDEN,
    method: 'GET',
    path: LINK_PATHS.verify,
    summary: 'The page of a link that confirms an address, or without one the page to ask for it',
    schema: { query: tokenQuery, response: HTML },
    handler: async ({ query: { token } }) => {
      if (token === '') {
        const content = requestForm(LINK_PATHS.verify, 'We mail you a link that confirms it.');
        return page({ title: 'Confirm your email address', content });
      }
      const link = await findLink(sql, token, clock.wall());
      if (!link || link.purpose === 'reset_password') return expiredLinkPage(LINK_PATHS.verify);
      return page({
        title: 'Confirm your email address',
        content: html`<form method="post" action="${LINK_PATHS.verify}/confirm">
<input type="hidden" name="token" value="${token}">
<p>Is <strong>${link.email}</strong> yours, and was it you who entered it? If not, do not confirm it.</p>
<div class="buttons"><button>Yes, confirm</button></div></form>`,
      });
    },
  });

  route(app, {
    ...HIDDEN,
    method: 'POST',
    path: `${LINK_PATHS.verify}/confirm`,
    summary: 'Confirm the address',
    schema: { body: z.object({ token: anyText }), response: HTML },
    handler: async ({ body }, { request }) => {
      const outcome = await confirmEmail(deps, requestContextOf(request), body.token);
      if (outcome === 'over') return expiredLinkPage(LINK_PATHS.verify);
      if (outcome === 'done') {
        const content = html`<p>Your address is confirmed.</p>${toConsole('Go on to the console', '/?email=confirmed')}`;
        return page({ title: 'Thank you', content });
      }
      const content = html`<p>Another account has this address by now.</p>${backToSignIn}`;
      return page({ title: 'This address is taken', content, status: 409 });
    },
  });

  return {
    async settled() {
      await Promise.all(writing);
    },
  };
}

const requestForm = (path: string, text: string) => html`<p class="quiet">${text}</p>
<form method="post" action="${path}">
<div class="field"><label for="email">Your email address</label>
<input id="email" name="email" type="email" autocomplete="email" required maxlength="200"></div>
<div class="buttons"><button>Mail me a link</button></div></form>
${backToSignIn}`;

function passwordPage(token: string, error = ''): FileReply {
  return page({
    title: 'Choose a new password',
    status: error === '' ? 200 : 422,
    content: html`<form method="post" action="${LINK_PATHS.reset}/confirm">
<input type="hidden" name="token" value="${token}">
<div class="field"><label for="password">New password</label><p class="quiet" id="password-hint">At least 10 characters.</p>
<input id="password" name="password" type="password" autocomplete="new-password" aria-describedby="password-hint" required minlength="10" maxlength="200">
${errorText(error)}</div>
<div class="buttons"><button>Save</button></div></form>`,
  });
}

/** Shows the reason for a 422 above the form. */
async function shownOnPage<Result>(token: string, work: () => Promise<Result>): Promise<Result | FileReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof HttpError) || error.status !== 422) throw error;
    return passwordPage(token, `${sentenceOf(error)}.`);
  }
}

function expiredLinkPage(path: string): FileReply {
  const content = html`<p>It was used before, or it is too old. <a href="${path}">Ask for a new one.</a></p>${backToSignIn}`;
  return page({ title: 'This link does not work any more', content, status: 400 });
}
