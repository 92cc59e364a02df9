import type { AgentConfig } from '../../shared/agent.ts';
import { type Ambient, createAmbient, createLoadingAmbient, resampledAmbient } from '../playout/ambient.ts';
import type { ProviderFactory } from './provider-factory.ts';

/** The background sound the agent names, for a line of this rate; null where there is none. An upload comes when it is here. */
export function openBackground(
  { ambient_sound, ambient_volume: volume }: AgentConfig['call'],
  workspaceId: string,
  equipment: Pick<ProviderFactory, 'ambientSound'>,
  rateHz: number,
): Ambient | null {
  const sound = ambient_sound === '' ? null : equipment.ambientSound(ambient_sound, workspaceId);
  if (sound instanceof Promise) {
    const loading = sound.then((samples8k) => samples8k && resampledAmbient(samples8k, rateHz));
    return createLoadingAmbient(loading, volume, rateHz);
  }
  return sound && createAmbient({ samples: resampledAmbient(sound, rateHz), rateHz, volume });
}
