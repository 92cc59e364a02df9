import type { Clock } from '../../shared/clock.ts';
import { changesBetween } from '../audit/changes.ts';
import { type AuditEntry, writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { credentialCachesExpired } from '../http/credential-cache.ts';
import { conflict, notFound, validationError } from '../http/errors.ts';
import type { Scope } from '../http/scopes.ts';
import { disableOauthApp, registerOauthApp } from './oauth.ts';
import {
  countAppsUnderLock,
  listRegisteredApps,
  lockRegisteredApp,
  type RegisteredApp,
  updateApp,
  updateAppSecret,
} from './registered-apps-store.ts';
import { hashOfToken, newToken } from './secret-token.ts';

const MAX_APPS = 20;

interface Who {
  workspace_id: string;
  actor: Actor;
}

export type AppWithSecret = RegisteredApp & { client_secret: string | null };

/** Apps that a workspace registers, for people of any workspace to connect. */
export function createRegisteredApps({ sql, clock }: { sql: Sql; clock: Clock }) {
  const audit = (tx: AnySql, who: Who, entry: Pick<AuditEntry, 'action' | 'changes'>, app: RegisteredApp) => {
    const target = { kind: 'oauth_app', id: app.id, name: app.name };
    return writeAudit(tx, { ...who, ...entry, target, at_ms: clock.wall() });
  };

  return {
    list: (workspaceId: string) => listRegisteredApps(sql, workspaceId),

    /** @throws HttpError 409 at 20 apps, 422 for what `registerOauthApp` refuses. */
    async register(
      who: Who,
      wanted: { name: string; redirect_uris: string[]; confidential: boolean; scopes: Scope[] | null },
    ): Promise<AppWithSecret> {
      return sql.begin(async (tx) => {
        if ((await countAppsUnderLock(tx, who.workspace_id)) >= MAX_APPS) {
          throw conflict(`app limit reached (${MAX_APPS})`);
        }
        const of = { workspace_id: who.workspace_id, created_by: who.actor.name };
        const made = await registerOauthApp(tx, { ...wanted, ...of }, clock.wall());
        if (typeof made === 'string') throw validationError(made, ['redirect_uris']);
        const app = (await lockRegisteredApp(tx, who.workspace_id, made.client_id))!;
        await audit(tx, who, { action: 'app.created' }, app);
        return { ...app, client_secret: made.client_secret };
      });
    },

    /** @throws HttpError 404 */
    async change(
      who: Who,
      appId: string,
      change: { name?: string | undefined; redirect_uris?: string[] | undefined },
    ): Promise<RegisteredApp> {
      return sql.begin(async (tx) => {
        const before = await lockRegisteredApp(tx, who.workspace_id, appId);
        if (!before) throw notFound('app');
        const { name = before.name, redirect_uris = before.redirect_uris } = change;
        const after = { ...before, name, redirect_uris };
        await updateApp(tx, who.workspace_id, after);
        await audit(tx, who, { action: 'app.updated', changes: changesBetween(before, after) }, after);
        return after;
      });
    },

    /** The present secret stops working at once. @throws HttpError 404, 409 for an app without a secret. */
    async rotateSecret(who: Who, appId: string): Promise<AppWithSecret> {
      return sql.begin(async (tx) => {
        const app = await lockRegisteredApp(tx, who.workspace_id, appId);
        if (!app) throw notFound('app');
        if (!app.confidential) throw conflict('the app is public: it has no secret');
        const client_secret = newToken('');
        await updateAppSecret(tx, who.workspace_id, app.id, hashOfToken(client_secret));
        await audit(tx, who, { action: 'app.secret_rotated' }, app);
        return { ...app, client_secret };
      });
    },

    /** Ends all its connections, and what was made with them. @throws HttpError 404 */
    async remove(who: Who, appId: string): Promise<void> {
      await sql.begin(async (tx) => {
        const app = await lockRegisteredApp(tx, who.workspace_id, appId);
        if (!app) throw notFound('app');
        await disableOauthApp(tx, app.id, clock.wall(), 'the app was deleted');
        await audit(tx, who, { action: 'app.deleted' }, app);
      });
      await credentialCachesExpired(clock);
    },
  };
}
