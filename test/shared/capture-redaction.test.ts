import { describe, expect, it } from 'vitest';
import { agentConfigSchema } from '../../shared/agent.ts';
import type { CaptureEntry, CaptureHeader } from '../../shared/capture.ts';
import { redactContent } from '../../shared/capture-redaction.ts';
import { redactEventData, redactSecrets } from '../../shared/capture-secrets.ts';

/** Names of people, their numbers, and what they say, wherever a line of a tape can hold them. */
const SAID = 'Ravi Kumar 98765 कल शाम 𝐑𝐚𝐯𝐢 {ravi}';
const TEXT = SAID.replace(' {ravi}', '');
const FAILURE = { provider: 'openai', kind: 'bad_request', message: SAID, status: 400 };
const STRANGE = { name: 'Ravi', id: '98765', reason: 'Kumar', status: 'Ravi', phone: 98765, list: [98765, 'कल'] };

const LINES: { [Kind in CaptureEntry['k']]: Extract<CaptureEntry, { k: Kind }>[] } = {
  sound: [{ t: 0, k: 'sound', order: 1, sound: 'UmF2aQ==' }],
  packet: [{ t: 0, k: 'packet', sequence: 1, timestamp: 960, ms: 20, pause: false, sound: 'UmF2aQ==' }],
  mute: [{ t: 0, k: 'mute', muted: true }],
  reported: [{ t: 0, k: 'reported', round_trip_ms: 20 }],
  ended: [{ t: 0, k: 'ended', cause: 'lost', detail: SAID }],
  mark: [{ t: 0, k: 'mark', name: 'r1 1 1600' }],
  cleared: [{ t: 0, k: 'cleared' }],
  digit: [{ t: 0, k: 'digit', digit: '9' }],
  hold: [{ t: 0, k: 'hold', held: true }],
  stop: [{ t: 0, k: 'stop' }],
  invalid: [{ t: 0, k: 'invalid', why: SAID }],
  closed: [{ t: 0, k: 'closed', code: 1000, broken: { cause: 'lost', detail: SAID } }],
  stream: [{ t: 0, k: 'stream' }],
  socket: [{ t: 0, k: 'socket', takes: true }],
  voice: [{ t: 0, k: 'voice', p: 0.5, end: 0, periodicity: 0 }],
  made: [
    {
      ...{ t: 0, k: 'made', part: 'speech', n: 0, provider: 'p', model: 'm', decides_turns: false },
      sound: { encoding: 'mulaw', sample_rate: 8_000 },
    },
  ],
  opened: [{ t: 0, k: 'opened', part: 'speech', n: 0, after: 1, failure: FAILURE }],
  heard: [
    { t: 0, k: 'heard', n: 0, event: { type: 'partial', turn: 0, text: SAID } },
    { t: 0, k: 'heard', n: 0, event: { type: 'failed', failure: FAILURE } },
  ],
  spoken: [
    { t: 0, k: 'spoken', n: 0, c: 0, after: 1, event: { type: 'timing', text: SAID, startMs: [0, 20] } },
    { t: 0, k: 'spoken', n: 0, c: 0, after: 1, event: { type: 'failed', failure: FAILURE } },
  ],
  speechless: [{ t: 0, k: 'speechless', n: 0, failure: FAILURE }],
  asked: [{ t: 0, k: 'asked', n: 0 }],
  thought: [
    { t: 0, k: 'thought', n: 0, after: 1, part: { type: 'text', text: SAID }, failure: null },
    {
      ...{ t: 0, k: 'thought', n: 0, after: 1, failure: null },
      part: {
        type: 'tool_call',
        call: { id: 'c1', name: 'book', arguments: JSON.stringify(STRANGE), signature: 'Ravi' },
      },
    },
    {
      ...{ t: 0, k: 'thought', n: 0, after: 1, failure: null },
      part: { type: 'tool_call', call: { id: 'c1', name: 'book', arguments: SAID } },
    },
    { t: 0, k: 'thought', n: 0, after: 1, part: null, failure: FAILURE },
  ],
  fetched: [
    {
      ...{ t: 0, k: 'fetched', n: 0, after: 1, failure: FAILURE },
      answer: {
        ...{ status: 200, headers: { 'content-type': 'text/plain; to=Ravi' }, bytes: 5, truncated: false },
        body: JSON.stringify({ Ravi: STRANGE }),
      },
    },
  ],
  answered: [
    {
      ...{ t: 0, k: 'answered', question: 'knowledge', n: 0, after: 1, failure: SAID },
      answer: { passages: [{ source: SAID, text: SAID, score: 0.5 }], words: SAID, name: SAID },
    },
  ],
  ordered: [{ t: 0, k: 'ordered', order: { hangup_by: 'member', hangup_reason: 'hung up by Ravi Kumar' } }],
  outcome: [{ t: 0, k: 'outcome', outcome: { transfer_id: 't1', status: 'answered', dial_status: 'answered' } }],
  place: [{ t: 0, k: 'place', account: 'deepgram', n: 0, after: 0, got: true }],
  well: [{ t: 0, k: 'well', key: 'stt deepgram_flux/flux', well: false }],
  turn: [{ t: 0, k: 'turn', n: 0, after: 1, p: 0.5 }],
  told: ['call.started', 'tool.call', 'call.transferred', 'call.dtmf'].map((type) => ({
    ...{ t: 0, k: 'told', type, level: 'info', message: SAID, latency_ms: 1 },
    data: {
      ...{ from: '+9198765', to: '+9198765', started_by: 'Ravi', values: ['Ravi'], heard: SAID, digits: '98765' },
      ...{ args: STRANGE, result: SAID, reason: SAID, number: '+9198765', url: 'https://a.example/Ravi', detail: SAID },
      ...(type === 'tool.call' ? { name: 'book' } : { name: 'Ravi' }),
    },
  })),
  cut: [{ t: 0, k: 'cut', why: 'too long' }],
};

