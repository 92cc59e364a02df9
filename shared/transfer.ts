/** How a transfer to a person went, in the words of the specification's event `call.transfer_status`. */
export const TRANSFER_STATUSES = ['answered', 'no-answer', 'busy', 'failed', 'canceled'] as const;
export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/** The model's tool; its arguments are `target`, one of the agent's targets by name, and `reason`. */
export const TRANSFER_TOOL = 'transfer_call';

/** The person is rung so long. */
export const TRANSFER_RING_SECONDS = 28;
/** Longer than the longest transfer until its outcome is known: request, ringing, briefing, bringing both together. */
export const MAX_TRANSFER_MS = 180_000;
/** A briefing spoken to a person is not longer. */
export const MAX_TRANSFER_SUMMARY_CHARS = 400;
