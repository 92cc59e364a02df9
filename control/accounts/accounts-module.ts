import type { FastifyInstance } from 'fastify';
import type { Sql } from '../db/connect.ts';
import type { PollingJob } from '../db/polling-job.ts';
import type { FindPrincipal } from '../http/authenticate.ts';
import { type AccountsDeps, PRODUCT } from './accounts-deps.ts';
import { startCredentialCleanup } from './credential-cleanup.ts';
import { emailLinkPages } from './email-link-pages.ts';
import { createOauthTokenFinder } from './find-oauth-token.ts';
import { createSessionFinder } from './find-session.ts';
import { consentPage } from './oauth-consent.ts';
import { oauthRoutes } from './oauth-routes.ts';
import { passkeyRoutes } from './passkey-routes.ts';
import { registeredAppRoutes } from './registered-app-routes.ts';
import { accountRoutes } from './routes.ts';
import { sessionCookies } from './set-session-cookie.ts';
import { signInRoutes } from './sign-in-routes.ts';
import { relyingPartyOf } from './webauthn.ts';

export interface AccountsModule {
  /** Look up session tokens (`svcs_`) and access tokens of connected apps (`svco_`). */
  finders: Record<'svcs_' | 'svco_', FindPrincipal>;
  routes(http: FastifyInstance): void;
  start(jobsSql?: Sql): void;
  /** Resolves when the emails that were asked for are written and the cleanup has ended. */
  stop(): Promise<void>;
}

/** Users, sessions, two-step sign-in and connected apps. */
export function createAccountsModule(deps: AccountsDeps): AccountsModule {
  let pages: ReturnType<typeof emailLinkPages> | null = null;
  let cleanup: PollingJob | null = null;
  return {
    finders: { svcs_: createSessionFinder(deps), svco_: createOauthTokenFinder(deps) },
    routes(http) {
      sessionCookies(http);
      signInRoutes(http, deps);
      const party = relyingPartyOf(PRODUCT, deps.publicUrl, http.consoleOrigins);
      accountRoutes(http, deps, party);
      passkeyRoutes(http, deps, party);
      pages = emailLinkPages(http, deps);
      consentPage(http, deps);
      oauthRoutes(http, deps);
      registeredAppRoutes(http, deps);
    },
    start(jobsSql = deps.sql) {
      cleanup = startCredentialCleanup({ ...deps, sql: jobsSql });
    },
    async stop() {
      await Promise.all([pages?.settled(), cleanup?.stop()]);
    },
  };
}
