import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSpeech } from '../../fixtures/speech.ts';
import { decodeMulaw, encodeMulaw } from '../../media/audio/g711.ts';
import { CONVERSATION, type ConversationSamples, converse, expectConversation } from '../support/conversing-caller.ts';
import { type Service, startService } from '../support/whole-service.ts';

let service: Service;

beforeAll(async () => {
  service = await startService(CONVERSATION);
});
afterAll(() => service?.close());

async function check(callId: string, direction: string, carrier: string, spoken: ConversationSamples): Promise<void> {
  const { call, events } = await service.finished(callId);
  expect(call).toMatchObject({
    status: 'completed',
    direction,
    provider: carrier,
    channel: 'phone',
    hangup_by: 'agent',
    hangup_reason: 'agent ended the call',
    recorded: true,
  });
  expectConversation(call.transcript);

  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  // A machine that stood still for a moment is a stall to the call.
  const types = events.map((event) => event.type).filter((type) => type !== 'network.stall');
  const before = direction === 'outbound' ? ['call.queued', 'call.dequeued', 'call.placed'] : [];
  expect(types).toEqual([
    ...before,
    'call.started',
    'welcome',
    'tts.first_audio',
    'user.turn',
    'llm.first_token',
    'tts.first_audio',
    'interrupted',
    'user.turn',
    'llm.first_token',
    'tts.first_audio',
    'agent.reply',
    'user.turn',
    'llm.first_token',
    'tool.call',
    'tts.first_audio',
    'agent.reply',
    'call.ended',
    'call.completed',
  ]);
  const ended = events.find((event) => event.type === 'call.ended')!;
  expect(ended.data).toMatchObject({ duration_seconds: call.duration_seconds });
  // A discarded preemptive reply is an additional request.
  const { llm_calls } = (ended.data as { usage: { llm_calls: number } }).usage;
  expect(llm_calls).toBeGreaterThanOrEqual(3);

  const recording = await service.request('GET', `/calls/${callId}/recording`);
  const wav = Buffer.from(await recording.arrayBuffer());
  expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
  const seconds = (wav.length - 44) / 4 / 8000;
  // A call is longer by what its stream took to start.
  expect(Math.abs(Math.log2(seconds / call.duration_seconds))).toBeLessThan(0.5);
  // The recording has both sides.
  const peaks = [0, 0];
  for (let at = 44; at + 3 < wav.length; at += 4) {
    peaks[0] = Math.max(peaks[0]!, Math.abs(wav.readInt16LE(at)));
    peaks[1] = Math.max(peaks[1]!, Math.abs(wav.readInt16LE(at + 2)));
  }
  expect(Math.min(...peaks)).toBeGreaterThan(2_000);
  // The caller's utterances are in the recording at their exact samples.
  const start = startOf('short-two-people', wav, spoken.questionSample);
  expect(start).not.toBeNull();
  expect(startOf('goodbye', wav, spoken.goodbyeSample)).toBe(start);
}

/** On a busy machine frames before the leg has a listener may be lost: up to five seconds are searched. */
const MOST_FRAMES_LOST = 250;
const FRAME_SAMPLES = 160;

/** Returns the offset of the recording, from an utterance at this sample of the stream; null when it is not found. */
function startOf(name: string, wav: Buffer, streamSample: number): number | null {
  const { samples } = loadSpeech(name);
  const coded = new Uint8Array(samples.length);
  encodeMulaw(samples, coded);
  const decoded = new Int16Array(samples.length);
  decodeMulaw(coded, decoded);
  for (let lost = 0; lost <= MOST_FRAMES_LOST; lost++) {
    const from = streamSample - lost * FRAME_SAMPLES;
    if (from >= 0 && decoded.every((sample, index) => sample === wav.readInt16LE(44 + (from + index) * 4)))
      return lost * FRAME_SAMPLES;
  }
  return null;
}

describe.each(['twilio', 'plivo'] as const)('%s', (carrier) => {
  test.concurrent('a caller is answered, interrupts, and is bidden goodbye', async () => {
    const { number } = await service.agentOn(carrier);
    const from = `+9198765432${carrier === 'twilio' ? '10' : '11'}`;
    const url = `${service.stack.apiUrl}/carriers/${carrier}`;
    const incoming = service.carriers[carrier].placeInbound({
      from,
      to: number,
      url: `${url}/inbound`,
      statusUrl: `${url}/status`,
    });
    const phone = await incoming.waitForPhone(60_000);
    const callId = await service.callOf(from);
    const spoken = await converse(service, phone, callId);
    await incoming.delivered();
    await check(callId, 'inbound', carrier, spoken);
  });

  test.concurrent('a placed call is dialled, talks and ends the same way, in an office, over a cleaned line', async () => {
    const { agentId, number } = await service.agentOn(carrier, {
      call: { ambient_sound: 'office', ambient_volume: 5, noise_cancellation: true },
    });
    const to = `+9198765432${carrier === 'twilio' ? '20' : '21'}`;
    const placed = await service.request('POST', `/agents/${agentId}/call`, {
      to_number: to,
      user_data: { name: 'Asha' },
    });
    expect(placed.status).toBe(201);
    const { id, status, from_number } = (await placed.json()) as { id: string; status: string; from_number: string };
    expect({ status, from_number }).toEqual({ status: 'queued', from_number: number });
    const dialled = await service.carriers[carrier].nextCall(60_000);
    const spoken = await converse(service, await dialled.waitForPhone(60_000), id);
    await dialled.delivered();
    await check(id, 'outbound', carrier, spoken);
  });
});

test('neither carriers nor providers reported violations', () => {
  const { carriers, stt, tts } = service;
  for (const simulator of [carriers.twilio, carriers.plivo, stt, tts]) expect(simulator.violations).toEqual([]);
});
