/** The model's tool that books a callback; its arguments are `when` and `note`. */
export const RESCHEDULE_TOOL = 'reschedule_call';

/** Longest note of a callback. */
export const MAX_RESCHEDULE_NOTE_CHARS = 300;
