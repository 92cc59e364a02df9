import { describe, expect } from 'vitest';
import type { Harness } from '../support/harness.ts';
import { agentSpeaking, emitted, type Script, scenario } from '../support/scenario.ts';

const MESSAGE = 'One moment, I will connect you.';
const WISH = '{"target":"Sales","reason":"asks about a bill"}';
const BRIEFING = 'The caller asks about a bill.';

/** The caller asks, the model transfers; its second reply is the briefing, if any. */
function handOver(s: Script, briefing: string | null = BRIEFING): void {
  s.caller('i have a question about my bill', { at: 500, for: 1000 });
  s.model('', { tool: 'transfer_call', toolArguments: WISH });
  if (briefing !== null) s.model(briefing);
}

const eventsOf = (harness: Harness, type: string) => harness.emitted.filter((event) => event.type === type);

describe('a transfer', () => {
  scenario(
    'is announced to the caller first, and starts after the announcement',
    { transfer: { after: 200, says: MESSAGE } },
    (s) => {
      handOver(s);
      s.expect.events([
        'user.turn',
        'llm.first_token',
        'tool.call',
        'tts.first_audio',
        'agent.reply',
        'call.transferred',
      ]);
      s.expect.transcript(['user: i have a question about my bill', `agent: ${MESSAGE}`]);
      s.expect.that('with everything control needs', (harness) => {
        expect(harness.transfers).toMatchObject([
          { name: 'Sales', number: '+919800011111', reason: 'asks about a bill', warm: true, summary: BRIEFING },
        ]);
        expect(eventsOf(harness, 'call.transferred')[0]?.data).toEqual({
          name: 'Sales',
          number: '+919800011111',
          reason: 'asks about a bill',
        });
      });
    },
  );

  scenario(
    'is announced to its end, whatever the caller says over it',
    { transfer: { after: 200, says: MESSAGE } },
    (s) => {
      handOver(s);
      s.caller('no wait that is wrong', { at: agentSpeaking(1, 300), for: 800 });
      s.expect.neverCleared();
      s.expect.playedOnce(1);
      s.expect.count('call.transferred', 1);
    },
  );

  scenario('needs no announcement', { transfer: { after: 200 } }, (s) => {
    handOver(s);
    s.expect.events(['user.turn', 'llm.first_token', 'tool.call', 'call.transferred']);
  });

  scenario(
    'that is not answered returns the caller, and the model gets the reason',
    { transfer: { after: 200 }, lasts: 40_000 },
    (s) => {
      handOver(s);
      s.transferOutcome('no-answer', emitted('call.transferred', 1, 20_000));
      s.model('Nobody is there. Can I help?');
      s.expect.lastLine('agent: Nobody is there. Can I help?');
      s.expect.history([
        'user: i have a question about my bill',
        'assistant: ',
        'tool: Nobody answered at Sales. The caller is still on the line with you.',
      ]);
      s.expect.that('as a warning with the word of the carrier', (harness) =>
        expect(eventsOf(harness, 'call.transfer_status')).toMatchObject([
          { level: 'warning', data: { status: 'no-answer', name: 'Sales', dial_status: 'no-answer!' } },
        ]),
      );
    },
  );

  scenario(
    'holds the caller: what they say is answered when it is known how it went',
    { transfer: { after: 200 } },
    (s) => {
      handOver(s);
      s.caller('are you still there', { at: emitted('call.transferred', 1, 2_000), for: 800 });
      s.transferOutcome('busy', emitted('call.transferred', 1, 6_000));
      s.model('Yes. The line is busy.');
      s.expect.that('one answer', (harness) => {
        const { messages } = harness.requests.at(-1)!;
        expect(messages.at(-1)).toEqual({ role: 'user', content: 'are you still there' });
        expect(messages.at(-2)?.content).toContain('is busy');
      });
      s.expect.requests(3);
      s.expect.lastLine('agent: Yes. The line is busy.');
    },
  );

  scenario(
    'counts as no silence of the caller',
    {
      transfer: { after: 200 },
      call: { hangup_after_silence_seconds: 5, check_user_online: true, user_online_after_seconds: 3 },
      lasts: 15_000,
    },
    (s) => {
      handOver(s);
      s.expect.never('user.online_check');
      s.expect.callEnds();
    },
  );

  scenario(
    'that control refuses is reported to the model',
    { transfer: { after: 200, refused: 'transfers are not possible on this line' } },
    (s) => {
      handOver(s);
      s.model('I cannot connect you.');
      s.expect.never('call.transferred', 'call.transfer_status');
      s.expect.count('tool.result', 1);
      s.expect.history([
        'user: i have a question about my bill',
        'assistant: ',
        /^tool: The transfer to Sales is not possible: transfers are not possible on this line\./,
      ]);
      s.expect.lastLine('agent: I cannot connect you.');
    },
  );

  scenario('without a reply of control times out', { transfer: { after: 0, silent: true }, lasts: 40_000 }, (s) => {
    handOver(s);
    s.model('I cannot connect you.');
    s.expect.lastLine('agent: I cannot connect you.');
  });

  scenario('whose outcome never comes is given up', { transfer: { after: 200 }, lasts: 200_000, call: {} }, (s) => {
    handOver(s);
    s.model('That did not work.');
    s.expect.lastLine('agent: That did not work.');
    s.expect.count('call.transfer_status', 1);
  });

  scenario('that the person takes ends the call as transferred', { transfer: { after: 200 } }, (s) => {
    handOver(s);
    s.transferOutcome('answered', emitted('call.transferred', 1, 3_000));
    s.streamEnds(emitted('call.transferred', 1, 3_300));
    s.expect.callEnds({ hangup_by: 'agent', hangup_reason: 'transferred' });
    s.expect.never('call.transfer_status');
  });

  scenario(
    'that the person takes and the carrier does not carry out goes on as talk',
    { transfer: { after: 200 } },
    (s) => {
      handOver(s);
      s.transferOutcome('answered', emitted('call.transferred', 1, 3_000));
      s.transferOutcome('failed', emitted('call.transferred', 1, 4_000));
      s.model('That did not work.');
      s.expect.lastLine('agent: That did not work.');
      s.expect.callEnds();
    },
  );

  scenario('may have its outcome before control has answered', { transfer: { after: 3_000 } }, (s) => {
    handOver(s);
    s.transferOutcome('busy', emitted('tool.call', 1, 1_000));
    s.model('The line is busy.');
    s.expect.count('call.transferred', 1);
    s.expect.count('call.transfer_status', 1);
    s.expect.lastLine('agent: The line is busy.');
  });

  scenario('ends with the caller, and its briefing with it', { transfer: { after: 200 } }, (s) => {
    s.caller('i have a question about my bill', { at: 500, for: 1000 });
    s.model('', { tool: 'transfer_call', toolArguments: WISH });
    s.model(BRIEFING, { firstToken: 3_000 });
    s.streamEnds(emitted('tool.call', 1, 500));
    s.expect.callEnds({ hangup_by: 'caller', hangup_reason: 'caller hung up' });
    s.expect.that('nobody was asked, nothing is left', (harness) => {
      expect(harness.transfers).toEqual([]);
      expect(harness.running.count).toBe(0);
      expect(harness.engineTimers()).toBe(0);
    });
  });

  scenario('ends with the caller while it rings', { transfer: { after: 200 } }, (s) => {
    handOver(s);
    s.streamEnds(emitted('call.transferred', 1, 3_000));
    s.transferOutcome('no-answer', emitted('call.transferred', 1, 9_000));
    s.expect.callEnds({ hangup_by: 'caller', hangup_reason: 'caller hung up' });
    s.expect.never('call.transfer_status');
    s.expect.that('nothing is left', (harness) => expect(harness.engineTimers()).toBe(0));
  });

  scenario('whose briefing the model does not write has a plain one', { transfer: { after: 200 } }, (s) => {
    s.caller('i have a question about my bill', { at: 500, for: 1000 });
    s.model('', { tool: 'transfer_call', toolArguments: WISH });
    s.model('', { hangs: true });
    s.expect.that('in the language of the voice', (harness) =>
      expect(harness.transfers[0]?.summary).toBe('एक कॉलर को आपसे जोड़ा जा रहा है। asks about a bill'),
    );
  });

  scenario('to somebody unknown is answered like a tool', { transfer: { after: 200 } }, (s) => {
    s.caller('give me the boss', { at: 500, for: 1000 });
    s.model('', { tool: 'transfer_call', toolArguments: '{"target":"Boss","reason":""}' });
    s.model('There is no boss here.');
    s.expect.that('nobody was asked', (harness) => expect(harness.transfers).toEqual([]));
    s.expect.history([
      'user: give me the boss',
      'assistant: ',
      'tool: There is no such target. The targets are: Sales.',
    ]);
    s.expect.lastLine('agent: There is no boss here.');
  });
});

