import { type RequestOpts, runtime } from '@oazapfts/runtime';
import { defaults } from '../generated/api.ts';
import type { Scope } from './scopes.ts';

/** Requests about OAuth apps, which are for the console only and therefore not in the public API's document. */

/** An app that acts for the person who is signed in. */
export interface ConnectedApp {
  id: string;
  app_id: string;
  name: string;
  workspace_name: string;
  created_at: string;
  last_used_at: string | null;
}

/** An app that the workspace registered. */
export interface RegisteredApp {
  client_id: string;
  name: string;
  redirect_uris: string[];
  confidential: boolean;
  scopes: Scope[] | null;
  /** Of people, in any workspace. */
  connections: number;
  created_by: string;
  created_at: string;
}

export interface AppWithSecret extends RegisteredApp {
  /** Null for an app that cannot keep one. */
  client_secret: string | null;
}

export interface NewApp {
  name: string;
  redirect_uris: string[];
  confidential: boolean;
  scopes?: Scope[];
}

const api = runtime(defaults);

interface Success<Status extends number, Data> {
  status: Status;
  data: Data;
}

const sent = <Data>(method: string, path: string, opts: RequestOpts = {}, body?: object) =>
  api.fetchJson<Success<200, Data>>(path, body ? api.json({ ...opts, method, body }) : { ...opts, method });

export const getConnectedApps = (opts?: RequestOpts) => sent<ConnectedApp[]>('GET', '/api/connected-apps', opts);

export const deleteConnectedApp = (id: string, opts?: RequestOpts) =>
  sent<void>('DELETE', `/api/connected-apps/${encodeURIComponent(id)}`, opts);

export const getApps = (opts?: RequestOpts) => sent<RegisteredApp[]>('GET', '/api/oauth-apps', opts);

export const postApps = (body: NewApp, opts?: RequestOpts) =>
  sent<AppWithSecret>('POST', '/api/oauth-apps', opts, body);

export const patchApp = (id: string, body: Pick<NewApp, 'name' | 'redirect_uris'>, opts?: RequestOpts) =>
  sent<RegisteredApp>('PATCH', `/api/oauth-apps/${encodeURIComponent(id)}`, opts, body);

export const rotateAppSecret = (id: string, opts?: RequestOpts) =>
  sent<AppWithSecret>('POST', `/api/oauth-apps/${encodeURIComponent(id)}/rotate-secret`, opts);

export const deleteApp = (id: string, opts?: RequestOpts) =>
  sent<void>('DELETE', `/api/oauth-apps/${encodeURIComponent(id)}`, opts);
