import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import type { Synthesizer } from '../../../media/tts/synthesizer.ts';
import { type SingleCallOptions, startSingleCall } from '../../support/single-call.ts';

/** An error that nobody expects, anywhere in a call, ends this call: with a reason, its stream hung up, and nothing left behind. */

type SingleCall = ReturnType<typeof startSingleCall>;
type Fault = [what: string, parts: SingleCallOptions, drive: (call: SingleCall) => void | Promise<void>];

const broken = (): never => {
  throw new Error('this part is broken');
};
const brokenWhenSpeaking: Synthesizer = {
  ...{ provider: 'test', model: 'test', output: MULAW_8K },
  ...{ open: async () => {}, speak: broken, end() {}, cancel() {}, close: async () => {} },
};
const silence = new Int16Array(160 * 100);

const faults: Fault[] = [
  ['the leg throws on every tick', { leg: { tick: broken } }, (call) => call.tick()],
  [
    'the leg throws when it plays',
    { agent: { welcome_message: 'Welcome.' }, leg: { play: broken } },
    (call) => call.sendAudio(silence),
  ],
  ['the transcriber throws on audio', { transcriber: { audio: broken } }, (call) => call.sendAudio(silence)],
  [
    'the transcriber throws when it is to finalize',
    { transcriber: { decidesTurns: false, finalize: broken } },
    async (call) => {
      for (let window = 0; window < 60; window++) {
        call.vadWindow(window < 20 ? 0.95 : 0.02);
        await call.clock.advance(32);
        call.tick();
      }
    },
  ],
  [
    'the synthesizer throws on a reply',
    { synthesizer: () => brokenWhenSpeaking },
    (call) => call.transcriberEvent({ type: 'turn_ended', turn: 0, text: 'Is anybody there?' }),
  ],
];

describe('a call that is faulty', () => {
  const rejections: unknown[] = [];
  const listen = (reason: unknown) => void rejections.push(reason);
  beforeEach(() => void process.on('unhandledRejection', listen));
  afterEach(() => {
    process.off('unhandledRejection', listen);
    expect(rejections.splice(0)).toEqual([]);
  });

  test.each(faults)('ends when %s', async (_what, parts, drive) => {
    const call = startSingleCall(parts);
    await call.clock.advance(20);
    await drive(call);
    await call.clock.advance(15_000);
    expect(call.emitted.filter(({ type }) => type === 'call.ended')).toMatchObject([
      { more: { ending: { hangup_by: 'service', hangup_reason: 'error: media' } } },
    ]);
    expect(call.hangUps).toHaveLength(1);
    expect([call.isTicking(), call.clock.pending()]).toEqual([false, 0]);
    await call.call.over;
  });

  test.each<[string, SingleCallOptions]>([
    ['the leg throws when it is hung up', { leg: { hangUp: broken } }],
    ['the transcriber throws when it is closed', { transcriber: { close: broken } }],
    ['the transcriber is never closed', { transcriber: { close: () => new Promise(() => {}) } }],
  ])('is over and reported although %s', async (_what, parts) => {
    const call = startSingleCall(parts);
    call.call.end({ hangup_by: 'caller', hangup_reason: 'caller hung up' });
    await call.clock.advance(15_000);
    expect(call.emitted.filter(({ type }) => type === 'call.ended')).toMatchObject([
      { more: { ending: { hangup_by: 'caller', hangup_reason: 'caller hung up' } } },
    ]);
    expect([call.isTicking(), call.clock.pending()]).toEqual([false, 0]);
    await call.call.over;
  });
});
