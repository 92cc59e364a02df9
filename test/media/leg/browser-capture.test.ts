import { describe, expect, test } from 'vitest';
import { createReplayLeg } from '../../../bench/replay/captured-leg.ts';
import { PCM_16K } from '../../../media/audio/format.ts';
import { loadOpus, type OpusCodec } from '../../../media/audio/opus.ts';
import { writeRtp } from '../../../media/audio/rtp.ts';
import { captureLeg } from '../../../media/call/captured-call.ts';
import { BrowserLeg } from '../../../media/leg/browser-leg.ts';
import type { Leg, LegListener } from '../../../media/leg/leg.ts';
import { createEarlyLegCapture } from '../../../media/leg/leg-capture.ts';
import type { CaptureEntry, CaptureHeader } from '../../../shared/capture.ts';
import { redactContent } from '../../../shared/capture-redaction.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const opus = loadOpus();
if ('unavailableReason' in opus) console.warn(`captures of browsers are not tested here: ${opus.unavailableReason}`);

const TICK_MS = 20;
const TICKS = 500;
/** The call starts after packets have arrived: the leg has a listener from here on. */
const LISTENS_AT = 25;

const HEAD: CaptureHeader = {
  k: 'header',
  version: 3,
  call_id: 'c',
  wall_ms: 0,
  redacted: false,
  session: {
    direction: 'inbound',
    channel: 'web',
    agent_json: '{}',
    user_data_json: '{}',
    max_duration_seconds: 60,
    llm_fallbacks: [],
    knowledge: null,
  },
  leg: { carrier: 'browser', caller: PCM_16K, agent: PCM_16K },
};

/** Records the leg's events, a line each. */
function recordEvents(events: string[], withAudio: boolean): LegListener {
  return {
    audio(frame, atMs) {
      const audio = withAudio ? Buffer.from(frame).toString('base64') : frame.length;
      events.push(`${atMs.toFixed(3)} ${audio}`);
    },
    stalled: () => events.push('stalled'),
    mark: (name) => events.push(`mark ${name}`),
    digit: (digit) => events.push(`digit ${digit}`),
    ended: (cause, detail) => events.push(`${cause}: ${detail}`),
  };
}

/** The caller's packets, some lost, late or in DTX. */
function packets(codec: OpusCodec): { tick: number; sequence: number; payload: Uint8Array }[] {
  return Array.from({ length: TICKS }, (_, sequence) => {
    const frame = new Int16Array(320);
    const speech = sequence % 100 < 60;
    if (speech)
      for (let i = 0; i < 320; i++) frame[i] = 8_000 * Math.sin((sequence * 320 + i) * (0.05 + sequence / 5e3));
    const payload = codec.encode(new Uint8Array(frame.buffer)).slice();
    const tick = sequence + (sequence % 17 === 0 ? 2 : 0);
    return { tick, sequence, payload };
  }).filter(({ sequence }) => sequence % 23 !== 0 && (sequence < 200 || sequence > 330));
}

/** A browser's call of ten seconds, and the events of its leg. */
async function capturedCall(
  codec: OpusCodec,
): Promise<{ entries: CaptureEntry[]; events(withAudio: boolean): string[] }> {
  const clock = createVirtualClock();
  const entries: CaptureEntry[] = [];
  const tap = createEarlyLegCapture();
  const line = { sendRtp() {}, transcript() {}, close() {} };
  const leg = new BrowserLeg({
    clock,
    codec,
    transport: line,
    agentStream: { payloadType: 100, ssrc: 7 },
    capture: tap,
  });
  const both = { withAudio: [] as string[], without: [] as string[] };
  const arriving = packets(codec);
  await runTicks(clock, leg, both, (tick, nowMs) => {
    if (tick === LISTENS_AT)
      tap.attach(captureLeg((entry, t = clock.now()) => entries.push({ t, ...entry } as CaptureEntry)));
    for (const { sequence, payload } of arriving.filter((packet) => packet.tick === tick)) {
      const rtp = new Uint8Array(1_600);
      const header = { payloadType: 111, ssrc: 42, marker: false, sequence, timestamp: 960 * sequence };
      const packet = rtp.subarray(0, writeRtp(header, payload, rtp));
      leg.receive(packet, nowMs);
      // A duplicate, and an invalid packet.
      if (sequence % 31 === 0) leg.receive(packet, nowMs);
      leg.receive(rtp.subarray(0, 5), nowMs);
    }
    if (tick === 10) leg.press('7');
    if (tick === 100 || tick === 130) leg.muted = tick === 100;
    if (tick === 150) leg.press('#');
    if (tick === 160) leg.updateQuality({ roundTripMs: 180.25, lossPercent: 3 });
    if (tick === TICKS - 5) leg.finish('hung up', 'caller hung up');
  });
  return { entries, events: (withAudio) => (withAudio ? both.withAudio : both.without) };
}

