import type { AgentConfig } from '../../shared/agent.ts';
import { HOLD_MUSIC } from '../../shared/ambient-sounds.ts';
import { openAmbient } from '../playout/ambient.ts';
import type { Background } from '../playout/leg-output.ts';
import type { ProviderFactory } from './provider-factory.ts';

/** What plays under and between the agent's speech: its ambient sound, music while the caller is on hold, the voice of a person over either. */
export interface LineBackground {
  /** Without a person's voice; null where nothing plays. */
  readonly own: Background | null;
  setHoldMusic(on: boolean): void;
  /** Somebody speaks to the caller, over `own`, which this voice mixes in itself; null: nobody does any more. */
  setVoice(voice: Background | null): void;
}

export interface LineBackgroundOptions {
  sounds: Pick<ProviderFactory, 'ambientSound'>;
  workspaceId: string;
  call: Pick<AgentConfig['call'], 'ambient_sound' | 'ambient_volume'>;
  rateHz: number;
  /** This plays from now on. */
  onChange(background: Background | null): void;
}

/** Percent of an ambient sound's loudest. */
const HOLD_MUSIC_VOLUME = 80;

export function createLineBackground(options: LineBackgroundOptions): LineBackground {
  const { sounds, workspaceId, call, rateHz, onChange } = options;
  const open = (name: string, volume: number) => openAmbient(sounds.ambientSound(name, workspaceId), volume, rateHz);
  const ambient = call.ambient_sound === '' ? null : open(call.ambient_sound, call.ambient_volume);
  let own: Background | null = ambient;
  let voice: Background | null = null;

  return {
    get own() {
      return own;
    },
    setHoldMusic(on) {
      own = (on ? open(HOLD_MUSIC, HOLD_MUSIC_VOLUME) : null) ?? ambient;
      if (!voice) onChange(own);
    },
    setVoice(given) {
      voice = given;
      onChange(voice ?? own);
    },
  };
}
