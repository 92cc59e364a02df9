import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import type { CallEvent } from '../../shared/bus/messages.ts';
import { type AdmittedCall, type MediaProgram, startMediaProgram } from '../support/media-program.ts';
import { type SimulatedProviders, startSimulatedProviders } from '../support/simulated-providers.ts';
import { eventually, pause } from '../support/until.ts';

/** Several engines on one port, as the processes they are, over a real bus. */

const PROCESSES = 3;
const CALLS_EACH = 2;
const WITHIN_MS = 30_000;
/** Sounds without a pause, so that a gap would show. */
const AGENT = {
  // Nothing is said, so that no provider's lateness on a busy machine ends a call here.
  welcome_message: '',
  transcriber: { provider: 'deepgram_flux' },
  voice: { provider: 'elevenlabs', voice_id: 'test', language: 'en' },
  call: { record: false, ambient_sound: 'office', hangup_after_silence_seconds: 120 },
};

/** A connection of its own, so that anybody may answer. */
const FRESH = { headers: { connection: 'close' } };

interface EngineLine {
  engine_id: string;
  pid: number;
  private_port: number;
  calls: number;
  room: number;
  relayed: number;
}

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
    MAX_CALLS: String(CALLS_EACH),
    DRAIN_SECONDS: '60',
    ...providers.settings,
  });
  await engines((lines) => lines.length === PROCESSES);
});
beforeEach(({ onTestFailed }) => {
  onTestFailed(() => console.log(media.tail(40)));
});
/** What a test that failed left on the line must not fail the next. */
afterEach(() => {
  for (const phone of phones.splice(0)) phone.hangUp();
});
afterAll(async () => {
  await media?.stop();
  await providers?.close();
});

async function metrics(port = media.port): Promise<{ calls: number; room: number; engines: EngineLine[] } | null> {
  const answer = await fetch(`http://127.0.0.1:${port}/metricsz`, FRESH).catch(() => null);
  return answer?.ok ? ((await answer.json()) as { calls: number; room: number; engines: EngineLine[] }) : null;
}

/** The engines, once whoever of them is asked tells of them what is waited for. */
function engines(expected: (lines: EngineLine[]) => boolean): Promise<EngineLine[]> {
  return eventually('the engines to be as expected', WITHIN_MS, async () => {
    const lines = (await metrics())?.engines;
    if (!lines || !expected(lines)) return null;
    for (const { private_port } of lines) {
      const theirs = (await metrics(private_port))?.engines;
      if (!theirs || !expected(theirs)) return null;
    }
    return lines;
  });
}

const idle = () =>
  engines(
    (lines) => lines.length === PROCESSES && lines.every(({ calls, room }) => calls === 0 && room === CALLS_EACH),
  );

interface Line {
  call: AdmittedCall;
  phone: Phone;
}

/** A call whose stream comes to this engine first. */
async function callAt({ private_port }: EngineLine): Promise<Line> {
  const call = media.admit(AGENT);
  const phone = await media.join(call, private_port);
  phones.push(phone);
  await heardMore(phone, 10);
  return { call, phone };
}

/** So many more frames of the agent come. */
async function heardMore(phone: Phone, frames = 50): Promise<void> {
  const before = phone.agentFrames.length;
  await phone.waitFor('more sound', WITHIN_MS, () => phone.agentFrames.length >= before + frames);
}

async function hangUp({ call, phone }: Line): Promise<CallEvent[]> {
  phone.hangUp();
  const events = await call.ended(WITHIN_MS);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.at(-1)!.ending).toMatchObject({ hangup_by: 'caller' });
  return events;
}

