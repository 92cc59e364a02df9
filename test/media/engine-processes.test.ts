import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import type { CallEvent } from '../../shared/bus/messages.ts';
import {
  type AdmittedCall,
  type EngineMetrics,
  type MediaProgram,
  startMediaProgram,
  supervisorMetrics,
} from '../support/media-program.ts';
import { type SimulatedProviders, startSimulatedProviders } from '../support/simulated-providers.ts';
import { eventually, pause } from '../support/until.ts';

/** A supervisor and several engines, each on a port of its own, as real processes over a real bus. */

const PROCESSES = 3;
const CALLS_EACH = 2;
const WITHIN_MS = 60_000;
/** Has audio without a pause, so that a gap shows. */
const AGENT = {
  // The agent says nothing, so that a slow provider on a busy machine does not end the call.
  welcome_message: '',
  transcriber: { provider: 'deepgram_flux' },
  voice: { provider: 'elevenlabs', voice_id: 'test', language: 'en' },
  call: { record: false, ambient_sound: 'office', hangup_after_silence_seconds: 120 },
};

let providers: SimulatedProviders;
let media: MediaProgram;
const phones: Phone[] = [];

beforeAll(async () => {
  providers = await startSimulatedProviders({
    stt: { script: { turns: () => undefined } },
    llm: { firstTokenMs: 20, answer: () => ({ text: 'Yes.' }) },
    tts: { firstAudioMs: 20 },
  });
  media = await startMediaProgram({
    MEDIA_PROCESSES: String(PROCESSES),
    PUBLIC_ENGINE_URL: 'ws://127.0.0.1:{port}',
    MAX_CALLS: String(CALLS_EACH),
    DRAIN_SECONDS: '60',
    ...providers.settings,
  });
  await engines((all) => all.length === PROCESSES);
});
beforeEach(({ onTestFailed }) => {
  onTestFailed(() => console.log(media.tail(40)));
});
/** Calls that a failed test left must not fail the next one. */
afterEach(() => {
  for (const phone of phones.splice(0)) phone.hangUp();
});
afterAll(async () => {
  await media?.stop();
  await providers?.close();
});

const metrics = () => supervisorMetrics(media.port);

const engines: MediaProgram['engines'] = (expected) => media.engines(expected);

const idle = () =>
  engines(
    (all) => all.length === PROCESSES && all.every(({ calls, headroom }) => calls === 0 && headroom === CALLS_EACH),
  );

const readyz = async () => (await fetch(`http://127.0.0.1:${media.port}/readyz`).catch(() => null))?.status;

interface LiveCall {
  call: AdmittedCall;
  phone: Phone;
}

async function callAt({ port }: EngineMetrics): Promise<LiveCall> {
  const call = media.admit(AGENT);
  const phone = await media.join(call, port);
  phones.push(phone);
  await receiveFrames(phone, 10);
  return { call, phone };
}

/** Waits for this many more frames of the agent. */
async function receiveFrames(phone: Phone, frames = 50): Promise<void> {
  const before = phone.agentFrames.length;
  await phone.waitFor('more audio', WITHIN_MS, () => phone.agentFrames.length >= before + frames);
}

async function hangUp({ call, phone }: LiveCall): Promise<CallEvent[]> {
  phone.hangUp();
  const events = await call.ended(WITHIN_MS);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events[0]).toMatchObject({ type: 'call.started' });
  expect(events.at(-1)!.ending).toMatchObject({ hangup_by: 'caller', hangup_reason: 'caller hung up' });
  return events;
}

