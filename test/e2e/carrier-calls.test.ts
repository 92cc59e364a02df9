import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { decodeMulaw, encodeMulaw } from '../../media/audio/g711.ts';
import { pause } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

const LONG =
  'Certainly, let me read that back to you. A table for two people tomorrow evening at seven, by the window, under your name.';

let service: Service;

beforeAll(async () => {
  service = await startService({
    heard: ['for two people', 'wait stop i want to change the time', 'thank you very much goodbye'],
    answer(words) {
      if (words.includes('goodbye')) return { text: 'Goodbye.', toolCalls: [{ name: 'end_call', arguments: {} }] };
      return { text: words.includes('change') ? 'To what time?' : LONG };
    },
  });
});
afterAll(() => service?.close());

/** A caller who asks, interrupts the answer, and says goodbye. Gives where on the line the goodbye began. */
async function converse(phone: Phone): Promise<number> {
  await phone.waitForAgentSpeech(20_000, 0);
  await phone.waitForAgentSilence(400, 20_000);
  await say(phone, 'short-two-people');
  await phone.waitForAgentSpeech(15_000);
  await pause(1_200);
  const askedMs = performance.now();
  await say(phone, 'change-time');
  await phone.waitForClear(10_000, askedMs);
  await phone.waitForAgentSpeech(15_000);
  await phone.waitForAgentSilence(400, 20_000);
  const goodbyeSample = await say(phone, 'goodbye');
  await phone.waitForEnd(20_000);
  return goodbyeSample;
}

async function say(phone: Phone, name: string): Promise<number> {
  const { startSample, done } = phone.say(loadSpeech(name).samples);
  await done;
  return startSample;
}

async function check(callId: string, direction: string, carrier: string, goodbyeSample: number): Promise<void> {
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
  const lines = call.transcript.map((line) => `${line.role}: ${line.text}`);
  expect(lines[0]).toBe('agent: Welcome.');
  expect(lines[1]).toBe('user: for two people');
  expect(call.transcript[2]).toMatchObject({ role: 'agent', interrupted: true });
  expect(LONG.startsWith(call.transcript[2]!.text)).toBe(true);
  expect(call.transcript[2]!.text.length).toBeLessThan(LONG.length);
  expect(lines.slice(3)).toEqual([
    'user: wait stop i want to change the time',
    'agent: To what time?',
    'user: thank you very much goodbye',
    'agent: Goodbye.',
  ]);

  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  const types = events.map((event) => event.type);
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
  // A draft of an answer to words that then went on is one call more.
  const { llm_calls } = (ended.data as { usage: { llm_calls: number } }).usage;
  expect(llm_calls).toBeGreaterThanOrEqual(3);

  const recording = await service.request('GET', `/calls/${callId}/recording`);
  const wav = Buffer.from(await recording.arrayBuffer());
  expect(wav.toString('latin1', 0, 4)).toBe('RIFF');
  const seconds = (wav.length - 44) / 4 / 8000;
  expect(Math.abs(seconds - call.duration_seconds)).toBeLessThan(1.5);
  // Both sides are on it.
  const peaks = [0, 0];
  for (let at = 44; at + 3 < wav.length; at += 4) {
    peaks[0] = Math.max(peaks[0]!, Math.abs(wav.readInt16LE(at)));
    peaks[1] = Math.max(peaks[1]!, Math.abs(wav.readInt16LE(at + 2)));
  }
  expect(Math.min(...peaks)).toBeGreaterThan(2_000);
  // The caller's last words lie on the recording where they lay on the line, to the sample.
  const { samples } = loadSpeech('goodbye');
  const coded = new Uint8Array(samples.length);
  encodeMulaw(samples, coded);
  const onTheLine = new Int16Array(samples.length);
  decodeMulaw(coded, onTheLine);
  const recorded = onTheLine.map((_, index) => wav.readInt16LE(44 + (goodbyeSample + index) * 4));
  expect(recorded).toEqual(onTheLine);
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
    const goodbyeSample = await converse(await incoming.waitForPhone(20_000));
    await incoming.delivered();
    await check(await service.callOf(from), 'inbound', carrier, goodbyeSample);
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
    const dialled = await service.carriers[carrier].nextCall(10_000);
    const goodbyeSample = await converse(await dialled.waitForPhone(20_000));
    await dialled.delivered();
    await check(id, 'outbound', carrier, goodbyeSample);
  });
});

test('neither carrier nor provider would have refused anything', () => {
  const { carriers, ears, mouth } = service;
  for (const simulator of [carriers.twilio, carriers.plivo, ears, mouth]) expect(simulator.violations).toEqual([]);
});
