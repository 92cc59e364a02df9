import { describe, expect, test } from 'vitest';
import {
  type AnsweringMachineInput,
  advanceAnsweringMachine,
  MAX_GREETING_MS,
  startAnsweringMachineDetection,
  suppressesReplies,
} from '../../../media/turn/answering-machine-detection.ts';
import { readGreeting } from '../../../media/turn/greeting-words.ts';

/** A call answered at 0, with ticks every 20 ms and these inputs. Returns the effects with their times. */
function play(inputs: [atMs: number, input: AnsweringMachineInput][], lastsMs = 12_000, windowMs = 5_000) {
  const state = startAnsweringMachineDetection({ windowMs }, 0);
  const followed: string[] = [];
  const waiting = [...inputs];
  for (let nowMs = 0; nowMs <= lastsMs; nowMs += 20) {
    const due: AnsweringMachineInput[] = [];
    while (waiting[0] && waiting[0][0] <= nowMs) due.push(waiting.shift()![1]);
    for (const input of [...due, { type: 'tick' } as const]) {
      for (const effect of advanceAnsweringMachine(state, input, nowMs)) {
        const more = effect.type === 'machine' ? ` by ${effect.by}` : effect.type === 'person' ? ` ${effect.held}` : '';
        followed.push(`${nowMs} ${effect.type}${more}`.trim());
      }
    }
  }
  return { state, followed };
}

/** Voice from `fromMs` to `toMs`, its words on the way and at its end. */
function says(text: string, fromMs: number, toMs: number): [number, AnsweringMachineInput][] {
  const half = text.split(' ').slice(0, Math.ceil(text.split(' ').length / 2));
  return [
    [fromMs, { type: 'voice_started', atMs: fromMs }],
    [(fromMs + toMs) / 2, { type: 'words', text: half.join(' ') }],
    [toMs + 160, { type: 'voice_ended', atMs: toMs }],
    [toMs + 200, { type: 'turn_ended', text }],
  ];
}

const beep = (atMs: number, hz = 1000): [number, AnsweringMachineInput] => [atMs, { type: 'beep', hz }];

describe('the words of a machine', () => {
  test.each([
    'Please leave a message after the tone.',
    'Please leave your name and number after the beep, and I’ll get back to you.',
    'Your call has been forwarded to an automated voice messaging system.',
    'Your call has been forwarded to voicemail. The person you are trying to reach is not available.',
    "You've reached the voicemail of Asha Rao.",
    'The person you are trying to reach is not available.',
    'The number you have dialled is currently switched off.',
    'The subscriber you have called is not reachable at the moment.',
    'The number you are calling is out of coverage area.',
    'At the tone, please record your message.',
    'Hear the tone? No. After the signal, speak. At the beep.',
    'For English press 1.',
    'kripya beep ke baad sandesh chhodein',
    'aap jis vyakti ko call kar rahe hain, jis vyakti ko aap',
    'Aapne jis number ko dial kiya hai vah switch off hai',
    'jis number se aap sampark karna chahte hain',
    'kripya beep sunne ke baad apna message record karein',
    'कृपया बीप के बाद अपना संदेश छोड़ें।',
    'कृपया बीप के बाद अपना संदेश छोड़ें।',
    'जिस व्यक्ति को आप कॉल कर रहे हैं वह अभी उपलब्ध नहीं है',
    'आपके द्वारा डायल किया गया नंबर अभी स्विच ऑफ है',
    'यह नंबर नेटवर्क क्षेत्र से बाहर है',
    'हिंदी के लिए एक दबाएँ',
  ])('%s', (text) => {
    expect(readGreeting(text, text).certain).toBe(true);
  });

  test.each([
    "Hi, this is Priya. I can't come to the phone right now, leave me your name and number.",
    "Sorry I missed your call, I'll get back to you as soon as possible.",
    'You have reached Acme. No one is available, try again later.',
    'abhi uplabdh nahi hai, baad mein call karein',
  ])('hints: %s', (text) => {
    const clues = readGreeting(text, text);
    expect(clues.hints).toBeGreaterThanOrEqual(2);
    expect(clues.person).toBe(false);
  });
});

describe('the words of a person', () => {
  test.each([
    'Hello?',
    'Hello, who is this?',
    'Good morning, Sharma clinic, how can I help you?',
    'Haan ji boliye',
    'Kaun bol raha hai?',
    'हैलो, कौन?',
    'हाँ जी बोलिए',
    'Yes, speaking',
    'I am driving, can you call me back later please',
    'I got your voicemail yesterday',
    'He is not here, would you like to leave a message?',
    'Wrong number',
    'My phone was switched off yesterday',
  ])('%s', (text) => {
    expect(readGreeting(text, text).certain).toBe(false);
  });

  test.each(['how may I help you', 'who is calling', 'boliye', 'बताइए', 'Asha speaking', 'kya kaam hai'])(
    'speak to the caller: %s',
    (text) => expect(readGreeting(text, text).person).toBe(true),
  );

  test('a call-screening service is answered', () => {
    const text = "Hi, if you record your name and reason for calling, I'll see if this person is available.";
    expect(readGreeting(text, text)).toMatchObject({ certain: false, person: true });
    const google = "The person you're calling is using a screening service. Go ahead and say your name.";
    expect(readGreeting(google, google)).toMatchObject({ certain: false, person: true });
  });

  test('however long a text, only its end is read', () => {
    const text = `leave a message after the tone ${'and so on '.repeat(20_000)}`;
    expect(readGreeting(text, text).certain).toBe(false);
  });
});

