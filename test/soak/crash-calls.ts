import { randomBytes } from 'node:crypto';
import type { Sql } from '../../control/db/connect.ts';
import { addPhoneNumber } from '../../control/operators/numbers.ts';
import { createWorkspace } from '../../control/operators/workspaces.ts';
import { setRequestsPerMinute } from '../../control/workspaces/plan.ts';
import type { CarrierCall } from '../../fixtures/simulators/carrier-call.ts';
import type { CarrierSimulator } from '../../fixtures/simulators/carrier-simulator.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { eventually, pause } from '../support/until.ts';
import type { CrashStack } from './crash-stack.ts';

/** The calls of a round: a workspace with an agent, calls in both directions, and what is to be found of them afterwards. */

export const CALLS = Number(process.env.CALLS ?? 50);
export const QUIET_WITHIN_MS = 240_000;
const INBOUND_SHARE = 0.2;
const PLACING_MS = 15_000;
/** The idempotency key of a request whose process died is released after a minute. */
const ANSWERED_WITHIN_MS = 150_000;
const EVENTS = ['*', 'user.turn'];

export interface CallSetup {
  stack: Pick<CrashStack, 'apiUrls'>;
  carrier: CarrierSimulator;
  receiverUrl: string;
}

export interface Tenant {
  workspaceId: string;
  apiKey: string;
  agentId: string;
  /** Numbers to call, each once. */
  numbers: string[];
  /** The agent's number. */
  own: string;
}

/** `calls`: so many numbers, which no other seed has; `first` is where they begin in those of the seed. */
export async function makeTenant(
  { stack, receiverUrl }: Pick<CallSetup, 'stack' | 'receiverUrl'>,
  sql: Sql,
  seed: number,
  { calls = CALLS, slots = 60, first = 0 } = {},
): Promise<Tenant> {
  const { workspace_id, api_key } = await createWorkspace({ sql, wallMs: Date.now() }, `Crash ${seed}`);
  await setRequestsPerMinute(sql, workspace_id, 60_000);
  await sql`
    update workspaces set concurrency_limit = ${slots}, own_concurrency_limit = ${slots} where id = ${workspace_id}`;
  const agent = await ask(stack, api_key, 'POST', '/agents', {
    name: 'Restaurant',
    welcome_message: 'Good evening, this is the restaurant.',
    system_prompt: 'You take bookings.',
    transcriber: { provider: 'deepgram_flux' },
    voice: { provider: 'elevenlabs', voice_id: 'test', language: 'en' },
  });
  const agentId = (agent as { id: string }).id;
  await ask(stack, api_key, 'POST', '/webhooks', { url: receiverUrl, events: EVENTS });
  const digits = (at: number) => String((seed % 9_999) * 10_000 + first + at).padStart(8, '0');
  const own = `+9114${digits(0)}`;
  const wallMs = Date.now();
  await addPhoneNumber({ sql, wallMs }, { workspace_id, number: own, provider: 'twilio', agent_id: agentId });
  const numbers = Array.from({ length: calls }, (_, at) => `+9198${digits(at)}`);
  return { workspaceId: workspace_id, apiKey: api_key, agentId, numbers, own };
}

