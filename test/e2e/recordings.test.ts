import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BucketSimulator, startBucketSimulator } from '../../fixtures/simulators/bucket.ts';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { CHUNK_BYTES, CHUNK_SECONDS } from '../../shared/recordings/chunks.ts';
import { waitForWelcome } from '../support/conversing-caller.ts';
import { eventually } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

/** Recordings leave the engine in pieces, into a bucket, while real calls run through both programs. */

let service: Service;
let bucket: BucketSimulator;
let callers = 0;

beforeAll(async () => {
  bucket = await startBucketSimulator({ pageSize: 2 });
  service = await startService({
    transcripts: [],
    answer: () => ({ text: 'Yes.' }),
    settings: {
      RECORDINGS_BUCKET: bucket.bucket,
      RECORDINGS_ENDPOINT: bucket.endpoint,
      RECORDINGS_REGION: bucket.region,
      RECORDINGS_ACCESS_KEY_ID: bucket.accessKeyId,
      RECORDINGS_SECRET_ACCESS_KEY: bucket.secretAccessKey,
    },
  });
});
afterAll(async () => {
  await service?.close();
  await bucket?.close();
});

async function callIn(): Promise<{ phone: Phone; callId: string }> {
  const { number } = await service.agentOn('twilio', { call: { max_duration_seconds: 300 } });
  const from = `+91987651${String(callers++).padStart(4, '0')}`;
  const url = `${service.stack.apiUrl}/carriers/twilio`;
  const incoming = service.carriers.twilio.placeInbound({
    from,
    to: number,
    url: `${url}/inbound`,
    statusUrl: `${url}/status`,
  });
  const phone = await incoming.waitForPhone(20_000);
  const callId = await service.callOf(from);
  await phone.waitForAgentSpeech(20_000, 0);
  return { phone, callId };
}

const piecesOf = (callId: string) => [...bucket.objects.keys()].filter((name) => name.includes(callId)).length;

/** Speaks on until so many pieces are stored. */
async function speakUntilStored(phone: Phone, callId: string, pieces: number): Promise<void> {
  await eventually(`${pieces} pieces`, 60_000, async () => {
    await phone.say(loadSpeech('short-two-people').samples).done;
    return piecesOf(callId) >= pieces || null;
  });
}

async function recordingOf(callId: string, range?: string): Promise<{ status: number; bytes: Buffer }> {
  const answer = await fetch(`${service.stack.apiUrl}/api/v1/calls/${callId}/recording`, {
    headers: { authorization: `Bearer ${service.apiKey}`, ...(range ? { range } : {}) },
    signal: AbortSignal.timeout(20_000),
  });
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
}

function loudest(wav: Buffer): number {
  let peak = 0;
  for (let at = 44; at + 1 < wav.length; at += 4) peak = Math.max(peak, Math.abs(wav.readInt16LE(at)));
  return peak;
}

test('a recording goes through a bucket, over its moments of weakness', { timeout: 120_000 }, async () => {
  const { phone, callId } = await callIn();
  await speakUntilStored(phone, callId, 1);
  bucket.behave('slow down', 3);
  await speakUntilStored(phone, callId, 2);
  expect((await recordingOf(callId)).status).toBe(404);
  phone.hangUp();
  const { call, events } = await service.finished(callId);
  expect(call).toMatchObject({ status: 'completed', recorded: true });
  expect(events.filter(({ type }) => type === 'error')).toEqual([]);
  const { bytes } = await recordingOf(callId);
  const seconds = (bytes.length - 44) / 32_000;
  expect(Math.abs(seconds - call.duration_seconds)).toBeLessThan(4);
  expect(loudest(bytes)).toBeGreaterThan(2_000);
  const part = await recordingOf(callId, `bytes=${CHUNK_BYTES}-${CHUNK_BYTES + 99}`);
  expect(part.status).toBe(206);
  expect(part.bytes.equals(bytes.subarray(CHUNK_BYTES, CHUNK_BYTES + 100))).toBe(true);
  expect(bucket.refusals).toEqual([]);
});

test('a bucket that is dead holds nothing up, and the timeline tells', { timeout: 120_000 }, async () => {
  bucket.behave('denied');
  const { phone, callId } = await callIn();
  await waitForWelcome(phone);
  await phone.say(loadSpeech('short-two-people').samples).done;
  phone.hangUp();
  const { call, events } = await service.finished(callId);
  bucket.behave('well');
  expect(call).toMatchObject({ status: 'completed', recorded: false, hangup_reason: 'caller hung up' });
  const told = events.filter(({ type }) => type === 'error').map(({ message, level }) => ({ message, level }));
  expect(told[0]).toEqual({ message: 'audio of the recording could not be stored in time', level: 'warning' });
  expect((await recordingOf(callId)).status).toBe(404);
});

test('of an engine killed in the middle of a call only the last seconds are lost', { timeout: 240_000 }, async () => {
  const { phone, callId } = await callIn();
  await speakUntilStored(phone, callId, 3);
  const spokenSeconds = phone.spokenSamples / 8_000;
  const storedPieces = piecesOf(callId);
  process.kill(service.stack.pids.media!, 'SIGKILL');
  phone.hangUp();
  const { call } = await service.finished(callId, 150_000);
  expect(['caller hung up', 'media engine lost', 'carrier failed']).toContain(call.hangup_reason);
  await eventually(
    'the call to know of its recording',
    60_000,
    async () => (await service.api.call(callId)).recorded || null,
  );
  const { status, bytes } = await recordingOf(callId);
  expect(status).toBe(200);
  const seconds = (bytes.length - 44) / 32_000;
  expect(seconds % CHUNK_SECONDS).toBe(0);
  expect(seconds).toBeGreaterThanOrEqual(storedPieces * CHUNK_SECONDS);
  // A piece and three seconds that may still change; the rest is for a slow machine. `recorder.test.ts` has it exactly.
  expect(spokenSeconds - seconds).toBeLessThan(CHUNK_SECONDS + 3 + 15);
  expect(loudest(bytes)).toBeGreaterThan(2_000);
});
