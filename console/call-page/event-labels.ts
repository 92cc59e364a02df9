import type { EventType } from '../../shared/events.ts';
import type { TimelineItem } from '../api-records.ts';

/** The title and the detail that the timeline shows for an event. */
export interface EventLabel {
  title: string;
  detail: string;
}

const TITLES: Record<EventType, string> = {
  'call.queued': 'Queued',
  'call.dequeued': 'Left the queue',
  'call.placed': 'Placed',
  'call.started': 'Call started',
  welcome: 'Welcome',
  'tts.first_audio': 'First audio',
  'user.turn': 'You',
  'llm.first_token': 'First token of the model',
  'agent.reply': 'Agent',
  interrupted: 'You talked over the agent',
  'tool.call': 'Tool called',
  'tool.result': 'Tool answered',
  'tool.limit': 'Limit of tool rounds reached',
  'llm.context': 'Beginning of the call left out of the prompt',
  'kb.search': 'Knowledge searched',
  'kb.inline': 'Knowledge in the prompt',
  'user.online_check': 'Asked whether you are there',
  'hangup.prompt': 'Hang-up prompt',
  'fallback.used': 'Fallback used',
  'capacity.fallback': 'Fallback: provider at capacity',
  'capacity.exceeded': 'Provider at capacity',
  'network.stall': 'Network stood still',
  'call.dtmf': 'Keys pressed',
  'call.voicemail': 'Voicemail',
  error: 'Error',
  'call.rescheduled': 'Call back booked',
  'call.transferred': 'Transferred',
  'call.transfer_status': 'Transfer',
  'recording.notice': 'Notice of the recording',
  'recording.paused': 'Recording paused',
  'recording.resumed': 'Recording resumed',
  'guardrail.violation': 'Guardrail rule violated',
  'call.ended': 'Call ended',
  'call.completed': 'Call completed',
};

export function eventLabel({ type, message, data }: TimelineItem): EventLabel {
  // A newer service may send a type that this page does not know.
  const title = (TITLES as Record<string, string>)[type] ?? type;
  switch (type) {
    case 'tts.first_audio':
      return { title: data.welcome === true ? 'First audio of the welcome' : title, detail: '' };
    case 'tool.call':
    case 'tool.result':
      return { title, detail: text(data.name) || message };
    case 'kb.search':
      return { title, detail: typeof data.hits === 'number' ? plural(data.hits, 'passage') : message };
    case 'call.dtmf':
      return { title, detail: text(data.digits) };
    case 'call.started':
      return { title, detail: [text(data.stt), text(data.llm), text(data.tts)].filter(Boolean).join(' · ') };
    case 'llm.first_token':
    case 'interrupted':
    case 'call.completed':
      return { title, detail: '' };
    default:
      return { title, detail: message };
  }
}

/** Time since the start of the call, `0:04`. */
export function callTimeOf(item: Pick<TimelineItem, 'created_at'>, firstAt: string): string {
  const tenths = Math.max(0, Math.round((Date.parse(item.created_at) - Date.parse(firstAt)) / 100));
  return clockTime(Math.floor(tenths / 10));
}

/** `4:07` */
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;
