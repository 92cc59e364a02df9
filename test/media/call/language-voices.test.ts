import { expect, test } from 'vitest';
import { MULAW_8K } from '../../../media/audio/format.ts';
import { createFakeSynthesizer } from '../../support/fake-synthesizer.ts';
import { startSingleCall } from '../../support/single-call.ts';

/** Which voice speaks once the caller has changed the language, who is paid, and that every synthesizer is closed with the call. */

const VOICE = {
  ...{ provider: 'sarvam', model: 'bulbul:v3', voice_id: 'own', language: 'hi' },
  by_language: [{ provider: 'cartesia', voice_id: 'other', language: 'es-MX' }],
};

/** A greeting in Hindi, and then two turns of this. */
async function callIn(text: string) {
  const spokenBy: string[] = [];
  const open = new Set<string>();
  const call = startSingleCall({
    agent: { voice: VOICE },
    settings: { follow_language: true },
    synthesizer: ({ voice }, _format, listener) => {
      const name = `${voice.provider} ${voice.voice_id} ${voice.language}`;
      // Created before the call's clock is known.
      let fake: ReturnType<typeof createFakeSynthesizer>['synthesizer'] | null = null;
      return {
        ...{ provider: voice.provider, model: voice.model, output: MULAW_8K },
        open: async () => void open.add(name),
        speak(contextId, words) {
          spokenBy.push(name);
          fake ??= createFakeSynthesizer(call.clock, [], {}, listener).synthesizer;
          fake.speak(contextId, words);
        },
        end: (contextId) => fake?.end(contextId),
        cancel: (contextId) => fake?.cancel(contextId),
        close: async () => void open.delete(name),
      };
    },
  });
  // The transcriber opens.
  await call.clock.advance(20);
  for (const [turn, words] of ['नमस्ते जी', text, text].entries()) {
    call.transcriberEvent({ type: 'turn_started', turn, text: words });
    call.transcriberEvent({ type: 'turn_ended', turn, text: words });
    for (let tick = 0; tick < 200; tick++) {
      await call.clock.advance(20);
      call.tick();
    }
  }
  await call.close();
  const { ending } = call.emitted.find(({ type }) => type === 'call.ended')!.more;
  const used: { component: string; provider: string }[] = JSON.parse(ending!.provider_usage_json!);
  const paid = used.filter(({ component }) => component === 'voice').map(({ provider }) => provider);
  return { spokenBy, open: open.size, paid };
}

test.each([
  ['quiero cambiar la cita que tengo', ['cartesia other es-MX', 'cartesia other es-MX'], ['sarvam', 'cartesia']],
  ['நான் எனக்கு இது வேணும்', ['sarvam own hi', 'sarvam own ta'], ['sarvam']],
  ['je voudrais changer mon rendez-vous', ['sarvam own hi', 'sarvam own hi'], ['sarvam']],
  ['मुझे कल के लिए टेबल चाहिए', ['sarvam own hi', 'sarvam own hi'], ['sarvam']],
])('%s', async (text, voices, paid) => {
  expect(await callIn(text)).toEqual({ spokenBy: ['sarvam own hi', ...voices], open: 0, paid });
});
