import { t } from '../texts/texts.ts';

/** When an event is sent, in the person's language; for one that this version of the page does not know, what the API says. */
export function eventText(type: string, description: string): string {
  const texts: Record<string, string> = {
    'call.queued': t('An outgoing call joined the queue.'),
    'call.placed': t('The carrier accepted the call.'),
    'call.started': t('The call is connected and the agent is live.'),
    'call.ended': t('The call ended, or never connected.'),
    'call.completed': t('The whole record of a connected call, after its analysis.'),
    'call.voicemail': t('An answering machine answered.'),
    'call.rescheduled': t('A call back was booked.'),
    'call.transferred': t('The agent handed the caller to a person.'),
    'call.transfer_status': t('What came of handing over.'),
    'agent.handoff': t('Another agent went on with the call.'),
    'call.control': t('A person or program controlled the call.'),
    'call.dtmf': t('The caller pressed keys.'),
    'user.turn': t('The caller finished speaking.'),
    'human_agent.turn': t('A person who took over finished speaking.'),
    'agent.reply': t('The agent finished a reply.'),
    interrupted: t('The caller talked over the agent.'),
    'user.online_check': t('The agent asked whether the caller is still there.'),
    'tool.call': t('The agent called a tool.'),
    'tool.result': t('A tool answered or failed.'),
    'kb.search': t('The agent searched its knowledge.'),
    'fallback.used': t('A fallback took over for a provider that failed.'),
    'capacity.fallback': t('A fallback took over for a provider at its limit.'),
    'capacity.exceeded': t('A provider was at its limit, and there was no fallback.'),
    error: t('Something went wrong in the call.'),
    'guardrail.violation': t('The agent broke a rule of the guardrails.'),
    ping: t('A test that you send to an endpoint.'),
  };
  return texts[type] ?? description;
}
