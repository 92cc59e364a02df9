import { type App, buildApp } from '../../control/app.ts';
import type { Carrier } from '../../control/carriers/carrier.ts';
import type { DialOutcome } from '../../control/carriers/dial.ts';
import { createTwilio } from '../../control/carriers/twilio.ts';
import { readControlConfig } from '../../control/config.ts';
import { connectDatabase } from '../../control/db/connect.ts';
import { onePool } from '../../control/db/pools.ts';
import { addNumber } from '../../control/numbers/connect-number.ts';
import { createActiveWorkspace } from '../../control/workspaces/create-workspace.ts';
import { setRequestsPerMinute } from '../../control/workspaces/plan.ts';
import { connectBus } from '../../shared/bus/bus.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { giveCredits, PLENTY_PAISE } from './credits.ts';
import { eventually, pause } from './until.ts';

/** The result of `raceForSlots`. */
export interface SlotRace {
  placed: number;
  inbound: { taken: number; rejected: number };
  /** Maximum of simultaneous live calls, at the carrier and in the database. */
  maxAtCarrier: number;
  maxInDatabase: number;
  /** Number of dial requests by call id. */
  dials: Map<string, number>;
  /** Calls that are not over, or whose timeline is not that of a call dialled once. */
  wrong: number;
  seconds: number;
}

export interface SlotRaceOptions {
  postgresUrl: string;
  natsUrl: string;
  placements: number;
  clients: number;
  slots: number;
}

const CALLBACK_KEY = 'simulated';
const NUMBER = '+911140000001';
const ENDINGS = ['busy', 'no-answer', 'failed', 'canceled', 'completed'] as const;

/**
 * Runs two control apps with their own connections and dispatchers over one database and bus; clients place calls through both
 * APIs concurrently, with inbound calls in between, and a carrier whose calls end soon.
 */
