import { startCartesiaSimulator } from '../../fixtures/simulators/cartesia.ts';
import { startElevenLabsSimulator } from '../../fixtures/simulators/elevenlabs.ts';
import { startSarvamVoiceSimulator } from '../../fixtures/simulators/sarvam-voice.ts';
import { MULAW_8K, PCM_16K } from '../../media/audio/format.ts';
import { createCartesia } from '../../media/tts/cartesia.ts';
import { createElevenLabs } from '../../media/tts/elevenlabs.ts';
import { createEspeak } from '../../media/tts/espeak.ts';
import { createSarvamVoice } from '../../media/tts/sarvam.ts';
import type { Voice, VoiceListener } from '../../media/tts/voice.ts';
import { type Clock, systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { remoteVoiceConformance } from './voice-provider-suite.ts';
import { type RemoteProvider, type VoiceUnderTest, voiceConformance } from './voice-suite.ts';

const log = createLogger('test', 'silent');
const NOBODY = 'ws://127.0.0.1:1';
/** Quick, in chunks that end in the middle of words and of samples. */
const SIMULATED = { firstAudioMs: 10, realtimeFactor: 200, chunkMs: 130, oddChunks: true, apiKey: 'key' };

interface Told {
  url: string;
  apiKey: string;
  clock: Clock;
  log: typeof log;
  listener: VoiceListener;
}

function remote(
  simulator: RemoteProvider & { url: string; close(): Promise<void> },
  tellsTimes: boolean,
  make: (told: Told) => Voice,
): VoiceUnderTest {
  return {
    create: (listener, clock) => make({ url: simulator.url, apiKey: 'key', clock, log, listener }),
    createUnreachable: (listener) => make({ url: NOBODY, apiKey: 'key', clock: systemClock, log, listener }),
    tellsTimes,
    remote: simulator,
    close: () => simulator.close(),
  };
}

/** Both suites, for a voice that is reached over a network. */
function conformance(name: string, setUp: () => Promise<VoiceUnderTest>): void {
  voiceConformance(name, setUp);
  remoteVoiceConformance(name, setUp);
}

for (const output of [MULAW_8K, PCM_16K]) {
  conformance(`elevenlabs, ${output.encoding}`, async () =>
    remote(await startElevenLabsSimulator(SIMULATED), true, (told) =>
      createElevenLabs({ ...told, voiceId: 'v', model: 'eleven_flash_v2_5', output }),
    ),
  );

  conformance(`cartesia, ${output.encoding}`, async () =>
    remote(await startCartesiaSimulator(SIMULATED), true, (told) =>
      createCartesia({ ...told, voiceId: 'v', model: 'sonic-3.5', language: 'hi', output }),
    ),
  );

  conformance(`sarvam, ${output.encoding}`, async () =>
    remote(await startSarvamVoiceSimulator(SIMULATED), false, (told) =>
      createSarvamVoice({ ...told, voiceId: 'shubh', model: 'bulbul:v3', language: 'hi', output }),
    ),
  );
}

voiceConformance('espeak-ng', async () => ({
  create: (listener, clock) => createEspeak({ bin: 'espeak-ng', language: 'en', clock, log, listener }),
  createUnreachable: (listener) => createEspeak({ bin: '/nowhere/espeak-ng', clock: systemClock, log, listener }),
  tellsTimes: false,
  remote: null,
  close: async () => {},
}));
