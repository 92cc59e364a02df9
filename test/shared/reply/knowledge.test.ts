import { describe, expect, it } from 'vitest';
import type { SearchKnowledgeReply } from '../../../shared/bus/messages.ts';
import { inlineKnowledge, withPassages } from '../../../shared/llm/knowledge-prompt.ts';
import type { ChatMessage } from '../../../shared/llm/language-model.ts';
import { type HistoryLine, turnMessages } from '../../../shared/llm/prompt.ts';
import { createKnowledge, type Findings, queryOf } from '../../../shared/reply/knowledge.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const DEADLINE_MS = 400;

const user = (text: string): HistoryLine => ({ role: 'user', text, interrupted: false });
const agent = (text: string): HistoryLine => ({ role: 'agent', text, interrupted: false });

const REPLY: SearchKnowledgeReply = {
  error: '',
  passages: [
    { source: 'Hours', text: 'Closed on Sunday.', score: 0.9, keyword_match: true },
    { source: 'Spa', text: 'Open at noon.', score: 0.4, keyword_match: false },
  ],
  hits: 7,
  embed_ms: 12,
  search_ms: 3.5,
};

describe('the query', () => {
  it.each([
    [[user('What are your opening hours on Sunday?')], 'What are your opening hours on Sunday?'],
    [[user('When do you open?'), agent('At nine.'), user('And on Sunday?')], 'When do you open? And on Sunday?'],
    [[user('what does parking cost'), agent('300.'), user('how much?')], 'what does parking cost how much?'],
    [[user('रविवार को कब खुलते हैं'), agent('नौ बजे।'), user('और शनिवार को?')], 'रविवार को कब खुलते हैं और शनिवार को?'],
    [[user('hello'), agent('Hi.'), user('is there a heated swimming pool')], 'is there a heated swimming pool'],
    [[user('parking?')], 'parking?'],
  ])('%#', (history, query) => {
    expect(queryOf(history)).toBe(query);
  });

  it.each([
    'hello',
    'Good morning!',
    'haan ji',
    'mm-hm',
    'yes please',
    'Thank you so much, bye',
    'नमस्ते',
    '[pressed 12#]',
    '',
    'is it',
  ])('nothing for "%s"', (text) => {
    expect(queryOf([user(text)])).toBe('');
    const history = [user('what does parking cost'), agent('300.'), user(text)];
    if (text !== 'is it') expect(queryOf(history)).toBe('');
  });

  it("is no longer than control's limit", () => {
    expect(queryOf([user(`${'parking '.repeat(500)}spa`)])).toHaveLength(1_000);
    expect(queryOf([user(`${'parking '.repeat(500)}spa`)]).endsWith('parking spa')).toBe(true);
  });
});

function looking(search: () => Promise<SearchKnowledgeReply>) {
  const clock = createVirtualClock();
  const found: Findings[] = [];
  const knowledge = createKnowledge({ inline: '', search, deadlineMs: DEADLINE_MS, clock });
  const lookUp = knowledge.lookUp([user('sunday opening hours')], (findings) => found.push(findings));
  return { clock, found, lookUp };
}

describe('a look-up', () => {
  it('returns the passages and the event with its data', async () => {
    const { clock, found } = looking(async () => REPLY);
    expect(found).toEqual([]);
    await clock.advance(0);
    expect(found).toEqual([
      {
        passages: [
          { source: 'Hours', text: 'Closed on Sunday.' },
          { source: 'Spa', text: 'Open at noon.' },
        ],
        event: {
          message: 'knowledge bases searched',
          level: 'info',
          latency_ms: 0,
          data: {
            query: 'sunday opening hours',
            hits: 7,
            embed_ms: 12,
            search_ms: 3.5,
            passages: 2,
            top: [
              { source: 'Hours', score: 0.9, keyword_match: true },
              { source: 'Spa', score: 0.4, keyword_match: false },
            ],
            error: '',
          },
        },
      },
    ]);
    expect(clock.pending()).toBe(0);
  });

  it.each([
    ['is late', () => new Promise<never>(() => {}), `no answer within ${DEADLINE_MS} ms`, DEADLINE_MS],
    ['fails', () => Promise.reject(new Error('no responders')), 'no responders', 0],
    ['is refused', async () => ({ ...REPLY, error: 'the call is not known' }), 'the call is not known', 0],
  ])('that %s gives nothing, once, with a warning', async (_how, search, error, tookMs) => {
    const { clock, found } = looking(search);
    await clock.advance(5_000);
    expect(found).toHaveLength(1);
    expect(found[0]!.passages).toEqual([]);
    expect(found[0]!.event).toMatchObject({
      level: 'warning',
      latency_ms: tookMs,
      data: { error, passages: 0, top: [] },
    });
    expect(clock.pending()).toBe(0);
  });

  it('that was cancelled returns nothing and leaves no timer', async () => {
    const { clock, found, lookUp } = looking(async () => REPLY);
    lookUp!.cancel();
    await clock.advance(5_000);
    expect(found).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  it('is not started where there is nothing to search', () => {
    const clock = createVirtualClock();
    const knowledge = createKnowledge({ inline: 'Open at nine.', search: null, deadlineMs: DEADLINE_MS, clock });
    expect(knowledge.lookUp([user('sunday opening hours')], () => {})).toBeNull();
    expect(clock.pending()).toBe(0);
  });
});

describe('knowledge in the prompt', () => {
  const passages = [{ source: 'Hours', text: 'Closed on Sunday.' }];
  const messages: ChatMessage[] = [
    { role: 'system', content: 'You are a hotel.' },
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'Hi.' },
    { role: 'user', content: 'and on sunday?' },
  ];

  it('stands before the last user message and leaves the messages before it unchanged', () => {
    const result = withPassages(messages, passages);
    expect(result.slice(0, 3)).toEqual(messages.slice(0, 3));
    expect(result[3]).toMatchObject({ role: 'system', content: expect.stringMatching(/^From the knowledge base/) });
    expect(result[3]!.content).toContain('1. (Hours) Closed on Sunday.');
    expect(result.slice(4)).toEqual(messages.slice(3));
    expect(messages).toHaveLength(4);
  });

  it('stays before the user message after a tool result', () => {
    const call = { id: 'c', name: 'find', arguments: '{}' };
    const ran: ChatMessage[] = [
      ...messages,
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', name: 'find', content: 'ok' },
    ];
    expect(
      withPassages(ran, passages)
        .map(({ role }) => role)
        .join(' '),
    ).toBe('system user assistant system user assistant tool');
    expect(withPassages(messages, [])).toEqual(messages);
  });

  it('that is inline is the same in every turn, between the instructions and the time', () => {
    const input = {
      agent: { system_prompt: 'You are {who}.', call: { timezone: 'UTC' } },
      values: { who: 'Asha' },
      wallMs: Date.UTC(2026, 0, 5),
      knowledge: 'Open at {who}.',
    };
    const first = turnMessages({ ...input, history: [user('hello')] });
    const second = turnMessages({ ...input, history: [user('hello'), agent('Hi.'), user('bye')] });
    expect(second[0]).toEqual(first[0]);
    const system = first[0]!.content;
    expect(system).toContain(inlineKnowledge('Open at {who}.'));
    expect(system.indexOf('You are Asha.')).toBeLessThan(system.indexOf('Open at {who}.'));
    expect(system.indexOf('Open at {who}.')).toBeLessThan(system.indexOf('Today is'));
    expect(turnMessages({ ...input, knowledge: '', history: [] })[0]!.content).not.toContain('knowledge base');
  });
});
