import { describe, expect } from 'vitest';
import type { Harness } from '../support/harness.ts';
import { replyPlayed, scenario } from '../support/scenario.ts';

/** The caller is told that the call is recorded, before anything else and to the end. */

const NOTICE = 'This call is recorded to help us do better.';
const WELCOME = 'Welcome to the restaurant.';
const call = { recording_notice: NOTICE } as const;
const GREETING = 'you have reached Priya i am not able to take your call please leave a message after the tone';

/** The notice was played, or not, and the recording began no earlier than its end. */
const noticed = (completed: boolean) => (harness: Harness) => {
  const notices = harness.emitted.filter(({ type }) => type === 'recording.notice');
  expect(notices.map(({ data }) => data)).toEqual([{ completed }]);
  const atEnd = harness.played.filter(({ context }) => context === 1).at(-1);
  expect(harness.recordingBegins).toEqual(completed ? [notices[0]!.atMs] : []);
  if (completed) expect(notices[0]!.atMs).toBeGreaterThanOrEqual(atEnd!.atMs + atEnd!.toMs - atEnd!.fromMs);
};

describe('the notice of the recording', () => {
  scenario('is said first, then the welcome', { call, welcome: WELCOME }, (s) => {
    s.expect.spoken(NOTICE, WELCOME);
    s.expect.playedOnce(1);
    s.expect.playedOnce(2);
    s.expect.events(['recording.notice', 'welcome', 'tts.first_audio']);
    s.expect.that('played', noticed(true));
  });

  scenario('is said where the caller speaks first, who is asked nothing for it', { call }, (s) => {
    s.caller('book a table', { at: 4_000, for: 1_000 });
    s.expect.transcript([`agent: ${NOTICE}`, 'user: book a table', 'agent: Yes of course.']);
    s.expect.history([`assistant: ${NOTICE}`, 'user: book a table']);
  });

  scenario(
    'has its variables filled in',
    { call: { recording_notice: '{who} records.' }, values: { who: 'Asha' } },
    (s) => s.expect.spoken('Asha records.'),
  );

  scenario('is said only where the call is recorded', { call: { ...call, record: false }, welcome: WELCOME }, (s) => {
    s.expect.spoken(WELCOME);
    s.expect.never('recording.notice');
  });

  scenario('is not stopped by the caller, who is answered after the welcome', { call, welcome: WELCOME }, (s) => {
    s.caller('wait stop i want a table', { at: 500, for: 900 });
    s.expect.neverCleared();
    s.expect.neverDucked();
    s.expect.playedOnce(1);
    s.expect.transcript([
      `agent: ${NOTICE}`,
      `agent: ${WELCOME}`,
      'user: wait stop i want a table',
      'agent: Yes of course.',
    ]);
    s.expect.that('played', noticed(true));
  });

  scenario('is not stopped by keys, which are answered after it', { call: { ...call, dtmf_input: true } }, (s) => {
    s.keys('1', 500);
    s.expect.neverCleared();
    s.expect.lastLine('agent: Yes of course.');
    s.expect.that('played', noticed(true));
  });

  scenario('that the caller hung up in began no recording', { call, welcome: WELCOME }, (s) => {
    s.hangUp(1_500);
    s.expect.never('welcome');
    s.expect.transcript([/^agent: This.*—$/]);
    s.expect.that('not played', noticed(false));
  });

  scenario('whose voice broke off began no recording, and the welcome is said', { call, welcome: WELCOME }, (s) => {
    s.synthesizer({ breaksAfterMs: 400, breaks: 'context failed' });
    s.expect.count('welcome', 1);
    s.expect.that('not played', noticed(false));
  });

  scenario(
    'is silenced by a machine, which gets its message unrecorded',
    { call: { ...call, voicemail_detection: true, voicemail_message: 'Please call us back.' }, welcome: WELCOME },
    (s) => {
      const greeting = s.caller(GREETING, { at: 300, for: 5000 });
      s.beep(7000);
      s.expect.silentBy(greeting, 2600, 3000);
      s.expect.never('welcome');
      s.expect.lastLine('agent: Please call us back.');
      s.expect.that('not played', noticed(false));
    },
  );

  scenario(
    'leaves the caller the whole wait before they are asked whether they are there',
    { call: { ...call, check_user_online: true, user_online_after_seconds: 3 } },
    (s) => {
      s.expect.that('asked later', ({ emitted }) => {
        const [notice, asked] = ['recording.notice', 'user.online_check'].map((type) =>
          emitted.find((event) => event.type === type),
        );
        expect(asked!.atMs - notice!.atMs).toBeGreaterThanOrEqual(3_000);
      });
    },
  );
});

scenario('nothing is said of the recording without a notice', { welcome: WELCOME }, (s) => {
  s.caller('book a table', { at: 4_000, for: 1_000 });
  s.caller('thank you', { at: replyPlayed(1, 1_000), for: 600 });
  s.expect.never('recording.notice');
});
