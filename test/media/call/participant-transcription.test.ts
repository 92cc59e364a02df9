import { expect, test } from 'vitest';
import { PCM_16K } from '../../../media/audio/format.ts';
import type { Leg, LegListener } from '../../../media/leg/leg.ts';
import { ProviderError } from '../../../media/provider/provider-error.ts';
import { type SingleCallOptions, startSingleCall } from '../../support/single-call.ts';

/** A call that a person has taken over; the transcriber that was opened last is theirs. */
async function takenOver(options: SingleCallOptions = {}) {
  const call = startSingleCall(options);
  await call.clock.advance(100);
  call.transcriberEvent({ type: 'turn_ended', turn: 0, text: 'Can I get a discount?' });
  let listener: LegListener | null = null;
  const leg = {
    ...{ format: PCM_16K, tick() {}, play: () => true, hangUp() {} },
    listen: (given: LegListener) => {
      listener = given;
    },
  } as unknown as Leg;
  const nonce = 'a'.repeat(16);
  const expires_at_ms = call.clock.wall() + 60_000;
  const participants = call.call.participants!;
  participants.expect({ nonce, mode: 'take_over', by: 'user', by_id: 'u1', expires_at_ms });
  participants.join(nonce, leg);
  await call.clock.advance(100);
  const speak = () => listener!.audio(new Uint8Array(640), call.clock.now());
  const turns = () => call.emitted.filter(({ type }) => type === 'human_agent.turn').map(({ message }) => message);
  return { ...call, participants, speak, turns };
}

test('the words of who took over are on the timeline and in the transcript, and the agent knows them', async () => {
  const call = await takenOver();
  call.transcriberEvent({ type: 'turn_ended', turn: 0, text: 'You get ten percent.' });
  call.transcriberEvent({ type: 'turn_started', turn: 1, text: 'And the' });
  call.participants.handBack('');
  expect(call.turns()).toEqual(['You get ten percent.', 'And the']);
  expect(call.emitted.flatMap(({ more }) => more.transcript ?? []).map(({ role, text }) => `${role}: ${text}`)).toEqual(
    ['user: Can I get a discount?', 'human_agent: You get ten percent.', 'human_agent: And the'],
  );
  call.transcriberEvent({ type: 'turn_ended', turn: 1, text: 'is dropped' });
  expect(call.turns()).toHaveLength(2);
  await call.close();
});

test('a transcriber without turns is asked for the final words when the person falls silent', async () => {
  let finals = 0;
  const call = await takenOver({ transcriber: { decidesTurns: false, finalize: () => void finals++ } });
  for (let window = 0; window < 60; window++) {
    call.vadWindow(window < 20 ? 0.95 : 0.02);
    await call.clock.advance(32);
    call.tick();
    if (window === 40) call.transcriberEvent({ type: 'final', turn: 0, text: 'You get ten percent.' });
  }
  expect(finals).toBeGreaterThan(0);
  expect(call.turns()).toEqual(['You get ten percent.']);
  await call.close();
});

test('its seconds are usage of their transcriber', async () => {
  const call = await takenOver();
  for (let frame = 0; frame < 50; frame++) call.speak();
  await call.close();
  const ended = call.emitted.find(({ type }) => type === 'call.ended')!.more;
  expect(ended.data).toMatchObject({ usage: { stt_seconds: 1 } });
  expect(JSON.parse(ended.ending!.provider_usage_json!)).toContainEqual(
    expect.objectContaining({ component: 'transcriber', stt_seconds: 1 }),
  );
});

test('a transcription that fails costs the words, not the person nor the call', async () => {
  const call = await takenOver();
  const fail = () =>
    call.transcriberEvent({ type: 'failed', error: new ProviderError('test', 'bad_request', 'no such model') });
  fail();
  call.speak();
  call.tick();
  const errors = call.emitted.filter(({ type }) => type === 'error').map(({ message }) => message);
  expect(errors).toEqual(['the person who speaks to the caller is not transcribed any more: no such model']);
  expect([call.hangUps, call.participants.handBack('')]).toEqual([[], true]);
  await call.close();
});

test('its voice activity is none of the call, whose capture has no people', async () => {
  const samples: number[] = [];
  const push = (given: Int16Array) => void samples.push(given.length);
  const participantVad = { open: () => ({ push, dropped: 0, close() {} }) };
  const call = await takenOver({ participantVad });
  call.speak();
  expect(samples).toEqual([320]);
  await call.close();
});
