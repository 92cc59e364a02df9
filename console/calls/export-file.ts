import { ok } from '@oazapfts/runtime';
import { fetchWithin } from '../data/requests.ts';
import { getCallsExport } from '../generated/api.ts';
import type { CallFilters } from './call-filters.ts';

/** So many calls are in one file at most; the newest. */
export const EXPORT_LIMIT = 50_000;
/** 50,000 calls with their extracted values take a minute. */
const EXPORT_TIMEOUT_MS = 300_000;

/** Reads the filtered calls as a CSV file. @throws when they cannot be read. */
export async function exportFile(
  filters: CallFilters & { timezone?: string },
  onProgress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<Blob> {
  let file: Blob | undefined;
  const send: typeof fetch = async (input, init) => {
    const response = await fetchWithin(EXPORT_TIMEOUT_MS)(input, init);
    if (!response.ok) return response;
    file = await blobOf(response, onProgress);
    return new Response();
  };
  await ok(getCallsExport(filters, { signal, fetch: send }));
  return file!;
}

/** Reads a response part by part, so that the person sees that it goes on. */
async function blobOf(response: Response, onProgress: (bytes: number) => void): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body!.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    bytes += part.value.byteLength;
    onProgress(bytes);
  }
  return new Blob(parts, { type: response.headers.get('content-type') ?? '' });
}
