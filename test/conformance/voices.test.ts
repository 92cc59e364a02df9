import { startElevenLabsSimulator } from '../../fixtures/simulators/elevenlabs.ts';
import { MULAW_8K, PCM_16K } from '../../media/audio/format.ts';
import { createElevenLabs } from '../../media/tts/elevenlabs.ts';
import { createEspeak } from '../../media/tts/espeak.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { voiceConformance } from './voice-suite.ts';

const log = createLogger('test', 'silent');
const NOBODY = 'ws://127.0.0.1:1';

for (const output of [MULAW_8K, PCM_16K]) {
  voiceConformance(`elevenlabs, ${output.encoding}`, async () => {
    const simulator = await startElevenLabsSimulator({
      firstAudioMs: 10,
      realtimeFactor: 200,
      chunkMs: 130,
      oddChunks: true,
      apiKey: 'key',
    });
    const common = { apiKey: 'key', voiceId: 'v', model: 'eleven_flash_v2_5', output, clock: systemClock, log };
    return {
      create: (listener) => createElevenLabs({ ...common, url: simulator.url, listener }),
      createUnreachable: (listener) => createElevenLabs({ ...common, url: NOBODY, listener }),
      violations: () => simulator.violations,
      close: () => simulator.close(),
    };
  });
}

voiceConformance('espeak-ng', async () => ({
  create: (listener) => createEspeak({ bin: 'espeak-ng', language: 'en', clock: systemClock, log, listener }),
  createUnreachable: (listener) => createEspeak({ bin: '/nowhere/espeak-ng', clock: systemClock, log, listener }),
  close: async () => {},
}));
