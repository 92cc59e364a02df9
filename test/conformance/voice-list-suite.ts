import { describe, expect, it } from 'vitest';
import type { VoiceList } from '../../control/catalog/voice-lists/voice-list.ts';
import { SYNTHESIZERS } from '../../shared/providers/registry.ts';

/** What every list of voices must do, whether it comes from a provider or is maintained here. */
export function describeVoiceList(name: string, list: () => VoiceList): void {
  const manifest = SYNTHESIZERS.find((each) => each.name === name)!;
  const later = () => AbortSignal.timeout(10_000);

  describe(`the voices of ${name}`, () => {
    it('have an id, a name and models of the manifest', async () => {
      const voices = await list().all(later());
      expect(voices.length).toBeGreaterThan(0);
      for (const voice of voices) {
        expect(voice).toMatchObject({ provider: name, gender: expect.stringMatching(/^(female|male|neutral)$/) });
        expect(voice.voice_id).toMatch(/^[\w.:@+-]{1,100}$/);
        expect(voice.name).not.toBe('');
        expect(voice.models.length).toBeGreaterThan(0);
        expect(Object.keys(manifest.models)).toEqual(expect.arrayContaining(voice.models));
      }
    });

    it('are listed once each', async () => {
      const ids = (await list().all(later())).map(({ voice_id }) => voice_id);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('include the default one', async () => {
      const voices = await list().all(later());
      const usual = voices.find(({ voice_id }) => voice_id === manifest.defaultVoice);
      expect(usual?.models).toContain(manifest.defaultModel);
    });

    it('are found by id, and others are not', async () => {
      const found = await list().find(manifest.defaultVoice, later());
      expect(found?.voice_id).toBe(manifest.defaultVoice);
      expect(await list().find('nobody', later())).toBeNull();
    });

    it('speak a sentence as WAV', async () => {
      const wav = Buffer.from(
        await list().speak(
          { voiceId: manifest.defaultVoice, model: manifest.defaultModel, language: 'hi', text: 'नमस्ते, आप कैसे हैं?' },
          later(),
        ),
      );
      expect([wav.toString('latin1', 0, 4), wav.toString('latin1', 8, 12)]).toEqual(['RIFF', 'WAVE']);
      expect(wav.readUInt32LE(40)).toBe(wav.length - 44);
      expect(wav.length).toBeGreaterThan(5_000);
    });
  });
}