describe('a cold transfer', () => {
  scenario(
    'needs no briefing, and ends the call when the stream ends',
    { transfer: { after: 400, cold: true } },
    (s) => {
      handOver(s, null);
      s.streamEnds(emitted('call.transferred', 1, 200));
      s.expect.requests(1);
      s.expect.callEnds({ hangup_by: 'agent', hangup_reason: 'transferred' });
      s.expect.that('cold', (harness) => expect(harness.transfers).toMatchObject([{ warm: false, summary: '' }]));
    },
  );

  scenario(
    'whose stream ends before control has answered is one all the same',
    { transfer: { after: 800, cold: true } },
    (s) => {
      handOver(s, null);
      s.streamEnds(emitted('tool.call', 1, 400));
      s.expect.callEnds({ hangup_by: 'agent', hangup_reason: 'transferred' });
      s.expect.count('call.transferred', 1);
    },
  );

  scenario(
    'that is refused because the caller hung up is a hanging up',
    { transfer: { after: 800, cold: true, refused: 'the caller has hung up' } },
    (s) => {
      handOver(s, null);
      s.streamEnds(emitted('tool.call', 1, 400));
      s.expect.callEnds({ hangup_by: 'caller', hangup_reason: 'caller hung up' });
      s.expect.never('call.transferred');
    },
  );

  scenario('ends the call though the carrier leaves the stream open', { transfer: { after: 200, cold: true } }, (s) => {
    handOver(s, null);
    s.expect.callEnds({ hangup_by: 'agent', hangup_reason: 'transferred' });
  });
});
