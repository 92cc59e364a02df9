import type { AgentConfig } from '../agent.ts';
import type { Bus } from '../bus/bus.ts';
import type { BookCallbackReply } from '../bus/messages.ts';
import { readArguments } from '../http-tool.ts';
import type { ToolCall, ToolDefinition } from '../llm/language-model.ts';
import { MAX_RESCHEDULE_NOTE_CHARS, RESCHEDULE_TOOL } from '../reschedule.ts';

export type RescheduleSettings = Pick<AgentConfig['call'], 'auto_reschedule' | 'reschedule_max_days' | 'timezone'>;

export interface CallbackRequest {
  /** The time as the model wrote it. */
  when: string;
  note: string;
}

/** Books a callback at control, which decides whether the time is possible. Rejects when control does not reply in time. */
export type BookCallback = (wish: CallbackRequest) => Promise<BookCallbackReply>;

export interface CallbackResult {
  /** Like an HTTP tool: 200 booked, 409 refused, 0 no reply. */
  status: number;
  /** For the model. */
  result: string;
}

/** Control needs one transaction. */
const REPLY_DEADLINE_MS = 5_000;
const MAX_TIME_CHARACTERS = 40;
const PARAMETERS = {
  type: 'object',
  properties: {
    when: { type: 'string', description: 'date and time as YYYY-MM-DDTHH:MM' },
    note: { type: 'string', description: 'what the call back is for, in one sentence' },
  },
  required: ['when'],
};

/** Undefined where the agent books no callbacks. */
export function createBookCallback(
  bus: Pick<Bus, 'bookCallback'>,
  call_id: string,
  { auto_reschedule }: Pick<RescheduleSettings, 'auto_reschedule'>,
): BookCallback | undefined {
  return auto_reschedule ? (request) => bus.bookCallback({ call_id, ...request }, REPLY_DEADLINE_MS) : undefined;
}

/** Returns the tool with which the model books a callback; empty where the agent books none. */
export function rescheduleTool(settings: Partial<RescheduleSettings>): ToolDefinition[] {
  const { auto_reschedule, reschedule_max_days, timezone } = settings;
  if (!auto_reschedule) return [];
  return [
    {
      name: RESCHEDULE_TOOL,
      description: `Books a call back, at most ${reschedule_max_days} days ahead. Use it when the caller asks to be called again later. Agree on a day and a time first; the time is local, in the zone ${timezone}. Tell the caller what was booked only when the answer says so, and the time it says.`,
      parameters: PARAMETERS,
    },
  ];
}

/** Returns the requested callback, or the reason for the model why it is invalid. */
export function parseCallbackRequest(call: ToolCall): CallbackRequest | string {
  const read = readArguments(PARAMETERS, call.arguments);
  const when = 'args' in read && typeof read.args.when === 'string' ? read.args.when.trim() : '';
  if (!('args' in read) || when === '' || when.length > MAX_TIME_CHARACTERS) {
    return 'The call back needs a date and a time in `when`, as YYYY-MM-DDTHH:MM.';
  }
  const note = typeof read.args.note === 'string' ? read.args.note.trim().slice(0, MAX_RESCHEDULE_NOTE_CHARS) : '';
  return { when, note };
}

/** Runs the tool. Never rejects. */
export async function runRescheduleTool(call: ToolCall, book: BookCallback): Promise<CallbackResult> {
  const request = parseCallbackRequest(call);
  if (typeof request === 'string') return { status: 0, result: request };
  const reply = await book(request).catch(() => null);
  if (!reply) return { status: 0, result: 'The call back could not be booked: the service did not answer.' };
  return reply.booked
    ? { status: 200, result: `The call back is booked: ${reply.message}.` }
    : { status: 409, result: `The call back is not booked: ${reply.message}.` };
}
