/** The model's tool with which it books a call back; its arguments are `when` and `note`. */
export const RESCHEDULE_TOOL = 'reschedule_call';

/** What a call back is for, at most so long. */
export const MAX_RESCHEDULE_NOTE_CHARS = 300;
