import { english as plain, type Translate } from '../texts/english.ts';

/** Texts about a call that failed or ended: what happened, and what the person can do. The embedded button shows them in English. */

/** `name` of the error of getUserMedia (W3C Media Capture and Streams, section 10.2); empty where getUserMedia is missing. */
export function microphoneError(name: string, t: Translate = plain): string {
  switch (name) {
    case 'NotAllowedError':
    case 'SecurityError':
      return t(
        'The microphone is blocked for this page. Allow it in the address bar of your browser, then press Talk again.',
      );
    case 'NotFoundError':
    case 'OverconstrainedError':
      return t('No microphone was found. Connect one, then press Talk again.');
    case 'NotReadableError':
    case 'AbortError':
      return t('The microphone is in use by another program. Close that, then press Talk again.');
    case '':
      return t('This page may not use a microphone: open it over https, or as localhost on your own machine.');
    default:
      return t('The microphone could not be opened. Check it in the settings of your system, then press Talk again.');
  }
}

/** Why a call could not be placed. Status 0: no response. */
export function placeCallError({ status, detail }: { status: number; detail: string }, t: Translate = plain): string {
  if (status === 0) return t('The service cannot be reached. Check your connection and try again.');
  if (status === 401) return t('You were signed out. Sign in again, please.');
  if (status === 402) return t('There are no credits left. Add credits in Billing, then call again.');
  if (status === 403 && detail.startsWith('confirm your email')) {
    return t('Confirm your email address first: follow the link in our email.');
  }
  if (status === 403) return t('You may look at this agent, but not call it. Ask an admin of the workspace for that.');
  if (status === 404) return t('This agent does not exist any more.');
  if (status === 409 && detail.includes('slots')) {
    return t('All call slots of the workspace are busy. Try again when a call has ended.');
  }
  if (status === 409 && detail.includes('paused')) return t('This agent is paused. Set it active to talk to it.');
  if (status === 409 && detail.includes('frozen')) return t('This agent is frozen after a broken rule.');
  if (status === 429) return t('Too many calls in a short time. Wait a minute and try again.');
  if (detail === '') return t('The call could not be placed.');
  return t('The call could not be placed: {{detail}}.', { detail });
}

const endTexts = (t: Translate): Record<string, string> => ({
  'caller hung up': t('You hung up.'),
  'agent ended the call': t('The agent said goodbye and hung up.'),
  'hang-up prompt': t('The agent found that all was said, and hung up.'),
  'caller silent': t('Nothing was heard from you for a while, so the agent hung up.'),
  'maximum duration': t('The call reached its longest duration.'),
  'credits ran out': t('The credits ran out.'),
  'media engine lost': t('The service lost the call. It is free of charge.'),
  'connection lost': t('The connection was lost and could not be restored.'),
  'could not connect': t('No connection could be made. A firewall may block calls here; try another network.'),
  canceled: t('No audio came from this browser, so the call was canceled.'),
  transferred: t('You were put through to a person.'),
});

/** `reason` is that of the call's record, or one of the call client's. */
export function endReasonText(reason: string, t: Translate = plain): string {
  if (reason.startsWith('error: ')) return t('The service had to break the call off. It is free of charge.');
  if (reason === '') return t('The call is over.');
  return endTexts(t)[reason] ?? t('The call is over: {{reason}}.', { reason });
}