const running = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('three engines on one port', () => {
  test('answer for each other, and pass on a stream that comes to one without room', async () => {
    const [first] = await idle();
    expect((await metrics())!.room).toBe(PROCESSES * CALLS_EACH);
    const lines = [await callAt(first!), await callAt(first!)];
    await engines((all) => all.some(({ engine_id, room }) => engine_id === first!.engine_id && room === 0));
    const passedOn = await callAt(first!);
    await engines((all) => all.find(({ engine_id }) => engine_id === first!.engine_id)?.relayed === 1);
    expect((await fetch(`http://127.0.0.1:${first!.private_port}/readyz`)).status).toBe(200);
    expect((await metrics())!.calls).toBe(3);

    for (const line of lines) {
      expect((await hangUp(line)).every(({ engine_id }) => engine_id === first!.engine_id)).toBe(true);
    }
    const events = await hangUp(passedOn);
    expect(events.some(({ engine_id }) => engine_id === first!.engine_id)).toBe(false);
    await engines((all) => all.every(({ relayed }) => relayed === 0));
  });

  test('refuse when none has room', async () => {
    const lines: Line[] = [];
    for (const engine of await idle()) for (let at = 0; at < CALLS_EACH; at++) lines.push(await callAt(engine));
    await engines((all) => all.every(({ room }) => room === 0));
    await expect(media.join(media.admit(AGENT))).rejects.toThrow('503');
    expect((await fetch(`http://127.0.0.1:${media.port}/readyz`)).status).toBe(503);
    for (const line of lines) await hangUp(line);
  });

  test('a stream that comes back at the wrong one goes on', async () => {
    const [home, other] = await idle();
    const { call, phone } = await callAt(home!);
    phone.dropConnection();
    const next = await media.join(call, other!.private_port);
    await heardMore(next);
    // A pass is used up by the engine of its call, wherever it is shown.
    const twice = await media.join(call, other!.private_port);
    await twice.waitForEnd(WITHIN_MS);
    expect(twice.events.at(-1)).toMatchObject({ type: 'ended', code: 1008 });
    const events = await hangUp({ call, phone: next });
    expect(new Set(events.map(({ engine_id }) => engine_id))).toEqual(new Set([home!.engine_id]));
    expect(events.filter(({ type }) => type === 'call.started')).toHaveLength(1);
  });

  test('an agent that hangs up is heard through the other engine', async () => {
    const [home, other] = await idle();
    const { call, phone } = await callAt(home!);
    phone.dropConnection();
    const next = await media.join(call, other!.private_port);
    await heardMore(next, 10);
    process.kill(home!.pid, 'SIGINT');
    expect(await next.waitForEnd(WITHIN_MS)).toBe('agent');
    expect(next.events.at(-1)).toMatchObject({ type: 'ended', code: 1000 });
    expect((await call.ended(WITHIN_MS)).at(-1)!.ending).toMatchObject({ hangup_reason: 'error: engine stopped' });
  });

  test('one that is told to leave takes no call, finishes its own, and another takes its place', async () => {
    const [leaver, other] = await idle();
    const staying = await callAt(other!);
    const own = await callAt(leaver!);
    process.kill(leaver!.pid, 'SIGTERM');
    await engines((all) => all.some(({ engine_id, room }) => engine_id === leaver!.engine_id && room === 0));
    // Its own port is closed by then, so nothing new comes to it.
    const newcomers = [media.admit(AGENT), media.admit(AGENT)];
    const theirs = await Promise.all(newcomers.map((call) => media.join(call)));
    await Promise.all([own.phone, staying.phone, ...theirs].map((phone) => heardMore(phone)));
    for (const [at, call] of newcomers.entries()) {
      const events = await hangUp({ call, phone: theirs[at]! });
      expect(events.some(({ engine_id }) => engine_id === leaver!.engine_id)).toBe(false);
    }
    expect(running(leaver!.pid)).toBe(true);
    const events = await hangUp(own);
    expect(events.every(({ engine_id }) => engine_id === leaver!.engine_id)).toBe(true);
    await hangUp(staying);
    const after = await idle();
    expect(after.map(({ pid }) => pid)).not.toContain(leaver!.pid);
    expect(running(leaver!.pid)).toBe(false);
  });

  test('one that is killed is followed by another, and nobody else notices', async () => {
    const [victim, ...others] = await idle();
    const lost = await callAt(victim!);
    const staying = [await callAt(others[0]!), await callAt(others[1]!)];
    process.kill(victim!.pid, 'SIGKILL');
    expect(await lost.phone.waitForEnd(WITHIN_MS)).toBe('agent');
    await Promise.all(staying.map(({ phone }) => heardMore(phone)));
    const all = await engines((now) => now.length === PROCESSES && now.every(({ pid }) => pid !== victim!.pid));
    const next = await callAt(all.find(({ pid }) => !others.some((other) => other.pid === pid))!);
    for (const line of [...staying, next]) await hangUp(line);
  });

  test('are replaced one after the other during calls, and leave together', async () => {
    const before = await idle();
    const call = await callAt(before[0]!);
    process.kill(media.pid, 'SIGHUP');
    // The first waits for its call, so there are four.
    await engines((all) => all.length === PROCESSES + 1);
    await heardMore(call.phone);
    await hangUp(call);
    const after = await engines(
      (all) =>
        all.length === PROCESSES && all.every(({ pid, room }) => room > 0 && !before.some((old) => old.pid === pid)),
    );
    const last = await callAt(after[0]!);
    process.kill(media.pid, 'SIGTERM');
    await eventually('no more calls to be taken', WITHIN_MS, async () => {
      // Those without calls leave at once, and with them what connections they were given.
      const answer = await fetch(`http://127.0.0.1:${media.port}/readyz`, FRESH).catch(() => null);
      return answer?.status === 503 || null;
    });
    await heardMore(last.phone);
    await hangUp(last);
    await eventually('everybody to be gone', WITHIN_MS, async () => {
      await pause(50);
      return [...after.map(({ pid }) => pid), media.pid].some(running) ? null : true;
    });
  });
});
