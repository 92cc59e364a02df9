import type { MediaProgram } from '../test/support/media-program.ts';
import { eventually } from '../test/support/until.ts';

/** One engine process and the port of its own on which it takes streams. */
export type Engine = Pick<MediaProgram, 'pid' | 'port'>;

const READY_WITHIN_MS = 60_000;

/** Settings of media that make it run so many engines. */
export function engineSettings(processes: number): Record<string, string> {
  if (processes === 1) return {};
  return { MEDIA_PROCESSES: String(processes), PUBLIC_ENGINE_URL: 'ws://127.0.0.1:{port}' };
}

/** Returns the engines of a media program that was started with these settings: itself, or those of its supervisor. */
export async function enginesOf(program: MediaProgram, processes: number): Promise<Engine[]> {
  if (processes === 1) return [program];
  return eventually('every engine to be ready', READY_WITHIN_MS, async () => {
    const response = await fetch(`http://127.0.0.1:${program.port}/metricsz`);
    const { engines } = (await response.json()) as { engines: Engine[] };
    return engines.length === processes ? engines : null;
  });
}
