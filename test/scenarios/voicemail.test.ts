import { describe, expect } from 'vitest';
import type { Harness } from '../support/harness.ts';
import { agentSpeaking, emitted, replyPlayed, type ScenarioSetup, scenario } from '../support/scenario.ts';

/** A call that we placed, answered by a person or by a machine. */

const detecting = { voicemail_detection: true } as const;
const MESSAGE = 'This is Asha of the Sharma clinic, please call us back.';
const leaving = { ...detecting, voicemail_message: MESSAGE } as const;
const WELCOME = 'Good morning, this is Asha calling from the Sharma clinic about your visit on Monday.';
const GREETING = 'you have reached Priya i am not able to take your call please leave a message after the tone';
const end = { hangup_by: 'agent', hangup_reason: 'voicemail' } as const;

function answeredBy(who: 'human' | 'machine' | null) {
  return (harness: Harness) => expect(harness.conversation.machineDetector?.answeredBy).toBe(who);
}

const voicemailReported = (messageLeft: boolean) => (harness: Harness) =>
  expect(harness.emitted.filter((event) => event.type === 'call.voicemail').map((event) => event.data)).toEqual([
    { answered_by: 'machine', message_left: messageLeft },
  ]);

describe('a machine', () => {
  scenario('is hung up on where there is no message for it', { call: detecting }, (s) => {
    s.caller(GREETING, { at: 400, for: 5000 });
    s.expect.requests(0);
    s.expect.spoken();
    s.expect.that('reported', voicemailReported(false));
    s.expect.that('known', answeredBy('machine'));
    s.expect.transcript([`user: ${GREETING}`]);
    s.expect.callEnds(end);
  });

  scenario('is left the message after its beep, whole', { call: leaving }, (s) => {
    s.caller(GREETING, { at: 400, for: 5000 });
    s.beep(6600);
    s.expect.requests(0);
    s.expect.playedOnce(1);
    s.expect.that('not before the beep', (harness) => {
      expect(harness.played[0]!.atMs).toBeGreaterThanOrEqual(6800);
      expect(harness.played[0]!.atMs).toBeLessThan(7600);
    });
    s.expect.transcript([`user: ${GREETING}`, `agent: ${MESSAGE}`]);
    s.expect.that('reported', voicemailReported(true));
    s.expect.callEnds(end);
  });

  scenario(
    'that greets during the welcome silences it, and gets the message',
    { call: leaving, welcome: WELCOME },
    (s) => {
      const greeting = s.caller(GREETING, { at: 900, for: 5000 });
      s.beep(7000);
      s.expect.silentBy(greeting, 600, 5000);
      s.expect.requests(0);
      s.expect.playedOnce(2);
      s.expect.lastLine(`agent: ${MESSAGE}`);
      s.expect.that('reported', voicemailReported(true));
      s.expect.callEnds(end);
    },
  );

  scenario(
    'silences even a welcome that nobody may interrupt',
    { call: { ...leaving, allow_interruptions: false }, welcome: WELCOME },
    (s) => {
      const greeting = s.caller(
        'the person you are trying to reach is not available please leave a message after the tone',
        {
          at: 900,
          for: 5000,
        },
      );
      s.beep(7000);
      s.expect.silentBy(greeting, 2600, 3000);
      s.expect.requests(0);
      s.expect.lastLine(`agent: ${MESSAGE}`);
      s.expect.callEnds(end);
    },
  );

  scenario('that never beeps gets the message after a quiet', { call: leaving }, (s) => {
    s.caller(GREETING, { at: 400, for: 5000 });
    s.expect.playedOnce(1);
    s.expect.that('after three seconds', (harness) => expect(harness.played[0]!.atMs).toBeGreaterThanOrEqual(8400));
    s.expect.that('reported', voicemailReported(true));
    s.expect.callEnds(end);
  });

  scenario('that beeps only after the message was begun gets it again, whole', { call: leaving }, (s) => {
    s.caller(GREETING, { at: 400, for: 5000 });
    s.beep(agentSpeaking(1, 900));
    s.expect.playedOnce(2);
    s.expect.lastLine(`agent: ${MESSAGE}`);
    s.expect.that('reported', voicemailReported(true));
    s.expect.callEnds(end);
  });

  scenario('that only beeps is known by its beep', { call: leaving }, (s) => {
    s.beep(2500);
    s.expect.playedOnce(1);
    s.expect.transcript([`agent: ${MESSAGE}`]);
    s.expect.callEnds(end);
  });

  scenario('whose line rings on the way is not known by the ringing', { call: detecting }, (s) => {
    s.beep(2500, 425);
    s.caller('hello', { at: 3500, for: 500 });
    s.expect.never('call.voicemail');
    s.expect.transcript(['user: hello', 'agent: Yes of course.']);
  });

  scenario('that talks on for ever is given up', { call: leaving, lasts: 60_000 }, (s) => {
    for (let time = 0; time < 14; time++) {
      s.caller('the number you have dialled is currently switched off please try again later', {
        at: 400 + time * 4000,
        for: 3700,
        transcriptAfter: 100,
      });
      if (time === 10) break;
    }
    s.noise({ at: 44_000, for: 3000 });
    s.expect.spoken();
    s.expect.that('reported', voicemailReported(false));
    s.expect.callEnds(end);
  });

  scenario('with a short name for a greeting is found out by what follows', { call: leaving }, (s) => {
    s.caller('Priya Sharma', { at: 400, for: 900 });
    s.caller('please leave a message after the tone', { at: 2600, for: 2200 });
    s.beep(6200);
    s.expect.lastLine(`agent: ${MESSAGE}`);
    s.expect.callEnds(end);
  });

  scenario('with a short greeting is found out by its beep', { call: leaving }, (s) => {
    s.caller('hello this is Priya', { at: 400, for: 1100 });
    s.model('Hello Priya, this is Asha of the Sharma clinic, I am calling about your visit on Monday.');
    s.beep(3400);
    s.expect.lastLine(`agent: ${MESSAGE}`);
    s.expect.that('reported', voicemailReported(true));
    s.expect.callEnds(end);
  });

  scenario('that pauses is not answered in the pause', { call: leaving }, (s) => {
    s.caller('you have reached Priya Sharma', { at: 400, for: 1800 });
    s.caller('i cannot come to the phone right now', { at: 3200, for: 1900 });
    s.caller('leave me a message and i will call you back', { at: 5800, for: 2000 });
    s.beep(8600);
    s.expect.requests(0);
    s.expect.playedOnce(1);
    s.expect.lastLine(`agent: ${MESSAGE}`);
    s.expect.callEnds(end);
  });

  scenario('speaks Hindi as well', { call: leaving }, (s) => {
    s.caller('जिस व्यक्ति को आप कॉल कर रहे हैं वह उपलब्ध नहीं है कृपया बीप के बाद अपना संदेश छोड़ें', { at: 400, for: 5000 });
    s.beep(6400);
    s.expect.requests(0);
    s.expect.playedOnce(1);
    s.expect.callEnds(end);
  });

  scenario('speaks Hinglish as well', { call: detecting }, (s) => {
    s.caller('kripya beep ke baad apna sandesh chhodein', { at: 400, for: 3000 });
    s.expect.requests(0);
    s.expect.callEnds(end);
  });

  scenario(
    'is known by a transcriber that writes its words only at the end',
    { call: leaving, transcriber: 'words' },
    (s) => {
      s.caller(GREETING, { at: 400, for: 5000, noInterims: true, transcriptAfter: 600 });
      s.beep(6600);
      s.expect.requests(0);
      s.expect.playedOnce(1);
      s.expect.that('reported', voicemailReported(true));
      s.expect.callEnds(end);
    },
  );

  scenario('that says nothing a machine says is known by talking on and on', { call: detecting }, (s) => {
    s.caller(
      'welcome to the house of sweets on station road we are a family of bakers since nineteen sixty and we make everything fresh every morning',
      { at: 400, for: 9500 },
    );
    s.expect.requests(0);
    s.expect.that('reported', voicemailReported(false));
    s.expect.callEnds(end);
  });

  scenario('that hangs up during the message was not left it', { call: leaving }, (s) => {
    s.caller(GREETING, { at: 400, for: 5000 });
    s.beep(6600);
    s.hangUp(agentSpeaking(1, 1200));
    s.expect.that('reported', voicemailReported(false));
    s.expect.that('known', answeredBy('machine'));
    s.expect.lastLine(/^agent: This is .*—$/);
  });

  scenario(
    'is not asked whether it is still there, nor taken for a silent caller',
    {
      call: { ...leaving, check_user_online: true, user_online_after_seconds: 3, hangup_after_silence_seconds: 5 },
    },
    (s) => {
      s.caller(GREETING, { at: 400, for: 5000 });
      s.expect.never('user.online_check');
      s.expect.playedOnce(1);
      s.expect.callEnds(end);
    },
  );

  scenario('that talks during the message does not stop it', { call: leaving }, (s) => {
    s.caller(GREETING, { at: 400, for: 5000 });
    s.beep(6600);
    s.caller('your message is being recorded now', { at: agentSpeaking(1, 600), for: 1500 });
    s.expect.playedOnce(1);
    s.expect.neverCleared();
    s.expect.neverDucked();
    s.expect.that('reported', voicemailReported(true));
    s.expect.callEnds(end);
  });
});

