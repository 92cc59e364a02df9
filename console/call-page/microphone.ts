import { microphoneError } from '../call/call-errors.ts';
import { english, type Translate } from '../texts/english.ts';

export interface Microphone {
  id: string;
  name: string;
}

const CHOSEN_KEY = 'antiphon.microphone';

/** Opens a microphone; returns its track, or the error text for the user. `id` empty: the one chosen last, else the system's. */
export async function openMicrophone(id = '', t: Translate = english): Promise<MediaStreamTrack | string> {
  // Browsers remove it from pages that are not secure contexts.
  if (!navigator.mediaDevices?.getUserMedia) return microphoneError('', t);
  const wanted = id || storedMicrophone();
  const processing = { echoCancellation: true, noiseSuppression: true, autoGainControl: true, channelCount: 1 };
  try {
    const stream = await navigator.mediaDevices.getUserMedia({
      audio: { ...processing, ...(wanted === '' ? {} : { deviceId: { ideal: wanted } }) },
    });
    const [track] = stream.getAudioTracks();
    return track ?? microphoneError('NotFoundError', t);
  } catch (error) {
    return microphoneError(error instanceof DOMException ? error.name : 'unknown', t);
  }
}

/** Lists the microphones; browsers give their names only after permission. */
export async function listMicrophones(t: Translate): Promise<Microphone[]> {
  const devices = (await navigator.mediaDevices?.enumerateDevices().catch(() => [])) ?? [];
  return devices
    .filter(({ kind, deviceId }) => kind === 'audioinput' && deviceId !== '')
    .map(({ deviceId, label }, index) => ({
      id: deviceId,
      name: label || t('Microphone {{number}}', { number: index + 1 }),
    }));
}

export function storedMicrophone(): string {
  try {
    return localStorage.getItem(CHOSEN_KEY) ?? '';
  } catch {
    // Storage may be forbidden.
    return '';
  }
}

export function storeMicrophone(id: string): void {
  try {
    localStorage.setItem(CHOSEN_KEY, id);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
}