const AGENT = agentConfigSchema.parse({
  name: 'Ravi',
  welcome_message: 'Hello {customer}, this is Ravi Kumar.',
  system_prompt: TEXT,
  transcriber: { keyterms: ['Ravi'] },
  voice: { voice_name: 'Kumar' },
  call: {
    transfer_enabled: true,
    transfer_targets: [{ name: 'Ravi', number: '+91987659999', description: 'Kumar' }],
    hangup_message: TEXT,
  },
  analytics: {
    extractions: [{ key: 'k', label: 'Ravi', type: 'choice', choices: [{ value: 'Ravi', when: 'Kumar' }] }],
  },
  tools: [
    {
      name: 'book',
      description: 'Books for Ravi.',
      url: 'https://a.example/Ravi?of=Kumar',
      headers: { 'x-ravi': 'Kumar' },
      parameters: {
        type: 'object',
        required: ['people'],
        properties: {
          people: { type: 'integer', minimum: 2, maximum: 3, description: 'of Ravi' },
          day: { type: 'string', enum: ['Ravi'] },
        },
      },
    },
  ],
  avatar: 'https://a.example/Ravi.png',
});
const HEAD: CaptureHeader = {
  k: 'tape',
  version: 2,
  call_id: 'c',
  wall_ms: 0,
  words: true,
  session: {
    direction: 'inbound',
    channel: 'phone',
    agent_json: JSON.stringify(AGENT),
    user_data_json: JSON.stringify(STRANGE),
    max_duration_seconds: 60,
    llm_fallbacks: [],
    knowledge: { text: SAID, search: true },
  },
  leg: {
    carrier: 'twilio',
    caller: { encoding: 'mulaw', sample_rate: 8_000 },
    agent: { encoding: 'mulaw', sample_rate: 8_000 },
  },
};

const LEAKS = /ravi|kumar|98765|कल|शाम|𝐑|UmF2aQ/iu;

