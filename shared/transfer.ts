/** The outcomes of a transfer to a human agent, as in the event `call.transfer_status`. */
export const TRANSFER_STATUSES = ['answered', 'no-answer', 'busy', 'failed', 'canceled'] as const;
export type TransferStatus = (typeof TRANSFER_STATUSES)[number];

/** The model's tool; its arguments are `target`, one of the agent's targets by name, and `reason`. */
export const TRANSFER_TOOL = 'transfer_call';

/** How long the human agent's phone rings. */
export const TRANSFER_RING_SECONDS = 28;
/** Longer than any transfer until its outcome is known: request, ringing, summary, connecting both. */
export const MAX_TRANSFER_MS = 180_000;
/** Longest summary spoken to a human agent. */
export const MAX_TRANSFER_SUMMARY_CHARS = 400;
