import { HttpError } from '@oazapfts/runtime';
import { fetchWithin } from '../data/requests.ts';

/** A voice may have to be asked for the sentence first. */
const TIMEOUT_MS = 45_000;

/** Reads an audio file of the API, such as `/voices/x/preview`. @throws HttpError */
export async function readAudio(path: string, signal: AbortSignal): Promise<Blob> {
  const response = await fetchWithin(TIMEOUT_MS)(`/api/v1${path}`, { signal });
  if (!response.ok) throw new HttpError(response.status, await response.json().catch(() => null), response.headers);
  return response.blob();
}
