import { MULAW_8K, PCM_16K } from '../../../media/audio/format.ts';
import type { CloudSynthesizerOptions } from '../../../media/tts/streaming-synthesizer.ts';
import type { Synthesizer } from '../../../media/tts/synthesizer.ts';
import { createLogger } from '../../../shared/log.ts';
import { patientClock } from '../../support/patient-clock.ts';
import { synthesizerConnectionConformance } from '../synthesizer-connection-suite.ts';
import { type RemoteProvider, type SynthesizerUnderTest, synthesizerConformance } from '../synthesizer-suite.ts';

type Simulator = RemoteProvider & { url: string; close(): Promise<void> };
/** What differs between the providers. */
type Settings = Pick<CloudSynthesizerOptions, 'voiceId' | 'model' | 'language'> & {
  hasTimings: boolean;
  /** Requests in place of a WebSocket. */
  overHttp?: boolean;
};

/** Fast, in chunks that end in the middle of words and of samples. */
const SIMULATED = { firstAudioMs: 10, realtimeFactor: 200, chunkMs: 130, oddChunks: true, apiKey: 'key' };
const UNREACHABLE = 'ws://127.0.0.1:1';

/** Runs both suites against the provider's simulator, in the formats of phone and browser calls. */
export function cloudSynthesizerConformance(
  provider: string,
  { hasTimings, overHttp = false, ...settings }: Settings,
  startSimulator: (options: typeof SIMULATED) => Promise<Simulator>,
  createSynthesizer: (options: CloudSynthesizerOptions) => Synthesizer,
): void {
  for (const output of [MULAW_8K, PCM_16K]) {
    const name = `${provider}, ${output.encoding}`;
    const common = { ...settings, output, apiKey: SIMULATED.apiKey, log: createLogger('test', 'silent') };
    const setUp = async (): Promise<SynthesizerUnderTest> => {
      const simulator = await startSimulator(SIMULATED);
      return {
        create: (listener, clock) => createSynthesizer({ ...common, url: simulator.url, clock, listener }),
        createUnreachable: (listener) =>
          createSynthesizer({
            ...common,
            url: overHttp ? UNREACHABLE.replace('ws', 'http') : UNREACHABLE,
            clock: patientClock,
            listener,
          }),
        hasTimings,
        remote: simulator,
        close: () => simulator.close(),
      };
    };
    synthesizerConformance(name, setUp);
    synthesizerConnectionConformance(name, setUp, { overHttp });
  }
}
