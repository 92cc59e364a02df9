import type { EventType } from '../../shared/events.ts';
import { providerName } from '../agents/provider-names.ts';
import { clockTime } from '../call/clock-time.ts';
import type { TimelineItem } from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';

/** The title and the detail that the timeline shows for an event. */
export interface EventLabel {
  title: string;
  detail: string;
}

const titles = (): Record<EventType, string> => ({
  'call.queued': t('Queued'),
  'call.dequeued': t('Left the queue'),
  'call.placed': t('Placed'),
  'call.started': t('Call started'),
  welcome: t('Welcome'),
  'tts.first_audio': t('First audio'),
  'user.turn': t('Caller'),
  'human_agent.turn': t('Human agent'),
  'llm.first_token': t('First token of the model'),
  'agent.reply': t('Agent'),
  interrupted: t('The caller talked over the agent'),
  'tool.call': t('Tool called'),
  'tool.result': t('Tool answered'),
  'tool.limit': t('Limit of tool rounds reached'),
  'llm.context': t('Beginning of the call left out of the prompt'),
  'kb.search': t('Knowledge searched'),
  'kb.inline': t('Knowledge in the prompt'),
  'user.online_check': t('Asked whether the caller is there'),
  'hangup.prompt': t('Hang-up prompt'),
  'fallback.used': t('Fallback used'),
  'capacity.fallback': t('Fallback: provider at capacity'),
  'capacity.exceeded': t('Provider at capacity'),
  'network.stall': t('Network stood still'),
  'call.dtmf': t('Keys pressed'),
  'call.voicemail': t('Voicemail'),
  'call.control': t('Live control'),
  error: t('Error'),
  'call.rescheduled': t('Call back booked'),
  'call.transferred': t('Transferred'),
  'call.transfer_status': t('Transfer'),
  'language.changed': t('Language of the call changed'),
  'agent.handoff': t('Another agent went on'),
  'recording.notice': t('Notice of the recording'),
  'recording.paused': t('Recording paused'),
  'recording.resumed': t('Recording resumed'),
  'guardrail.violation': t('Guardrail rule violated'),
  'call.ended': t('Call ended'),
  'call.completed': t('Call completed'),
});

export function eventLabel({ type, message, data }: TimelineItem): EventLabel {
  // A newer service may send a type that this page does not know.
  const title = (titles() as Record<string, string>)[type] ?? type;
  switch (type) {
    case 'tts.first_audio':
      if (data.welcome === true) return { title: t('First audio of the welcome'), detail: '' };
      return { title, detail: t('after the end of the speech') };
    case 'llm.first_token':
      return { title, detail: t('after the end of the speech') };
    case 'tool.call':
    case 'tool.result':
      return { title, detail: text(data.name) || message };
    case 'kb.search':
      return {
        title,
        detail: typeof data.hits === 'number' ? tn('{{count}} passage', '{{count}} passages', data.hits) : message,
      };
    case 'call.dtmf':
      return { title, detail: text(data.digits) };
    case 'call.started':
      return {
        title,
        detail: [text(data.stt), text(data.llm), text(data.tts)].filter(Boolean).map(providerName).join(' · '),
      };
    case 'interrupted':
    case 'call.completed':
      return { title, detail: '' };
    default:
      return { title, detail: message };
  }
}

/** What the event has besides its title and detail: field by field. */
export function eventFields({
  message,
  data,
}: Pick<TimelineItem, 'message' | 'data'>): [name: string, value: string][] {
  const fields = Object.entries(data).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return message === '' ? fields : [['message', message], ...fields];
}

/** Time since the start of the call, `0:04`. */
export function callTimeOf(item: Pick<TimelineItem, 'created_at'>, firstAt: string): string {
  const tenths = Math.max(0, Math.round((Date.parse(item.created_at) - Date.parse(firstAt)) / 100));
  return clockTime(Math.floor(tenths / 10));
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');