describe('the verdict', () => {
  test('a short greeting is a person at once', () => {
    const { followed } = play(says('hello', 300, 700));
    expect(followed).toEqual(['900 person']);
  });

  test('words of a machine are suspected while they are said, and a machine when the turn ends', () => {
    const { followed } = play([
      [300, { type: 'voice_started', atMs: 300 }],
      [2000, { type: 'words', text: 'leave a message after the tone' }],
      [2360, { type: 'voice_ended', atMs: 2200 }],
      [2400, { type: 'turn_ended', text: 'leave a message after the tone' }],
    ]);
    expect(followed.slice(0, 2)).toEqual(['2000 suspected', '2400 machine by words']);
  });

  test('words that change in the meantime are no machine', () => {
    const { followed } = play([
      [300, { type: 'voice_started', atMs: 300 }],
      [1000, { type: 'words', text: 'after the tone' }],
      [1200, { type: 'words', text: 'after the town' }],
      [1560, { type: 'voice_ended', atMs: 1400 }],
      [1600, { type: 'turn_ended', text: 'after the town hall' }],
    ]);
    expect(followed).toEqual(['1000 suspected', '1600 person']);
  });

  test('unchanged words of a machine decide before the turn ends', () => {
    const { followed } = play([
      [300, { type: 'voice_started', atMs: 300 }],
      [1000, { type: 'words', text: 'leave a message after the tone' }],
    ]);
    expect(followed.slice(0, 2)).toEqual(['1000 suspected', '2000 machine by words']);
  });

  test('one hint waits for 1.5 seconds of silence', () => {
    const text = 'you have reached the Sharma clinic';
    const { followed } = play(says(text, 300, 2300));
    expect(followed).toEqual(['1300 suspected', `3800 person ${text}`]);
  });

  test('two hints are a machine', () => {
    const { followed } = play(says("you have reached Priya I can't come to the phone", 300, 2300));
    expect(followed.slice(0, 2)).toEqual(['1300 suspected', '2500 machine by words']);
  });

  test('a long talk without a question is suspected, and after eight seconds a machine', () => {
    const text = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen';
    const { followed } = play([
      [300, { type: 'voice_started', atMs: 300 }],
      [4000, { type: 'words', text }],
    ]);
    expect(followed.slice(0, 2)).toEqual(['3800 suspected', '8300 machine by shape']);
  });

  test('long audio without words is never a machine', () => {
    const { followed } = play([[300, { type: 'voice_started', atMs: 300 }]], 40_000);
    expect(followed).toEqual(['3800 suspected']);
  });

  test('detection ends after its maximum', () => {
    const { followed } = play([[300, { type: 'voice_started', atMs: 300 }]], 60_000);
    expect(followed).toEqual(['3800 suspected', `${MAX_GREETING_MS} person`]);
  });

  test('a beep is a machine; the tone of a ringing line is not', () => {
    expect(play([beep(2000)]).followed[0]).toBe('2000 machine by beep');
    expect(play([beep(2000, 425)]).followed).toEqual([]);
    expect(play([...says('hello this is Priya', 300, 1300), beep(3000, 440)]).followed).toContain(
      '3000 machine by beep',
    );
  });

  test('a beep after the window, or in a conversation, is ignored', () => {
    expect(play([...says('hello', 300, 700), beep(5500)]).followed).toEqual(['900 person']);
    expect(play([...says('hello', 300, 700), ...says('it is me', 2000, 2600), beep(4000)]).followed).toEqual([
      '900 person',
    ]);
  });

  test('keys are pressed by a person', () => {
    expect(play([[1500, { type: 'keys' }]]).followed).toEqual(['1500 person']);
  });
});

describe('a detected machine', () => {
  const greeting = says('please leave a message after the tone', 300, 2300);
  const known = ['1300 suspected', '2500 machine by words'];

  test('records 200 ms after its beep was reported', () => {
    const { followed, state } = play([...greeting, beep(4000)]);
    expect(followed).toEqual([...known, '4200 record']);
    expect(suppressesReplies(state)).toBe(true);
  });

  test('records after three silent seconds when there is no beep, and again when one comes', () => {
    const { followed } = play([...greeting, beep(6000)]);
    expect(followed).toEqual([...known, '5300 record', '6200 record']);
  });

  test('records once after the beep', () => {
    const { followed } = play([...greeting, beep(4000), beep(5000)]);
    expect(followed).toEqual([...known, '4200 record']);
  });

  test('that talks on after a beep is waited for', () => {
    const { followed } = play([
      ...greeting,
      beep(4000),
      [4100, { type: 'voice_started', atMs: 4050 }],
      [6660, { type: 'voice_ended', atMs: 6500 }],
      beep(7000),
    ]);
    expect(followed).toEqual([...known, '7200 record']);
  });

  test('that never stops talking ends the detection', () => {
    const { followed } = play([...greeting, [2600, { type: 'voice_started', atMs: 2600 }]], 60_000);
    expect(followed).toEqual([...known, `${MAX_GREETING_MS} give_up`]);
  });
});
