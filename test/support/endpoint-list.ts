import { readFileSync } from 'node:fs';
import { newId } from '../../shared/ids.ts';
import type { Client } from './control-app.ts';

/** An endpoint of the specification's list: test/control/http/endpoints.csv. */
export interface ListedEndpoint {
  group: string;
  method: string;
  /** `/api/v1/agents/{agent_id}` */
  path: string;
  /** `agents.view` …, `none`, `any credential` or `any session`. */
  permission: string;
  credential: 'key' | 'session' | 'public';
  works_before_activation: 'yes' | 'no';
  success_status: string;
}

export function listedEndpoints(): ListedEndpoint[] {
  const text = readFileSync(new URL('../control/http/endpoints.csv', import.meta.url), 'utf8');
  const [head, ...rows] = text.trim().split('\n').map(cellsOf);
  return rows.map((row) => Object.fromEntries(row.map((cell, at) => [head![at], cell])) as unknown as ListedEndpoint);
}

/** Splits a CSV line; cells contain no quotes and no new lines. */
function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map((match) => match[1] ?? match[2] ?? '');
}

export const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

/** The path without parameter names. */
export const shapeOf = (path: string) => path.replace(/\{\w+\}/g, '{}');

/** The path with ids that do not exist, from after `/api/v1`. */
export const addressOf = (path: string) =>
  path
    .slice('/api/v1'.length)
    .replace('{number}', '%2B919811110000')
    .replace('{version}', '999')
    .replace(/\{\w+\}/g, () => newId());

/** A body that no endpoint accepts, so that nothing changes; missing permissions must be reported before it is read. */
export const asked = (
  client: Pick<Client, 'send'>,
  { method, path }: Pick<ListedEndpoint, 'method' | 'path'>,
  headers: Record<string, string> = {},
) => client.send(method, addressOf(path), method === 'GET' || method === 'DELETE' ? undefined : [], headers);