/** Sends to both control processes in turn until one responds; retries 5xx and timeouts with the same idempotency key. */
export async function ask(
  stack: CallSetup['stack'],
  key: string,
  method: string,
  path: string,
  body: object,
): Promise<unknown> {
  const idempotencyKey = randomBytes(12).toString('hex');
  let turn = 0;
  return eventually(`${method} ${path}`, ANSWERED_WITHIN_MS, async () => {
    const url = `${stack.apiUrls[turn++ % stack.apiUrls.length]}/api/v1${path}`;
    const headers = {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    };
    const answer = await fetch(url, {
      method,
      headers,
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(5_000),
    }).catch(() => null);
    const text = await answer?.text().catch(() => null);
    if (answer?.status === 409 && text?.includes('its response was lost')) return { id: '' };
    if (!answer || text === null || text === undefined || answer.status >= 500 || answer.status === 409) return null;
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text.slice(0, 200)}`);
    return JSON.parse(text) as unknown;
  });
}

/** Runs a conversation on every connected call until `stop`. */
export function answerAll(carrier: CarrierSimulator, random: () => number): { stop(): void } {
  const known = new Set(carrier.calls);
  const look = setInterval(() => {
    for (const call of carrier.calls) {
      if (known.has(call)) continue;
      known.add(call);
      void talk(call, 3_000 + random() * 12_000);
    }
  }, 50);
  return { stop: () => clearInterval(look) };
}

/** Places the outbound and inbound calls. Returns the ids of placed calls; empty where the response was lost. */
export async function placeAll({ stack, carrier }: CallSetup, tenant: Tenant, random: () => number): Promise<string[]> {
  const inbound = Math.round(CALLS * INBOUND_SHARE);
  const ids = await Promise.all(
    tenant.numbers.map(async (number, at) => {
      await pause(random() * PLACING_MS);
      if (at >= inbound) {
        const placed = await ask(stack, tenant.apiKey, 'POST', `/agents/${tenant.agentId}/call`, { to_number: number });
        return (placed as { id: string }).id;
      }
      const url = `${stack.apiUrls[0]}/carriers/twilio/inbound`;
      const statusUrl = `${stack.apiUrls[0]}/carriers/twilio/status`;
      carrier.placeInbound({ from: number, to: tenant.own, url, statusUrl });
      return '';
    }),
  );
  return ids.slice(inbound);
}

/** Speaks every few seconds and hangs up. Broken streams are expected. */
export async function talk(call: CarrierCall, lengthMs: number): Promise<void> {
  try {
    const phone = await call.waitForPhone(60_000);
    const untilMs = performance.now() + lengthMs;
    while (performance.now() < untilMs && call.state !== 'over') {
      if (!phone.isSilent) await phone.say(loadSpeech('short-two-people').samples).done;
      await pause(1_500);
    }
  } catch {
    // The call was never connected.
  }
  call.hangUp();
}

/** Waits until all calls are over and all deliveries are done. */
export async function untilQuiet(sql: Sql, workspaceId: string, withinMs = QUIET_WITHIN_MS): Promise<boolean> {
  const startMs = performance.now();
  while (performance.now() - startMs < withinMs) {
    const [open] = await sql<{ open: number }[]>`
      select (select count(*) from calls where workspace_id = ${workspaceId}
          and (status in ('queued', 'ringing', 'in-progress', 'ended')
            or (started_at is not null and completed_at is null)))::integer
        + (select count(*) from webhook_deliveries where workspace_id = ${workspaceId}
          and status in ('pending', 'retrying'))::integer as open`.catch(() => [{ open: 1 }]);
    if (open!.open === 0) return true;
    await pause(500);
  }
  return false;
}

/** Checks that every call that the API confirmed is in the database. */
export async function missingAnswers(
  sql: Sql,
  workspaceId: string,
  ids: readonly string[],
  requests = ids.length,
): Promise<string[]> {
  const found = await sql<{ id: string }[]>`
    select id from calls where workspace_id = ${workspaceId} and id = any(${[...ids]})`;
  const missing = ids.filter((id) => id !== '').length - found.length;
  const [all] = await sql<{ count: number }[]>`
    select count(*)::integer as count from calls where workspace_id = ${workspaceId} and direction = 'outbound'`;
  return [
    ...(missing > 0 ? [`${missing} calls were answered for and are not there`] : []),
    ...(all!.count === requests ? [] : [`${all!.count} outbound calls for ${requests} requests`]),
  ];
}

/** Checks that no number was dialled twice. */
export function doubleDials(carrier: CarrierSimulator, numbers: readonly string[]): string[] {
  return numbers.flatMap((number) => {
    const dials = carrier.calls.filter((call) => call.direction === 'outbound' && call.to === number).length;
    return dials > 1 ? [`${number} was dialled ${dials} times`] : [];
  });
}