const running = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('several engines', () => {
  test('listen on ports of their own and report them in their heartbeats; the common port sums their metrics', async () => {
    const all = await idle();
    expect(new Set([media.port, ...all.map(({ port }) => port)]).size).toBe(PROCESSES + 1);
    expect((await metrics())!.headroom).toBe(PROCESSES * CALLS_EACH);
    expect(await readyz()).toBe(200);
    const [first] = all;
    const live = await callAt(first!);
    await engines((now) => now.some(({ engine_id, calls }) => engine_id === first!.engine_id && calls === 1));
    expect((await metrics())!.calls).toBe(1);
    const addresses = await eventually('heartbeats of all', WITHIN_MS, async () => {
      const byEngine = new Map(media.heartbeats.map((heartbeat) => [heartbeat.engine_id, heartbeat]));
      return byEngine.size >= PROCESSES ? byEngine : null;
    });
    for (const { engine_id, port } of all) {
      expect(addresses.get(engine_id)?.public_url).toBe(`ws://127.0.0.1:${port}`);
    }
    const events = await hangUp(live);
    expect(new Set(events.map(({ engine_id }) => engine_id))).toEqual(new Set([first!.engine_id]));
  });

  test('reject streams when they have no headroom', async () => {
    const live: LiveCall[] = [];
    const all = await idle();
    for (const engine of all) for (let at = 0; at < CALLS_EACH; at++) live.push(await callAt(engine));
    await engines((now) => now.every(({ headroom }) => headroom === 0));
    await expect(media.join(media.admit(AGENT), all[0]!.port)).rejects.toThrow('503');
    expect(await readyz()).toBe(503);
    for (const each of live) await hangUp(each);
  });

  test('resume a call whose stream comes back', async () => {
    const [home] = await idle();
    const { call, phone } = await callAt(home!);
    phone.dropConnection();
    const next = await media.join(call, home!.port);
    await receiveFrames(next);
    await expect(media.join(call, home!.port)).rejects.toThrow('403');
    const events = await hangUp({ call, phone: next });
    expect(new Set(events.map(({ engine_id }) => engine_id))).toEqual(new Set([home!.engine_id]));
    expect(events.filter(({ type }) => type === 'call.started')).toHaveLength(1);
  });

  test('end their calls on SIGINT', async () => {
    const [home] = await idle();
    const { call, phone } = await callAt(home!);
    process.kill(home!.pid, 'SIGINT');
    expect(await phone.waitForEnd(WITHIN_MS)).toBe('agent');
    expect(phone.events.at(-1)).toMatchObject({ type: 'ended', code: 1000 });
    expect((await call.ended(WITHIN_MS)).at(-1)!.ending).toMatchObject({ hangup_reason: 'error: engine stopped' });
  });

  test('drain on SIGTERM: no further call, calls in progress go on, then a successor starts', async () => {
    const [drained, other] = await idle();
    const staying = await callAt(other!);
    const own = await callAt(drained!);
    process.kill(drained!.pid, 'SIGTERM');
    await engines((all) => all.some(({ engine_id, headroom }) => engine_id === drained!.engine_id && headroom === 0));
    await eventually('further streams to be refused', WITHIN_MS, () =>
      media.join(media.admit(AGENT), drained!.port).then(
        (late) => {
          late.hangUp();
          return null;
        },
        (error: Error) => error.message.includes('503') || null,
      ),
    );
    await Promise.all([own.phone, staying.phone].map((phone) => receiveFrames(phone)));
    expect(running(drained!.pid)).toBe(true);
    const events = await hangUp(own);
    expect(events.every(({ engine_id }) => engine_id === drained!.engine_id)).toBe(true);
    await hangUp(staying);
    const after = await idle();
    expect(after.map(({ pid }) => pid)).not.toContain(drained!.pid);
    expect(running(drained!.pid)).toBe(false);
  });

  test('take the calls whose streams are open when they begin to drain', async () => {
    const [leaving] = await idle();
    const isLeaving = () =>
      eventually('a heartbeat without headroom', WITHIN_MS, async () => {
        const last = media.heartbeats.findLast(({ engine_id }) => engine_id === leaving!.engine_id);
        return last?.headroom === 0 || null;
      });
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    media.beforeSession = () => {
      asked.resolve();
      return answer.promise;
    };
    const [starting, opened] = [media.admit(AGENT), media.admit(AGENT)];
    const phone = await media.join(starting, leaving!.port);
    phones.push(phone);
    await asked.promise;
    const next = await media.join(opened, leaving!.port, async () => {
      process.kill(leaving!.pid, 'SIGTERM');
      await isLeaving();
    });
    phones.push(next);
    answer.resolve();
    media.beforeSession = async () => {};
    for (const live of [phone, next]) await receiveFrames(live, 10);
    await hangUp({ call: starting, phone });
    await hangUp({ call: opened, phone: next });
    const after = await idle();
    expect(after.map(({ pid }) => pid)).not.toContain(leaving!.pid);
  });

  test('are restarted after a crash, without effect on the others; control learns of it at once', async () => {
    const [victim, ...others] = await idle();
    const lost = await callAt(victim!);
    const staying = [await callAt(others[0]!), await callAt(others[1]!)];
    process.kill(victim!.pid, 'SIGKILL');
    expect(await lost.phone.waitForEnd(WITHIN_MS)).toBe('agent');
    await eventually('a heartbeat without headroom', WITHIN_MS, async () => {
      const last = media.heartbeats.findLast(({ engine_id }) => engine_id === victim!.engine_id);
      return last?.headroom === 0 && last.call_ids.length === 0 ? true : null;
    });
    await Promise.all(staying.map(({ phone }) => receiveFrames(phone)));
    const all = await engines((now) => now.length === PROCESSES && now.every(({ pid }) => pid !== victim!.pid));
    const next = await callAt(all.find(({ pid }) => !others.some((other) => other.pid === pid))!);
    for (const live of [...staying, next]) await hangUp(live);
  });

  test('are replaced one after the other during calls, and shut down together', async () => {
    const before = await idle();
    const live = await callAt(before[0]!);
    process.kill(media.pid, 'SIGHUP');
    // The first one waits for its call, so there are four.
    await engines((all) => all.length === PROCESSES + 1);
    await receiveFrames(live.phone);
    await hangUp(live);
    const after = await engines(
      (all) =>
        all.length === PROCESSES &&
        all.every(({ pid, headroom }) => headroom > 0 && !before.some((old) => old.pid === pid)),
    );
    const last = await callAt(after[0]!);
    process.kill(media.pid, 'SIGTERM');
    await eventually('no more calls to be taken', WITHIN_MS, async () => ((await readyz()) === 503 ? true : null));
    await receiveFrames(last.phone);
    await hangUp(last);
    await eventually('all processes to exit', WITHIN_MS, async () => {
      await pause(50);
      return [...after.map(({ pid }) => pid), media.pid].some(running) ? null : true;
    });
  });
});
