import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BucketSimulator, startBucketSimulator } from '../../fixtures/simulators/bucket.ts';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { CHUNK_BYTES, CHUNK_SECONDS } from '../../shared/recordings/chunks.ts';
import { waitForWelcome } from '../support/conversing-caller.ts';
import { eventually } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

/** Recordings are stored in chunks in a bucket during calls through both programs. */

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
  const phone = await incoming.waitForPhone(60_000);
  const callId = await service.callOf(from);
  await phone.waitForAgentSpeech(60_000, 0);
  return { phone, callId };
}

const chunksOf = (callId: string) => [...bucket.objects.keys()].filter((name) => name.includes(callId)).length;

/** Speaks until this many chunks are stored. */
async function speakUntilStored(phone: Phone, callId: string, chunks: number): Promise<void> {
  await eventually(`${chunks} chunks`, 60_000, async () => {
    await phone.say(loadSpeech('short-two-people').samples).done;
    return chunksOf(callId) >= chunks || null;
  });
}

async function recordingOf(callId: string, range?: string): Promise<{ status: number; bytes: Buffer }> {
  const answer = await fetch(`${service.stack.apiUrl}/api/v1/calls/${callId}/recording`, {
    headers: { authorization: `Bearer ${service.apiKey}`, ...(range ? { range } : {}) },
    signal: AbortSignal.timeout(60_000),
  });
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
}

function loudest(wav: Buffer): number {
  let peak = 0;
  for (let at = 44; at + 1 < wav.length; at += 4) peak = Math.max(peak, Math.abs(wav.readInt16LE(at)));
  return peak;
}

test('a recording is stored in a bucket despite its failures', async () => {
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
  expect(Math.abs(Math.log2(seconds / (phone.spokenSamples / 8_000)))).toBeLessThan(0.5);
  expect(loudest(bytes)).toBeGreaterThan(2_000);
  const part = await recordingOf(callId, `bytes=${CHUNK_BYTES}-${CHUNK_BYTES + 99}`);
  expect(part.status).toBe(206);
  expect(part.bytes.equals(bytes.subarray(CHUNK_BYTES, CHUNK_BYTES + 100))).toBe(true);
  expect(bucket.refusals).toEqual([]);
});

test('an unavailable bucket delays nothing, and the timeline reports it', async () => {
  bucket.behave('denied');
  const { phone, callId } = await callIn();
  await waitForWelcome(phone);
  await phone.say(loadSpeech('short-two-people').samples).done;
  phone.hangUp();
  const { call, events } = await service.finished(callId);
  bucket.behave('normal');
  expect(call).toMatchObject({ status: 'completed', recorded: false, hangup_reason: 'caller hung up' });
  const errors = events.filter(({ type }) => type === 'error').map(({ message, level }) => ({ message, level }));
  expect(errors[0]).toEqual({ message: 'audio of the recording could not be stored in time', level: 'warning' });
  expect((await recordingOf(callId)).status).toBe(404);
});

test('a killed engine loses only the last seconds of a recording', async () => {
  const { phone, callId } = await callIn();
  await speakUntilStored(phone, callId, 3);
  const spokenSeconds = phone.spokenSamples / 8_000;
  const storedChunks = chunksOf(callId);
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
  expect(seconds).toBeGreaterThanOrEqual(storedChunks * CHUNK_SECONDS);
  // One chunk and three mutable seconds, plus a margin for slow machines; `recorder.test.ts` is exact.
  expect(spokenSeconds - seconds).toBeLessThan(CHUNK_SECONDS + 3 + 15);
  expect(loudest(bytes)).toBeGreaterThan(2_000);
});
