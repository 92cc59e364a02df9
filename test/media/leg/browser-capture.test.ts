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
if ('unavailableReason' in opus) console.warn(`tapes of browsers are not tested here: ${opus.unavailableReason}`);

const BEAT_MS = 20;
const BEATS = 500;
/** The call begins in the middle of things: somebody listens from here on. */
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

/** What a call learns from its leg, a line each. */
function ledger(told: string[], withSound: boolean): LegListener {
  return {
    audio(frame, atMs) {
      const sound = withSound ? Buffer.from(frame).toString('base64') : frame.length;
      told.push(`${atMs.toFixed(3)} ${sound}`);
    },
    stalled: () => told.push('stalled'),
    mark: (name) => told.push(`mark ${name}`),
    cleared: () => told.push('cleared'),
    digit: (digit) => told.push(`digit ${digit}`),
    ended: (cause, detail) => told.push(`${cause}: ${detail}`),
  };
}

/** The caller's packets, some lost, late, doubled or none at all, as `[arrives at this beat, sequence, payload]`. */
function packets(codec: OpusCodec): { beat: number; sequence: number; payload: Uint8Array }[] {
  return Array.from({ length: BEATS }, (_, sequence) => {
    const frame = new Int16Array(320);
    const speaks = sequence % 100 < 60;
    if (speaks)
      for (let i = 0; i < 320; i++) frame[i] = 8_000 * Math.sin((sequence * 320 + i) * (0.05 + sequence / 5e3));
    const payload = codec.encode(new Uint8Array(frame.buffer)).slice();
    const beat = sequence + (sequence % 17 === 0 ? 2 : 0);
    return { beat, sequence, payload };
  }).filter(({ sequence }) => sequence % 23 !== 0 && (sequence < 200 || sequence > 330));
}

/** A browser's call of ten seconds, and what its leg told. */
async function tapedCall(codec: OpusCodec): Promise<{ entries: CaptureEntry[]; told(withSound: boolean): string[] }> {
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
  const both = { withSound: [] as string[], without: [] as string[] };
  const arriving = packets(codec);
  await beats(clock, leg, both, (beat, nowMs) => {
    if (beat === LISTENS_AT)
      tap.attach(captureLeg((entry, t = clock.now()) => entries.push({ t, ...entry } as CaptureEntry)));
    for (const { sequence, payload } of arriving.filter((packet) => packet.beat === beat)) {
      const rtp = new Uint8Array(1_600);
      const header = { payloadType: 111, ssrc: 42, marker: false, sequence, timestamp: 960 * sequence };
      const packet = rtp.subarray(0, writeRtp(header, payload, rtp));
      leg.receive(packet, nowMs);
      // Doubled on the way, and one that is nobody's.
      if (sequence % 31 === 0) leg.receive(packet, nowMs);
      leg.receive(rtp.subarray(0, 5), nowMs);
    }
    if (beat === 10) leg.press('7');
    if (beat === 100 || beat === 130) leg.muted = beat === 100;
    if (beat === 150) leg.press('#');
    if (beat === 160) leg.updateQuality({ roundTripMs: 180.25, lossPercent: 3 });
    if (beat === BEATS - 5) leg.finish('hung up', 'caller hung up');
  });
  return { entries, told: (withSound) => (withSound ? both.withSound : both.without) };
}

/** Ten seconds of beats; `each` is given its moment before the leg is. */
async function beats(
  clock: ReturnType<typeof createVirtualClock>,
  leg: Leg,
  told: { withSound: string[]; without: string[] },
  each: (beat: number, nowMs: number) => void,
): Promise<void> {
  for (let beat = 0; beat < BEATS; beat++) {
    each(beat, clock.now());
    if (beat === LISTENS_AT) {
      const [full, short] = [ledger(told.withSound, true), ledger(told.without, false)];
      const names = ['audio', 'stalled', 'mark', 'cleared', 'digit', 'ended'] as const;
      leg.listen(
        Object.fromEntries(
          names.map((name) => [
            name,
            (...news: never[]) => {
              for (const one of [full, short]) (one[name] as (...args: never[]) => void)(...news);
            },
          ]),
        ) as unknown as LegListener,
      );
    }
    if (beat > LISTENS_AT) leg.tick(clock.now());
    await clock.advance(BEAT_MS);
  }
}

async function played(head: CaptureHeader, entries: readonly CaptureEntry[], withSound: boolean): Promise<string[]> {
  const clock = createVirtualClock();
  const line = createReplayLeg(head, clock, withSound, () => {});
  const told = { withSound: [] as string[], without: [] as string[] };
  let next = 0;
  await beats(clock, line.leg, told, (_beat, nowMs) => {
    for (; next < entries.length && entries[next]!.t <= nowMs; next++) expect(line.deliver(entries[next]!)).toBe(true);
  });
  expect(next).toBe(entries.length);
  if (!line.leg.playoutDelayMs) throw new Error('a browser is heard later');
  return [`heard ${line.leg.playoutDelayMs} ms later`, ...(withSound ? told.withSound : told.without)];
}

describe.skipIf('unavailableReason' in opus)("a browser's line on tape", () => {
  const newCodec = () => (opus as { newCodec(): OpusCodec }).newCodec();

  test('tells a call the same when it is played: every sample, gap, stall, key, and the end', async () => {
    const { entries, told } = await tapedCall(newCodec());
    const then = told(true);
    expect(then).toEqual(expect.arrayContaining(['stalled', 'digit 7', 'digit #', 'hung up: caller hung up']));
    expect(new Set(entries.map(({ k }) => k))).toEqual(
      new Set(['packet', 'mute', 'digit', 'connection_report', 'ended']),
    );
    // By way of the file.
    const read = JSON.parse(JSON.stringify(entries)) as CaptureEntry[];
    expect(await played(HEAD, read, true)).toEqual([`heard ${60 + 180.25 / 2} ms later`, ...then]);
  });

  test('tells it the same without the sound, but for what was said', async () => {
    const { entries, told } = await tapedCall(newCodec());
    const wordless = entries.flatMap((entry) => (redactContent(entry) as CaptureEntry | null) ?? []);
    expect(JSON.stringify(wordless)).not.toMatch(/"audio":"[^"]/);
    const [, ...now] = await played({ ...HEAD, redacted: true }, wordless, false);
    const shape = (lines: string[]) => lines.map((line) => line.replace(/^(digit) .*|: .*$/, '$1'));
    expect(shape(now)).toEqual(shape(told(false)));
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
