import { describe, expect, it } from 'vitest';
import { exampleSetup } from '../../dev/example-agent.ts';
import { agentConfigSchema } from '../../shared/agent.ts';

describe('the example agent', () => {
  it('uses this machine and a script without any key, and its name says so', () => {
    const { config, scripted, providers } = exampleSetup({});
    expect(scripted).toBe(true);
    expect(config).toMatchObject({
      name: 'Example: restaurant table (scripted, no model key set)',
      llm: { provider: 'custom' },
      transcriber: { provider: 'local', model: 'booking' },
      voice: { provider: 'local' },
    });
    expect(providers).toContain('no model key is set');
  });

  it('uses the providers whose keys are set, with those of this machine as fallbacks', () => {
    const { config, scripted } = exampleSetup({
      ANTHROPIC_API_KEY: 'a',
      DEEPGRAM_API_KEY: 'b',
      ELEVENLABS_API_KEY: 'c',
    });
    expect(scripted).toBe(false);
    expect(config).toMatchObject({
      name: 'Example: restaurant table',
      llm: { provider: 'anthropic' },
      transcriber: { provider: 'deepgram_flux', fallbacks: [{ provider: 'local' }] },
      voice: { provider: 'elevenlabs', voice_id: expect.stringMatching(/./), fallbacks: [{ provider: 'local' }] },
    });
    expect(agentConfigSchema.safeParse(config).error).toBeUndefined();
  });

  it("uses the operator's own model server", () => {
    expect(exampleSetup({ LLM_BASE_URL: 'http://model.example/v1' })).toMatchObject({
      scripted: false,
      config: { name: 'Example: restaurant table', llm: { provider: 'custom' } },
    });
  });
});
