import {
  type DeepgramSimulator,
  type DeepgramSimulatorOptions,
  startDeepgramSimulator,
} from '../../fixtures/simulators/deepgram.ts';
import {
  type ElevenLabsSimulator,
  type ElevenLabsSimulatorOptions,
  startElevenLabsSimulator,
} from '../../fixtures/simulators/elevenlabs.ts';
import {
  type OpenAiSimulator,
  type OpenAiSimulatorOptions,
  startOpenAiSimulator,
} from '../../fixtures/simulators/openai.ts';

/** A transcriber, a language model and a voice for the engine: Deepgram Flux, OpenAI and ElevenLabs. */
export interface SimulatedProviders {
  ears: DeepgramSimulator;
  mind: OpenAiSimulator;
  mouth: ElevenLabsSimulator;
  /** Where the programs find them. */
  settings: Record<string, string>;
  /** What no client of these vendors may do and the engine did, in words. */
  violations(): string[];
  close(): Promise<void>;
}

export interface ProviderScripts {
  ears: DeepgramSimulatorOptions;
  mind: OpenAiSimulatorOptions;
  mouth?: ElevenLabsSimulatorOptions;
}

export async function startSimulatedProviders(scripts: ProviderScripts): Promise<SimulatedProviders> {
  const ears = await startDeepgramSimulator(scripts.ears);
  const mind = await startOpenAiSimulator(scripts.mind);
  const mouth = await startElevenLabsSimulator(scripts.mouth);
  return {
    ears,
    mind,
    mouth,
    settings: providerSettings({ ears, mind, mouth }),
    violations: () => [...ears.violations, ...mouth.violations],
    async close() {
      await Promise.all([ears.close(), mind.close(), mouth.close()]);
    },
  };
}

/** The settings of both programs for those that are there. */
export function providerSettings({ ears, mind, mouth }: Partial<SimulatedProviders>): Record<string, string> {
  return {
    ...(ears && { DEEPGRAM_URL: ears.url, DEEPGRAM_API_KEY: 'simulated' }),
    ...(mind && { OPENAI_BASE_URL: mind.url, OPENAI_API_KEY: mind.apiKey }),
    ...(mouth && { ELEVENLABS_URL: mouth.url, ELEVENLABS_API_KEY: 'simulated' }),
  };
}