export async function raceForSlots(options: SlotRaceOptions): Promise<SlotRace> {
  const { postgresUrl, natsUrl, placements, clients, slots } = options;
  const log = createLogger('control', 'silent');
  const clock = systemClock;
  const sql = connectDatabase({ url: postgresUrl, name: 'slot-race', max: 4 });
  const closing: (() => Promise<unknown>)[] = [() => sql.end({ timeout: 5 })];
  const dials = new Map<string, number>();
  const atCarrier = new Set<string>();
  const ending = new Set<Promise<void>>();
  let maxAtCarrier = 0;
  let maxInDatabase = 0;
  let carrierCalls = 0;
  const apps: App[] = [];

  const config = readControlConfig({
    DATABASE_URL: postgresUrl,
    MEDIA_TOKEN_SECRET: 'a secret of the tests',
    OPENAI_API_KEY: 'simulated',
    RECORDINGS_DIR: '/nowhere',
    PUBLIC_API_URL: 'http://127.0.0.1:1',
  });

  async function sampleLiveCalls(): Promise<void> {
    maxAtCarrier = Math.max(maxAtCarrier, atCarrier.size);
    const [row] = await sql<{ live: number }[]>`
      select count(*)::integer as live from calls where status in ('ringing', 'in-progress')`;
    maxInDatabase = Math.max(maxInDatabase, row!.live);
  }

  /** Samples while the call is live, then sends the carrier's status callback of its end. */
  function endSoon(callId: string, sid: string, status: (typeof ENDINGS)[number]): void {
    atCarrier.add(sid);
    const work = (async () => {
      await sampleLiveCalls();
      // The first calls last until every slot is taken, so that all slots are contended.
      while (maxInDatabase < slots) {
        await pause(5);
        await sampleLiveCalls();
      }
      await pause(10 + Math.random() * 60);
      atCarrier.delete(sid);
      const url = `/carriers/twilio/status${callId === '' ? '' : `?call_id=${callId}`}`;
      const answer = await sendCallback(url, { CallSid: sid, CallStatus: status, From: NUMBER, To: NUMBER });
      if (answer.statusCode !== 200) throw new Error(`a callback was responded to with ${answer.statusCode}`);
    })();
    ending.add(work);
    void work.finally(() => ending.delete(work)).catch(() => {});
  }

  const anyApp = () => apps[Math.floor(Math.random() * apps.length)]!;
  const sendCallback = (url: string, form: Record<string, string>) =>
    anyApp().http.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams(form).toString(),
    });

  const carrier: Carrier = {
    ...createTwilio({ account_sid: 'AC1', auth_token: CALLBACK_KEY, api_url: 'http://127.0.0.1:1' }),
    verifyCallback: () => true,
    async dial({ status_url }): Promise<DialOutcome> {
      const callId = new URL(status_url).searchParams.get('call_id')!;
      dials.set(callId, (dials.get(callId) ?? 0) + 1);
      const nth = ++carrierCalls;
      await sampleLiveCalls();
      if (nth % 10 === 0) return { accepted: false, reason: 'not today' };
      endSoon(callId, `CA${nth}`, ENDINGS[nth % 4]!);
      return { accepted: true, provider_call_id: `CA${nth}`, provider_request_id: '' };
    },
    hangUp: async () => 'done',
  };

  try {
    for (let nth = 0; nth < 2; nth++) {
      const own = connectDatabase({ url: postgresUrl, name: `control-${nth}`, max: 12 });
      closing.push(() => own.end({ timeout: 5 }));
      const bus = await connectBus({ url: natsUrl, name: `control-${nth}`, log });
      closing.push(() => bus.close());
      await bus.prepare();
      const carriers = new Map([['twilio', carrier] as const]);
      const app = await buildApp({ pools: onePool(own), bus, clock, log, config, carriers });
      closing.push(() => app.stop());
      closing.push(() => app.http.close());
      apps.push(app);
    }
    const { workspace_id, key } = await createActiveWorkspace(sql, clock.wall(), 'Race', 'tests');
    await sql`insert into wallets (workspace_id, opened_at) values (${workspace_id}, now()) on conflict do nothing`;
    await giveCredits(sql, workspace_id, PLENTY_PAISE);
    await setRequestsPerMinute(sql, workspace_id, 1_000_000);
    await sql`update workspaces set concurrency_limit = ${slots} where id = ${workspace_id}`;
    const headers = { 'x-api-key': key.key };
    const agent = await apps[0]!.http.inject({
      ...{ method: 'POST', url: '/api/v1/agents', headers },
      payload: { name: 'Asha', welcome_message: 'Hello', system_prompt: 'Answer.' },
    });
    const agentId = agent.json<{ id: string }>().id;
    await addNumber(sql, clock.wall(), { workspace_id, number: NUMBER, provider: 'twilio', agent_id: agentId });
    for (const app of apps) app.start();

    const startMs = performance.now();
    const inbound = { taken: 0, rejected: 0 };
    let left = placements;
    let calls = 0;
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        while (left > 0) {
          left--;
          const answer = await anyApp().http.inject({
            ...{ method: 'POST', url: `/api/v1/agents/${agentId}/call`, headers },
            payload: { to_number: `+9198${String(10_000_000 + client)}` },
          });
          if (answer.statusCode !== 201)
            throw new Error(`placing a call responded ${answer.statusCode}: ${answer.body}`);
          calls++;
          if (calls % 10 !== 0) continue;
          const sid = `CAin${calls}`;
          const ring = { CallSid: sid, CallStatus: 'ringing', From: '+919811112222', To: NUMBER };
          const response = await sendCallback('/carriers/twilio/inbound', ring);
          const taken = response.body.includes('<Stream');
          if (taken) endSoon('', sid, 'canceled');
          inbound[taken ? 'taken' : 'rejected']++;
        }
      }),
    );
    await eventually('every call to be over', 600_000, async () => {
      const [row] = await sql<{ open: number }[]>`
        select count(*)::integer as open from calls where status in ('queued', 'ringing', 'in-progress')`;
      return row!.open === 0 ? true : null;
    });
    const seconds = (performance.now() - startMs) / 1_000;
    await Promise.all(ending);
    const wrong = await sql`
      select calls.id from calls left join call_events on call_events.call_id = calls.id
      where calls.direction = 'outbound'
      group by calls.id, calls.event_seq
      having count(*) filter (where type = 'call.queued') <> 1 or count(*) filter (where type = 'call.dequeued') <> 1
        or count(*) filter (where type = 'call.ended') <> 1 or count(*) filter (where type = 'call.placed') > 1
        or max(seq) <> count(*) or max(seq) <> calls.event_seq`;
    return { placed: calls, inbound, maxAtCarrier, maxInDatabase, dials, wrong: wrong.length, seconds };
  } finally {
    for (const close of closing.reverse()) await close();
  }
}