describe('a tape without words', () => {
  for (const [kind, lines] of Object.entries(LINES)) {
    it(`has none in a line of kind ${kind}`, () => {
      for (const line of lines as CaptureEntry[]) {
        const left = redactContent(line);
        expect(left).toMatchObject({ t: line.t, k: line.k });
        expect(JSON.stringify(left)).not.toMatch(LEAKS);
      }
    });
  }

  it('has none in its head, whose agent can still be played', () => {
    const head = redactContent(HEAD);
    expect(JSON.stringify(head)).not.toMatch(LEAKS);
    expect(head.words).toBe(false);
    const agent = agentConfigSchema.parse(JSON.parse(head.session.agent_json));
    expect(agent.welcome_message).toBe('Xxxxx {customer}, xxxx xx Xxxx Xxxxx.');
    expect(agent.call.transfer_targets[0]).toMatchObject({ name: 'Xxxx', number: '+10000000000' });
    expect(agent.tools[0]!.parameters).toEqual({
      type: 'object',
      required: ['people'],
      properties: { people: { type: 'integer' }, day: { type: 'string' } },
    });
  });

  it('keeps what the call was decided by', () => {
    expect(redactContent(LINES.well[0]!)).toEqual(LINES.well[0]);
    expect(redactContent(LINES.made[0]!)).toEqual(LINES.made[0]);
    expect(redactContent(LINES.mark[0]!)).toEqual(LINES.mark[0]);
    expect(redactContent({ t: 0, k: 'digit', digit: '#' })).toEqual({ t: 0, k: 'digit', digit: '#' });
    expect(redactContent(LINES.opened[0]!)).toMatchObject({ failure: { provider: 'openai', kind: 'bad_request' } });
    expect(redactContent(LINES.ordered[0]!)).toMatchObject({ order: { hangup_reason: 'hung up by Xxxx Xxxxx' } });
    const call = { id: 'c1', name: 'book', arguments: expect.stringContaining('"phone":11111') };
    expect(redactContent(LINES.thought[1]!)).toMatchObject({ part: { type: 'tool_call', call } });
  });

  it('has nothing of a kind of line that nobody knows', () => {
    expect(redactContent({ t: 0, k: 'later', words: SAID } as unknown as CaptureEntry)).toBeNull();
  });
});

describe('the secrets of an agent', () => {
  const tool = (url: string, headers: object) => ({ name: 'book', description: 'Books.', url, headers });
  const secrets = (tools: object[], values: object, prompt = '') => {
    const agent = agentConfigSchema.parse({ name: 'A', system_prompt: prompt, tools });
    return redactSecrets({ agent_json: JSON.stringify(agent), user_data_json: JSON.stringify(values) });
  };

  it('are not on a tape: headers, queries and passwords of addresses, and the webhook', () => {
    const { agent_json } = secrets([tool('https://me:pass-1@a.example/book?key=key-1#part', { key: 'key-2' })], {});
    expect(agent_json).not.toMatch(/pass-1|key-[12]|me:/);
    const agent = agentConfigSchema.parse(JSON.parse(agent_json));
    expect(agent.tools[0]).toMatchObject({ url: 'https://a.example/book?***', headers: { key: '***' } });
  });

  it('nor a variable that only a header has, while one that is spoken stays', () => {
    const { user_data_json } = secrets(
      [tool('https://a.example/', { authorization: 'Bearer {token} {name}' })],
      { token: 'secret', name: 'Ravi', city: 'Pune' },
      'Greet {name}.',
    );
    expect(JSON.parse(user_data_json)).toEqual({ token: '***', name: 'Ravi', city: 'Pune' });
  });

  it('nor the address an event tells', () => {
    expect(redactEventData({ name: 'book', url: 'https://u:p@a.example:81/b?key=secret' })).toEqual({
      name: 'book',
      url: 'https://a.example:81/b?***',
    });
    expect(redactEventData({ name: 'book' })).toEqual({ name: 'book' });
  });
});
