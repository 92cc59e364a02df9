import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../shared/log.ts';
import type { FindPrincipal } from '../http/authenticate.ts';
import type { AcceptInviteDeps } from './accept-invite.ts';
import { invitePages } from './invite-pages.ts';
import { inviteRoutes } from './invite-routes.ts';
import type { InvitesDeps } from './invites.ts';
import { keyRoutes } from './key-routes.ts';
import { createKeyFinder } from './keys.ts';
import { lookupRoutes } from './lookup-routes.ts';
import { memberRoutes } from './member-routes.ts';
import { type WorkspaceRoutesDeps, workspaceRoutes } from './routes.ts';
import type { SearchSources } from './search.ts';

export interface WorkspacesModuleDeps extends WorkspaceRoutesDeps, AcceptInviteDeps, InvitesDeps {
  log: Logger;
  /** What `GET /search` asks, by group. */
  searchSources: SearchSources;
}

export interface WorkspacesModule {
  /** Looks API keys up (`svc_`). */
  findKey: FindPrincipal;
  routes(http: FastifyInstance): void;
}

/** Workspaces with their members, invites, API keys, limits and search. */
export function createWorkspacesModule(deps: WorkspacesModuleDeps): WorkspacesModule {
  const findKey = createKeyFinder(deps);
  return {
    findKey,
    routes(http) {
      workspaceRoutes(http, deps);
      memberRoutes(http, deps);
      inviteRoutes(http, deps);
      invitePages(http, deps);
      keyRoutes(http, { ...deps, onRevoked: findKey.clearCache });
      lookupRoutes(http, { sql: deps.sql, sources: deps.searchSources });
    },
  };
}
