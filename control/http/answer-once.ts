import { HttpError } from './errors.ts';
import type { Idempotency, IdempotentRequest, KeptAnswer } from './idempotency.ts';

/** Carries a request with an `Idempotency-Key` out, unless it was answered before. */
export async function answerOnce(
  idempotency: Idempotency,
  request: IdempotentRequest,
  run: () => Promise<KeptAnswer>,
): Promise<KeptAnswer & { replayed: boolean }> {
  const kept = await idempotency.claim(request);
  if (kept) return { ...kept, replayed: true };
  try {
    const answer = await run();
    await idempotency.keep(request, answer);
    return { ...answer, replayed: false };
  } catch (error) {
    if (error instanceof HttpError && error.status < 500) {
      const body = JSON.stringify({ detail: error.detail, ...error.extras.body });
      await idempotency.keep(request, { status: error.status, body });
    } else await idempotency.release(request).catch(() => {});
    throw error;
  }
}