describe('a person', () => {
  scenario('who says hello is answered at once', { call: detecting }, (s) => {
    s.caller('hello', { at: 400, for: 400 });
    s.expect.firstAudioWithin(700);
    s.expect.transcript(['user: hello', 'agent: Yes of course.']);
    s.expect.that('known', answeredBy('human'));
    s.expect.never('call.voicemail');
    s.expect.callEnds();
  });

  scenario('who says hello into the welcome is talked with', { call: detecting, welcome: WELCOME }, (s) => {
    s.caller('hello who is this', { at: 1200, for: 900 });
    s.expect.lastLine('agent: Yes of course.');
    s.expect.that('known', answeredBy('human'));
  });

  scenario('at a reception is answered at once', { call: leaving }, (s) => {
    s.caller('good morning Sharma clinic this is Ravi at the front desk how can I help you', { at: 400, for: 4200 });
    s.expect.requests(1);
    s.expect.firstAudioWithin(700);
    s.expect.never('call.voicemail');
    s.expect.that('known', answeredBy('human'));
  });

  scenario('with a long greeting and no question is answered when they wait', { call: leaving }, (s) => {
    s.caller('good morning you have reached the Sharma clinic on station road', { at: 400, for: 3800 });
    s.expect.requests(1);
    s.expect.firstAudioWithin(2500);
    s.expect.lastLine('agent: Yes of course.');
    s.expect.that('known', answeredBy('human'));
    s.expect.callEnds();
  });

  scenario('who asks whether to take a message is no machine', { call: leaving }, (s) => {
    s.caller('sorry Mister Sharma is not available would you like to leave a message', { at: 400, for: 3900 });
    s.expect.requests(1);
    s.expect.never('call.voicemail');
  });

  scenario('who is busy is no machine', { call: detecting }, (s) => {
    s.caller('hello', { at: 400, for: 400 });
    s.caller('i am busy right now please call me back later', { at: agentSpeaking(1, 900), for: 2200 });
    s.expect.never('call.voicemail');
    s.expect.lastLine('agent: Yes of course.');
    s.expect.callEnds();
  });

  scenario('who speaks of a voicemail is no machine', { call: detecting }, (s) => {
    s.caller('hello', { at: 400, for: 400 });
    s.caller('oh yes i heard your voicemail yesterday', { at: 2400, for: 1800 });
    s.expect.never('call.voicemail');
    s.expect.callEnds();
  });

  scenario('who was taken for a machine by their long greeting, and calls, is answered', { call: leaving }, (s) => {
    s.caller(
      'this is the house of sweets on station road we are a family of bakers since nineteen sixty and we make everything fresh',
      { at: 400, for: 8800 },
    );
    s.caller('hello hello', { at: 10_600, for: 700 });
    s.expect.never('call.voicemail');
    s.expect.lastLine('agent: Yes of course.');
    s.expect.that('known', answeredBy('human'));
    s.expect.callEnds();
  });

  scenario('who presses a key is a person', { call: { ...detecting, dtmf_input: true } }, (s) => {
    s.keys('1', 1500);
    s.expect.that('known', answeredBy('human'));
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('who speaks first after the window is known all the same', { call: detecting, welcome: WELCOME }, (s) => {
    s.caller('yes tell me', { at: 8000, for: 900 });
    s.expect.that('known', answeredBy('human'));
    s.expect.lastLine('agent: Yes of course.');
  });

  scenario('who beeps in the middle of the talk stays a person', { call: detecting }, (s) => {
    s.caller('hello', { at: 400, for: 400 });
    s.caller('yes it is me', { at: 2400, for: 900 });
    s.beep(9000);
    s.expect.never('call.voicemail');
    s.expect.callEnds();
  });

  scenario('who hangs up while it is not known leaves their words', { call: leaving }, (s) => {
    s.caller('you have reached the Sharma clinic', { at: 400, for: 2500 });
    s.hangUp(3600);
    s.expect.transcript(['user: you have reached the Sharma clinic']);
    s.expect.requests(0);
    s.expect.that('not known', answeredBy(null));
  });

  scenario('behind a service that screens calls is spoken to', { call: leaving }, (s) => {
    s.caller("record your name and reason for calling and i'll see if this person is available", {
      at: 400,
      for: 4200,
    });
    s.expect.requests(1);
    s.expect.never('call.voicemail');
  });

  scenario('that only breathes is nobody known', { call: detecting }, (s) => {
    s.noise({ at: 700, for: 300 });
    s.expect.that('not known', answeredBy(null));
    s.expect.never('call.voicemail');
  });
});

describe('nobody asks who answered', () => {
  const without: ScenarioSetup = { call: { voicemail_message: MESSAGE } };

  scenario('where detection is off', without, (s) => {
    s.caller(GREETING, { at: 400, for: 5000 });
    s.beep(6600);
    s.expect.never('call.voicemail');
    s.expect.lastLine('agent: Yes of course.');
    s.expect.that('not asked', (harness) => expect(harness.conversation.machineDetector).toBeNull());
  });
});

describe('the window', () => {
  scenario(
    'closes: what a person says later is never taken for a machine',
    { call: { ...detecting, voicemail_detection_seconds: 2 } },
    (s) => {
      s.caller('hello', { at: 400, for: 400 });
      s.caller('i shall leave you a message after the beep', { at: replyPlayed(1, 6000), for: 2000 });
      s.expect.never('call.voicemail');
      s.expect.callEnds();
    },
  );

  scenario(
    'is open as long as the greeting that began in it',
    { call: { ...leaving, voicemail_detection_seconds: 2 } },
    (s) => {
      s.caller(
        'hello and thank you for calling us today all of us are with our patients just now so leave a message after the tone',
        { at: 1500, for: 7000 },
      );
      s.beep(9500);
      s.expect.requests(0);
      s.expect.that('reported', voicemailReported(true));
      s.expect.callEnds(end);
    },
  );

  scenario('that detected a machine keeps the recording short', { call: leaving }, (s) => {
    s.caller(GREETING, { at: 400, for: 5000 });
    s.beep(6600);
    s.beep(emitted('tts.first_audio', 1, 700));
    s.expect.playedOnce(1);
    s.expect.callEnds(end);
  });
});
