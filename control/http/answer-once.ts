import { HttpError } from './errors.ts';
import type { Idempotency, IdempotentRequest, StoredResponse } from './idempotency.ts';

/** Carries a request with an `Idempotency-Key` out, unless it was answered before. */
export async function withIdempotency(
  idempotency: Idempotency,
  request: IdempotentRequest,
  run: () => Promise<StoredResponse>,
): Promise<StoredResponse & { replayed: boolean }> {
  const kept = await idempotency.claim(request);
  if (kept) return { ...kept, replayed: true };
  try {
    const answer = await run();
    await idempotency.store(request, answer);
    return { ...answer, replayed: false };
  } catch (error) {
    if (error instanceof HttpError && error.status < 500) {
      const body = JSON.stringify({ detail: error.detail, ...error.extras.body });
      await idempotency.store(request, { status: error.status, body });
    } else await idempotency.release(request).catch(() => {});
    throw error;
  }
}
