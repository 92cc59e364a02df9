import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import { LOUD } from '../../fixtures/simulators/carrier-playback.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { eventually } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

const MESSAGE = 'This is Asha of the Sharma clinic, please call us back.';
const GREETING = 'You have reached the mailbox of Asha. Please leave a message after the tone.';
const detecting = { voicemail_detection: true, voicemail_detection_seconds: 5 };

/** The transcripts of the called side by turn; each test sets its own. */
const transcripts: string[] = [];
let service: Service;

beforeAll(async () => {
  service = await startService({ transcripts, answer: () => ({ text: 'How nice of you.' }) });
});
afterAll(() => service?.close());

/** An outbound call that was answered. */
async function dial(carrier: 'twilio' | 'plivo', to: string, call: object): Promise<{ id: string; phone: Phone }> {
  const welcome_message = 'Good morning, this is Asha calling from the Sharma clinic about your visit on Monday.';
  const { agentId } = await service.agentOn(carrier, { welcome_message, call });
  const placed = await service.request('POST', `/agents/${agentId}/call`, { to_number: to, user_data: {} });
  expect(placed.status).toBe(201);
  const { id } = (await placed.json()) as { id: string };
  const dialled = await service.carriers[carrier].nextCall(60_000);
  return { id, phone: await dialled.waitForPhone(60_000) };
}

/** The recorded greeting, a short pause, and a beep of 1000 Hz for half a second. */
function mailbox(): Int16Array {
  const greeting = loadSpeech('mailbox-greeting').samples;
  const all = new Int16Array(greeting.length + 3200 + 4000);
  all.set(greeting);
  const beepAt = greeting.length + 3200;
  for (let i = 0; i < 4000; i++) all[beepAt + i] = Math.round(9000 * Math.sin((2 * Math.PI * 1000 * i) / 8000));
  return all;
}

test('a machine greeting during the welcome interrupts it, and gets the message after the beep', async () => {
  transcripts.splice(0, transcripts.length, GREETING);
  const { id, phone } = await dial('twilio', '+919876543230', { ...detecting, voicemail_message: MESSAGE });
  const { done, endSample } = phone.say(mailbox());
  await done;
  const beepEndMs = phone.sentTimeOfSample(endSample - 1);
  expect(await phone.waitForEnd(60_000)).toBe('agent');

  const { call, events } = await service.finished(id);
  expect(call).toMatchObject({
    status: 'completed',
    direction: 'outbound',
    hangup_by: 'agent',
    hangup_reason: 'voicemail',
    answered_by: 'machine',
  });
  expect(events.find(({ type }) => type === 'call.voicemail')?.data).toEqual({
    answered_by: 'machine',
    message_left: true,
  });
  expect(call.transcript.at(-1)).toMatchObject({ role: 'agent', text: MESSAGE, interrupted: false });
  expect(call.transcript.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual([GREETING]);
  // Nothing but the welcome and the message.
  expect(call.transcript.filter(({ role }) => role === 'agent').length).toBeLessThanOrEqual(2);
  // The agent's audio: silence during the machine's last word and beep, then the message.
  const loud = phone.agentFrames.filter(({ peak }) => peak >= LOUD);
  expect(loud.filter(({ atMs }) => atMs > beepEndMs - 1_500 && atMs < beepEndMs)).toEqual([]);
  expect(loud.filter(({ atMs }) => atMs > beepEndMs).length).toBeGreaterThan(50);
});

test('the call ends at a machine when there is no message', async () => {
  transcripts.splice(0, transcripts.length, GREETING);
  const { id, phone } = await dial('plivo', '+919876543231', detecting);
  phone.say(mailbox());
  expect(await phone.waitForEnd(60_000)).toBe('agent');
  const { call, events } = await service.finished(id);
  expect(call).toMatchObject({ status: 'completed', hangup_reason: 'voicemail', answered_by: 'machine' });
  expect(events.find(({ type }) => type === 'call.voicemail')?.data).toMatchObject({ message_left: false });
});

test('a human gets a conversation', async () => {
  transcripts.splice(0, transcripts.length, 'yes please');
  const { id, phone } = await dial('twilio', '+919876543232', { ...detecting, voicemail_message: MESSAGE });
  await phone.waitForAgentSpeech(60_000, 0);
  await phone.say(loadSpeech('short-yes-please').samples).done;
  await eventually('the answer to be transcripts', 60_000, async () => {
    const events = await service.api.events(id);
    return events.find(({ type }) => type === 'agent.reply');
  });
  phone.hangUp();
  const { call, events } = await service.finished(id);
  expect(call).toMatchObject({ status: 'completed', hangup_reason: 'caller hung up', answered_by: 'human' });
  expect(events.filter(({ type }) => type === 'call.voicemail')).toEqual([]);
  expect(call.transcript.at(-1)).toMatchObject({ role: 'agent', text: 'How nice of you.' });
  const found = await service.request('GET', '/calls?answered_by=machine&limit=10');
  const { items } = (await found.json()) as { items: { answered_by: string }[] };
  expect(items.map(({ answered_by }) => answered_by)).toEqual(['machine', 'machine']);
});
