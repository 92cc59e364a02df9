import { HttpError } from '@oazapfts/runtime';
import type { Me } from './api-records.ts';
import { noted } from './data/reachable.ts';
import { saveFile } from './data/save-file.ts';

/** Requests of the public API with the session's cookie. A failure is returned, not thrown; status 0 means no response. */
export type ApiResult<T> = { ok: true; value: T } | { ok: false; status: number; detail: string };

const REQUEST_TIMEOUT_MS = 15_000;
const WORKSPACE_KEY = 'antiphon.workspace';

let workspaceId = storedWorkspaceId();

function storedWorkspaceId(): string {
  try {
    return localStorage.getItem(WORKSPACE_KEY) ?? '';
  } catch {
    // Storage may be forbidden; without an id the API takes the first workspace.
    return '';
  }
}

/** Sets the workspace that requests are for; empty: the one the user joined first. */
export function chooseWorkspace(id: string): void {
  workspaceId = id;
  try {
    if (id === '') localStorage.removeItem(WORKSPACE_KEY);
    else localStorage.setItem(WORKSPACE_KEY, id);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}

export const workspaceHeader = (): Record<string, string> =>
  workspaceId === '' ? {} : { 'X-Workspace-ID': workspaceId };

export async function send<T>(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<ApiResult<T>> {
  try {
    const sent = fetch(`/api/v1${path}`, {
      method,
      headers: {
        ...(body ? { 'Content-Type': 'application/json' } : {}),
        ...workspaceHeader(),
        ...headers,
      },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const response = await noted(sent);
    const text = await response.text();
    const value = text === '' ? undefined : JSON.parse(text);
    if (response.ok) return { ok: true, value };
    return { ok: false, status: response.status, detail: detailOf(value?.detail) };
  } catch {
    return { ok: false, status: 0, detail: '' };
  }
}

/** A sentence as it is; of the items of a 422 the first that a rule of ours wrote, which is one for people. */
export function detailOf(detail: unknown): string {
  if (typeof detail === 'string') return detail;
  const items: { type?: unknown; msg?: unknown }[] = Array.isArray(detail) ? detail : [];
  const rule = items.find((item) => item.type === 'value_error');
  return typeof rule?.msg === 'string' ? rule.msg : '';
}

const RECORDING_TIMEOUT_MS = 120_000;

/** Reads the recording of a call. @throws when there is none, or it cannot be read. */
export const readRecording = (callId: string, signal: AbortSignal): Promise<Blob> =>
  readFile(`/calls/${callId}/recording`, signal);

/** Reads a file of the API. @throws when there is none, or it cannot be read. */
export async function readFile(path: string, signal: AbortSignal): Promise<Blob> {
  const response = await fetch(`/api/v1${path}`, {
    headers: workspaceHeader(),
    signal: AbortSignal.any([signal, AbortSignal.timeout(RECORDING_TIMEOUT_MS)]),
  });
  if (!response.ok) throw new HttpError(response.status, await response.json().catch(() => null), response.headers);
  return response.blob();
}

/** Saves a file of the API under this name. @returns false when it could not be read. */
export async function download(path: string, name: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    // A plain link could not name the workspace.
    const response = await fetch(`/api/v1${path}`, { headers: workspaceHeader(), signal });
    if (!response.ok) return false;
    saveFile(await response.blob(), name);
    return true;
  } catch {
    return false;
  }
}

export const signOut = () => send<void>('POST', '/auth/logout');

/** Reads the session's user; drops the stored workspace when the user is no longer a member of it. */
export async function whoAmI(): Promise<ApiResult<Me>> {
  const result = await send<Me>('GET', '/auth/me');
  if (result.ok || workspaceId === '' || result.status === 401 || result.status === 0) return result;
  chooseWorkspace('');
  return send<Me>('GET', '/auth/me');
}
