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

/** Simulated Deepgram Flux, OpenAI and ElevenLabs. */
export interface SimulatedProviders {
  stt: DeepgramSimulator;
  llm: OpenAiSimulator;
  tts: ElevenLabsSimulator;
  /** Settings of the programs with their URLs and keys. */
  settings: Record<string, string>;
  /** Returns the engine's protocol violations. */
  violations(): string[];
  close(): Promise<void>;
}

export interface ProviderScripts {
  stt: DeepgramSimulatorOptions;
  llm: OpenAiSimulatorOptions;
  tts?: ElevenLabsSimulatorOptions;
}

export async function startSimulatedProviders(scripts: ProviderScripts): Promise<SimulatedProviders> {
  const stt = await startDeepgramSimulator(scripts.stt);
  const llm = await startOpenAiSimulator(scripts.llm);
  const tts = await startElevenLabsSimulator(scripts.tts);
  return {
    stt,
    llm,
    tts,
    settings: providerSettings({ stt, llm, tts }),
    violations: () => [...stt.violations, ...tts.violations],
    async close() {
      await Promise.all([stt.close(), llm.close(), tts.close()]);
    },
  };
}

/** Returns the settings of both programs for the given providers. */
export function providerSettings({ stt, llm, tts }: Partial<SimulatedProviders>): Record<string, string> {
  return {
    ...(stt && { DEEPGRAM_URL: stt.url, DEEPGRAM_API_KEY: 'simulated' }),
    ...(llm && { OPENAI_BASE_URL: llm.url, OPENAI_API_KEY: llm.apiKey }),
    ...(tts && { ELEVENLABS_URL: tts.url, ELEVENLABS_API_KEY: 'simulated' }),
  };
}
