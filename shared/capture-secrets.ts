import type { CapturedSession } from './capture.ts';
import { variablesOf } from './variables.ts';

/** What never gets on a tape, with words or without: who reads one learns no secret of the agent's. */

/** Stands where a secret stood. */
const REDACTED = '***';
const REDACTED_URL = 'https://taken-off.invalid/';

type SessionSecrets = Pick<CapturedSession, 'agent_json' | 'user_data_json'>;

/**
 * The call's configuration as it may be taped: without the values of tool headers, the queries and passwords of addresses, and
 * the values of variables that stand nowhere else. Throws where the agent is no JSON.
 */
export function redactSecrets({ agent_json, user_data_json }: SessionSecrets): SessionSecrets {
  const agent = JSON.parse(agent_json) as Record<string, unknown>;
  const secretTexts: string[] = [];
  if (Array.isArray(agent.tools)) {
    agent.tools = agent.tools.map((tool: Record<string, unknown>) => {
      const headers = Object.entries((tool.headers as Record<string, string> | undefined) ?? {});
      secretTexts.push(...headers.map(([, value]) => value));
      return {
        ...tool,
        ...(typeof tool.url === 'string' ? { url: redactUrl(tool.url) } : {}),
        headers: Object.fromEntries(headers.map(([name]) => [name, REDACTED])),
      };
    });
  }
  if (typeof agent.webhook_url === 'string') agent.webhook_url = '';
  const rest = JSON.stringify(agent);
  const spoken = new Set(variablesOf(rest));
  const secret = variablesOf(...secretTexts).filter((name) => !spoken.has(name));
  return {
    agent_json: rest,
    user_data_json: secret.length === 0 ? user_data_json : redactValues(user_data_json, secret),
  };
}

/** An event's data as it may be taped: the address of a tool is told with its query. */
export function redactEventData(data: Record<string, unknown>): Record<string, unknown> {
  return typeof data.url === 'string' ? { ...data, url: redactUrl(data.url) } : data;
}

function redactUrl(address: string): string {
  const url = URL.parse(address);
  if (!url) return REDACTED_URL;
  return `${url.protocol}//${url.host}${url.pathname}${url.search === '' ? '' : `?${REDACTED}`}`;
}

function redactValues(user_data_json: string, names: readonly string[]): string {
  const values = JSON.parse(user_data_json || '{}') as Record<string, unknown>;
  for (const name of names) if (Object.hasOwn(values, name)) values[name] = REDACTED;
  return JSON.stringify(values);
}
