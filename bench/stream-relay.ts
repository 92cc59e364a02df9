import { setTimeout as sleep } from 'node:timers/promises';
import { startMediaProgram } from '../test/support/media-program.ts';
import { startSimulatedProviders } from '../test/support/simulated-providers.ts';
import { eventually } from '../test/support/until.ts';
import { processTreeSeconds } from './process-time.ts';

/**
 * What a stream costs the engine that passes it on to a sibling: an engine that leaves, kept by one call of its own, is
 * shown CALLS streams, with sound both ways all the time. Its CPU with them, less that of the same time without.
 */

const CALLS = Number(process.env.CALLS ?? 30);
const SECONDS = Number(process.env.SECONDS ?? 30);
const WITHIN_MS = 60_000;
const AGENT = {
  welcome_message: 'Welcome.',
  transcriber: { provider: 'deepgram_flux' },
  voice: { provider: 'elevenlabs', voice_id: 'test', language: 'en' },
  call: { record: false, ambient_sound: 'office', hangup_after_silence_seconds: 120 },
};

interface EngineStatus {
  pid: number;
  private_port: number;
  capacity: number;
  relayed: number;
}

const providers = await startSimulatedProviders({
  stt: { script: { turns: () => undefined } },
  llm: { firstTokenMs: 20, answer: () => ({ text: 'Yes.' }) },
  tts: { firstAudioMs: 20 },
});
const media = await startMediaProgram({
  MEDIA_PROCESSES: '2',
  DRAIN_SECONDS: '600',
  LOG_LEVEL: 'warn',
  ...providers.settings,
});
try {
  const [relay, holder] = (await engines((lines) => lines.length === 2)) as [EngineStatus, EngineStatus];
  const own = await media.join(media.admit(AGENT), relay.private_port);
  await sleep(2_000);
  process.kill(relay.pid, 'SIGTERM');
  await engines((lines) => lines.some(({ pid, capacity: room }) => pid === relay.pid && room === 0));
  await sleep(1_000);
  const alone = await spent(relay.pid);
  const before = await spent(holder.pid);
  const phones = await Promise.all(
    Array.from({ length: CALLS }, () => media.join(media.admit(AGENT), relay.private_port)),
  );
  await engines((lines) => lines.some(({ pid, relayed }) => pid === relay.pid && relayed === CALLS));
  await sleep(3_000);
  const [withStreams, calls] = await Promise.all([spent(relay.pid), spent(holder.pid)]);
  const perCallMinute = (seconds: number) => ((seconds / CALLS) * (60 / SECONDS)).toFixed(3);
  console.log(`${CALLS} streams passed on for ${SECONDS} s:`);
  console.log(`  ${perCallMinute(withStreams - alone)} CPU seconds per call-minute for passing them on`);
  console.log(`  ${perCallMinute(calls - before)} for the calls themselves`);
  for (const phone of [own, ...phones]) phone.hangUp();
  await sleep(1_000);
} finally {
  await media.stop();
  await providers.close();
}

async function spent(pid: number): Promise<number> {
  const before = processTreeSeconds(pid);
  await sleep(SECONDS * 1_000);
  return processTreeSeconds(pid) - before;
}

function engines(expected: (lines: EngineStatus[]) => boolean): Promise<EngineStatus[]> {
  return eventually('the engines to be as expected', WITHIN_MS, async () => {
    const answer = await fetch(`http://127.0.0.1:${media.port}/metricsz`, { headers: { connection: 'close' } });
    const { engines: lines } = (await answer.json()) as { engines: EngineStatus[] };
    return expected(lines) ? lines : null;
  });
}
