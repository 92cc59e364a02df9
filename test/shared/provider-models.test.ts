import { describe, expect, it } from 'vitest';
import { elevenLabsFirstMessage } from '../../media/tts/elevenlabs-protocol.ts';
import { elevenLabs } from '../../shared/providers/elevenlabs.ts';
import type { ModelFacts } from '../../shared/providers/manifest.ts';
import { LANGUAGE_MODELS, SYNTHESIZERS, TRANSCRIBERS } from '../../shared/providers/registry.ts';

describe.each([...LANGUAGE_MODELS, ...SYNTHESIZERS, ...TRANSCRIBERS])('the models of $label', (manifest) => {
  it('include the default and every one with a price', () => {
    const models = Object.keys(manifest.models);
    expect(models).toContain(manifest.defaultModel);
    const priced = Object.keys(manifest.price.models).filter((model) => model !== '*');
    expect(priced.filter((model) => !models.includes(model))).toEqual([]);
  });

  it('have ISO 639 codes as languages, each once', () => {
    for (const { languages = [] } of Object.values<ModelFacts>(manifest.models)) {
      expect(languages.filter((code) => !/^[a-z]{2,3}$/.test(code))).toEqual([]);
      expect(new Set(languages).size).toBe(languages.length);
    }
  });
});

it("the engine keeps to ElevenLabs' range of speeds", () => {
  const { min, max } = elevenLabs.capabilities.speed;
  const sent = (speed: number) => elevenLabsFirstMessage('c', speed).voice_settings;
  expect([sent(0.1), sent(9)]).toMatchObject([{ speed: min }, { speed: max }]);
});
