/** Error texts for the user: what happened, and what they can do. */

/** `name` of the error of getUserMedia (W3C Media Capture and Streams, section 10.2); empty where getUserMedia is missing. */
export function microphoneError(name: string): string {
  switch (name) {
    case 'NotAllowedError':
    case 'SecurityError':
      return 'The microphone is blocked for this page. Allow it in the address bar of your browser, then press Talk again.';
    case 'NotFoundError':
    case 'OverconstrainedError':
      return 'No microphone was found. Connect one, then press Talk again.';
    case 'NotReadableError':
    case 'AbortError':
      return 'The microphone is in use by another program. Close that, then press Talk again.';
    case '':
      return 'This page may not use a microphone: open it over https, or as localhost on your own machine.';
    default:
      return 'The microphone could not be opened. Check it in the settings of your system, then press Talk again.';
  }
}

/** Why a call could not be placed. Status 0: no response. */
export function placeCallError({ status, detail }: { status: number; detail: string }): string {
  if (status === 0) return 'The service cannot be reached. Check your connection and try again.';
  if (status === 401) return 'You were signed out. Sign in again, please.';
  if (status === 402) return 'There are no credits left. Add credits in Billing, then call again.';
  if (status === 403 && detail.startsWith('confirm your email')) {
    return 'Confirm your email address first: follow the link in our email.';
  }
  if (status === 403) return 'You may look at this agent, but not call it. Ask an admin of the workspace for that.';
  if (status === 404) return 'This agent does not exist any more.';
  if (status === 409 && detail.includes('slots')) {
    return 'All call slots of the workspace are busy. Try again when a call has ended.';
  }
  if (status === 409 && detail.includes('paused')) return 'This agent is paused. Set it active to talk to it.';
  if (status === 409 && detail.includes('frozen')) return 'This agent is frozen after a broken rule.';
  if (status === 429) return 'Too many calls in a short time. Wait a minute and try again.';
  return `The call could not be placed${detail === '' ? '' : `: ${detail}`}.`;
}

const END_REASON_TEXTS: Record<string, string> = {
  'caller hung up': 'You hung up.',
  'agent ended the call': 'The agent said goodbye and hung up.',
  'hang-up prompt': 'The agent found that all was said, and hung up.',
  'caller silent': 'Nothing was heard from you for a while, so the agent hung up.',
  'maximum duration': 'The call reached its longest duration.',
  'credits ran out': 'The credits ran out.',
  'media engine lost': 'The service lost the call. It is free of charge.',
  'connection lost': 'The connection was lost and could not be restored.',
  'could not connect': 'No connection could be made. A firewall may block calls here; try another network.',
  canceled: 'No audio came from this browser, so the call was canceled.',
  transferred: 'You were put through to a person.',
};

/** `reason` is that of the call's record, or one of the call client's. */
export function endReasonText(reason: string): string {
  if (reason.startsWith('error: ')) return 'The service had to break the call off. It is free of charge.';
  return END_REASON_TEXTS[reason] ?? (reason === '' ? 'The call is over.' : `The call is over: ${reason}.`);
}
