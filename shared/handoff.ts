/** The model's tool; its arguments are `target`, one of the agent's handoffs by name, and `reason`. */
export const HANDOFF_TOOL = 'handoff_call';

/** What the model of a tested agent gets: only one agent is tested. */
export const HANDOFF_IN_TEST = 'in a test no other agent takes over';

/** How often one call may go on with another agent: two agents that hand a caller to each other come to an end. */
export const MAX_HANDOFFS = 10;
