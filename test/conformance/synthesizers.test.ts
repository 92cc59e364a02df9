import { startCartesiaSimulator } from '../../fixtures/simulators/cartesia.ts';
import { startElevenLabsSimulator } from '../../fixtures/simulators/elevenlabs.ts';
import { startSarvamSynthesizerSimulator } from '../../fixtures/simulators/sarvam-synthesizer.ts';
import { MULAW_8K, PCM_16K } from '../../media/audio/format.ts';
import { createCartesiaSynthesizer } from '../../media/tts/cartesia.ts';
import { createElevenLabsSynthesizer } from '../../media/tts/elevenlabs.ts';
import { createEspeakSynthesizer } from '../../media/tts/espeak.ts';
import { createSarvamSynthesizer } from '../../media/tts/sarvam.ts';
import type { Synthesizer, SynthesizerListener } from '../../media/tts/synthesizer.ts';
import { type Clock, systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { synthesizerConnectionConformance } from './synthesizer-connection-suite.ts';
import { type RemoteProvider, type SynthesizerUnderTest, synthesizerConformance } from './synthesizer-suite.ts';

const log = createLogger('test', 'silent');
const NOBODY = 'ws://127.0.0.1:1';
/** Quick, in chunks that end in the middle of words and of samples. */
const SIMULATED = { firstAudioMs: 10, realtimeFactor: 200, chunkMs: 130, oddChunks: true, apiKey: 'key' };

interface Told {
  url: string;
  apiKey: string;
  clock: Clock;
  log: typeof log;
  listener: SynthesizerListener;
}

function remote(
  simulator: RemoteProvider & { url: string; close(): Promise<void> },
  tellsTimes: boolean,
  make: (told: Told) => Synthesizer,
): SynthesizerUnderTest {
  return {
    create: (listener, clock) => make({ url: simulator.url, apiKey: 'key', clock, log, listener }),
    createUnreachable: (listener) => make({ url: NOBODY, apiKey: 'key', clock: systemClock, log, listener }),
    hasTimings: tellsTimes,
    remote: simulator,
    close: () => simulator.close(),
  };
}

/** Both suites, for a voice that is reached over a network. */
function conformance(name: string, setUp: () => Promise<SynthesizerUnderTest>): void {
  synthesizerConformance(name, setUp);
  synthesizerConnectionConformance(name, setUp);
}

for (const output of [MULAW_8K, PCM_16K]) {
  conformance(`elevenlabs, ${output.encoding}`, async () =>
    remote(await startElevenLabsSimulator(SIMULATED), true, (told) =>
      createElevenLabsSynthesizer({ ...told, voiceId: 'v', model: 'eleven_flash_v2_5', output }),
    ),
  );

  conformance(`cartesia, ${output.encoding}`, async () =>
    remote(await startCartesiaSimulator(SIMULATED), true, (told) =>
      createCartesiaSynthesizer({ ...told, voiceId: 'v', model: 'sonic-3.5', language: 'hi', output }),
    ),
  );

  conformance(`sarvam, ${output.encoding}`, async () =>
    remote(await startSarvamSynthesizerSimulator(SIMULATED), false, (told) =>
      createSarvamSynthesizer({ ...told, voiceId: 'shubh', model: 'bulbul:v3', language: 'hi', output }),
    ),
  );
}

synthesizerConformance('espeak-ng', async () => ({
  create: (listener, clock) => createEspeakSynthesizer({ bin: 'espeak-ng', language: 'en', clock, log, listener }),
  createUnreachable: (listener) =>
    createEspeakSynthesizer({ bin: '/nowhere/espeak-ng', clock: systemClock, log, listener }),
  hasTimings: false,
  remote: null,
  close: async () => {},
}));