/** Runs ten seconds of ticks; `each` is called before the leg's own tick. */
async function runTicks(
  clock: ReturnType<typeof createVirtualClock>,
  leg: Leg,
  events: { withAudio: string[]; without: string[] },
  each: (tick: number, nowMs: number) => void,
): Promise<void> {
  for (let tick = 0; tick < TICKS; tick++) {
    each(tick, clock.now());
    if (tick === LISTENS_AT) {
      const [full, short] = [recordEvents(events.withAudio, true), recordEvents(events.without, false)];
      const names = ['audio', 'stalled', 'mark', 'digit', 'ended'] as const;
      leg.listen(
        Object.fromEntries(
          names.map((name) => [
            name,
            (...args: never[]) => {
              for (const one of [full, short]) (one[name] as (...args: never[]) => void)(...args);
            },
          ]),
        ) as unknown as LegListener,
      );
    }
    if (tick > LISTENS_AT) leg.tick(clock.now());
    await clock.advance(TICK_MS);
  }
}

async function played(head: CaptureHeader, entries: readonly CaptureEntry[], withAudio: boolean): Promise<string[]> {
  const clock = createVirtualClock();
  const replayLeg = createReplayLeg({ head, entries: [...entries] }, clock, withAudio, () => {});
  const events = { withAudio: [] as string[], without: [] as string[] };
  let next = 0;
  await runTicks(clock, replayLeg.leg, events, (_tick, nowMs) => {
    for (; next < entries.length && entries[next]!.t <= nowMs; next++)
      expect(replayLeg.deliver(entries[next]!)).toBe(true);
  });
  expect(next).toBe(entries.length);
  if (!replayLeg.leg.playoutDelayMs) throw new Error('a browser has a playout delay');
  return [`playout delay ${replayLeg.leg.playoutDelayMs} ms`, ...(withAudio ? events.withAudio : events.without)];
}

describe.skipIf('unavailableReason' in opus)("a captured browser's leg", () => {
  const newCodec = () => (opus as { newCodec(): OpusCodec }).newCodec();

  test('has the same events in replay: every sample, gap, stall, digit, and the end', async () => {
    const { entries, events } = await capturedCall(newCodec());
    const then = events(true);
    expect(then).toEqual(expect.arrayContaining(['stalled', 'digit 7', 'digit #', 'hung up: caller hung up']));
    expect(new Set(entries.map(({ k }) => k))).toEqual(
      new Set(['packet', 'mute', 'digit', 'connection_report', 'ended']),
    );
    // By way of the file.
    const read = JSON.parse(JSON.stringify(entries)) as CaptureEntry[];
    expect(await played(HEAD, read, true)).toEqual([`playout delay ${60 + 180.25 / 2} ms`, ...then]);
  });

  test('has the same events after redaction, without their content', async () => {
    const { entries, events } = await capturedCall(newCodec());
    const wordless = entries.flatMap((entry) => (redactContent(entry) as CaptureEntry | null) ?? []);
    expect(JSON.stringify(wordless)).not.toMatch(/"audio":"[^"]/);
    const [, ...now] = await played({ ...HEAD, redacted: true }, wordless, false);
    const shape = (lines: string[]) => lines.map((line) => line.replace(/^(digit) .*|: .*$/, '$1'));
    expect(shape(now)).toEqual(shape(events(false)));
  });
});

test('what comes before anybody listens is bounded, and no key or switch of it is lost', () => {
  const tap = createEarlyLegCapture();
  tap.muted(true, 0);
  for (let sequence = 0; sequence < 2_000; sequence++) {
    tap.packet({ sequence, timestamp: 0, payload: Uint8Array.of(sequence & 0xff) }, sequence);
    if (sequence === 1_000) tap.message({ type: 'digit', digit: '5' }, sequence);
  }
  const entries: CaptureEntry[] = [];
  tap.attach(captureLeg((entry, t = 0) => entries.push({ t, ...entry } as CaptureEntry)));
  expect(entries).toHaveLength(500);
  expect(entries[0]).toEqual({ t: 0, k: 'mute', muted: true });
  expect(entries.filter(({ k }) => k === 'digit')).toHaveLength(1);
  expect(entries.at(-1)).toMatchObject({ k: 'packet', sequence: 1_999 });
});
