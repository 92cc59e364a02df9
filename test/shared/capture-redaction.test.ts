import { describe, expect, it } from 'vitest';
import { agentConfigSchema } from '../../shared/agent.ts';
import type { CaptureEntry, CaptureHeader } from '../../shared/capture.ts';
import { redactContent, redactEventData, redactSecrets } from '../../shared/capture-redaction.ts';

/** Names, numbers and speech of people, put wherever a line can hold text. */
const PRIVATE = 'Ravi Kumar 98765 कल शाम 𝐑𝐚𝐯𝐢 {ravi}';
const TEXT = PRIVATE.replace(' {ravi}', '');
const FAILURE = { provider: 'openai', kind: 'bad_request', message: PRIVATE, status: 400 };
const STRANGE = { name: 'Ravi', id: '98765', reason: 'Kumar', status: 'Ravi', phone: 98765, list: [98765, 'कल'] };

const LINES: { [Kind in CaptureEntry['k']]: Extract<CaptureEntry, { k: Kind }>[] } = {
  audio: [{ t: 0, k: 'audio', sequence: 1, audio: 'UmF2aQ==' }],
  packet: [{ t: 0, k: 'packet', sequence: 1, timestamp: 960, ms: 20, pause: false, audio: 'UmF2aQ==' }],
  mute: [{ t: 0, k: 'mute', muted: true }],
  connection_report: [{ t: 0, k: 'connection_report', round_trip_ms: 20 }],
  ended: [{ t: 0, k: 'ended', cause: 'lost', detail: PRIVATE }],
  mark: [{ t: 0, k: 'mark', name: 'r1 1 1600' }],
  pong: [{ t: 0, k: 'pong' }],
  cleared: [{ t: 0, k: 'cleared' }],
  digit: [{ t: 0, k: 'digit', digit: '9' }],
  hold: [{ t: 0, k: 'hold', held: true }],
  stop: [{ t: 0, k: 'stop' }],
  invalid: [{ t: 0, k: 'invalid', reason: PRIVATE }],
  carrier_error: [{ t: 0, k: 'carrier_error', reason: PRIVATE }],
  closed: [{ t: 0, k: 'closed', code: 1000, broken: { cause: 'lost', detail: PRIVATE } }],
  stream: [{ t: 0, k: 'stream' }],
  socket: [{ t: 0, k: 'socket', writable: true }],
  vad: [{ t: 0, k: 'vad', p: 0.5, end: 0, periodicity: 0 }],
  created: [
    {
      ...{ t: 0, k: 'created', component: 'synthesizer', n: 0, provider: 'p', model: 'm', decides_turns: false },
      format: { encoding: 'mulaw', sample_rate: 8_000 },
    },
  ],
  opened: [{ t: 0, k: 'opened', component: 'synthesizer', n: 0, after: 1, failure: FAILURE }],
  transcriber_event: [
    { t: 0, k: 'transcriber_event', n: 0, event: { type: 'partial', turn: 0, text: PRIVATE } },
    { t: 0, k: 'transcriber_event', n: 0, event: { type: 'failed', failure: FAILURE } },
  ],
  session_created: [
    {
      ...{ t: 0, k: 'session_created', n: 0, provider: 'p', model: 'm', edits: true, text_output: true },
      ...{ input: { encoding: 'mulaw', sample_rate: 8_000 }, output: { encoding: 'pcm16', sample_rate: 24_000 } },
      max_session_ms: 1_000,
    },
  ],
  session_event: [
    { t: 0, k: 'session_event', n: 0, c: null, after: 0, event: { type: 'transcript', itemId: 'u1', text: PRIVATE } },
    {
      ...{ t: 0, k: 'session_event', n: 0, c: 0, after: 1 },
      event: { type: 'tool_call', itemId: 'i', call: { id: 'c1', name: 'book', arguments: JSON.stringify(STRANGE) } },
    },
    { t: 0, k: 'session_event', n: 0, c: null, after: 0, event: { type: 'failed', failure: FAILURE } },
  ],
  synthesizer_event: [
    { t: 0, k: 'synthesizer_event', n: 0, c: 0, after: 1, event: { type: 'timing', text: PRIVATE, startMs: [0, 20] } },
    { t: 0, k: 'synthesizer_event', n: 0, c: 0, after: 1, event: { type: 'failed', failure: FAILURE } },
  ],
  synthesizer_failed: [{ t: 0, k: 'synthesizer_failed', n: 0, failure: FAILURE }],
  llm_request: [{ t: 0, k: 'llm_request', n: 0 }],
  llm_part: [
    { t: 0, k: 'llm_part', n: 0, after: 1, part: { type: 'text', text: PRIVATE }, failure: null },
    {
      ...{ t: 0, k: 'llm_part', n: 0, after: 1, failure: null },
      part: {
        type: 'tool_call',
        call: { id: 'c1', name: 'book', arguments: JSON.stringify(STRANGE), signature: 'Ravi' },
      },
    },
    {
      ...{ t: 0, k: 'llm_part', n: 0, after: 1, failure: null },
      part: { type: 'tool_call', call: { id: 'c1', name: 'book', arguments: PRIVATE } },
    },
    { t: 0, k: 'llm_part', n: 0, after: 1, part: null, failure: FAILURE },
  ],
  tool_response: [
    {
      ...{ t: 0, k: 'tool_response', n: 0, after: 1, failure: FAILURE },
      response: {
        ...{ status: 200, headers: { 'content-type': 'text/plain; to=Ravi' }, bytes: 5, truncated: false },
        body: JSON.stringify({ Ravi: STRANGE }),
      },
    },
  ],
  bus_reply: [
    {
      ...{ t: 0, k: 'bus_reply', request: 'knowledge', n: 0, after: 1, failure: PRIVATE },
      reply: { passages: [{ source: PRIVATE, text: PRIVATE, score: 0.5 }], message: PRIVATE, name: PRIVATE },
    },
    {
      ...{ t: 0, k: 'bus_reply', request: 'handoff', n: 1, after: 1, failure: null },
      reply: {
        refused: PRIVATE,
        agent: {
          ...{ agent_id: 'b', agent_json: JSON.stringify({ name: 'Ravi', tools: [{ name: 'book', url: 'Ravi' }] }) },
          ...{ user_data_json: JSON.stringify(STRANGE), knowledge: { text: PRIVATE, search: true }, paid_seconds: 60 },
        },
      },
    },
    { t: 0, k: 'bus_reply', request: 'handoff', n: 2, after: 1, failure: PRIVATE, reply: null },
  ],
  command: [{ t: 0, k: 'command', command: { hangup_by: 'member', hangup_reason: 'hung up by Ravi Kumar' } }],
  live_order: [
    {
      ...{ t: 0, k: 'live_order' },
      order: {
        ...{ call_id: 'c', order_id: 'o', by: 'user', by_id: 'u' },
        order_json: JSON.stringify({ action: 'say', text: PRIVATE }),
      },
    },
  ],
  transfer_outcome: [
    { t: 0, k: 'transfer_outcome', outcome: { transfer_id: 't1', status: 'answered', dial_status: 'answered' } },
  ],
  permit: [{ t: 0, k: 'permit', account: 'deepgram', n: 0, after: 0, granted: true }],
  health: [{ t: 0, k: 'health', key: 'stt deepgram_flux/flux', healthy: false, reason: '' }],
  turn_prediction: [{ t: 0, k: 'turn_prediction', n: 0, after: 1, p: 0.5 }],
  timeline_event: ['call.started', 'tool.call', 'call.transferred', 'call.dtmf'].map((type) => ({
    ...{ t: 0, k: 'timeline_event', type, level: 'info', message: PRIVATE, latency_ms: 1 },
    data: {
      ...{ from: '+9198765', to: '+9198765', started_by: 'Ravi', values: ['Ravi'], speech: PRIVATE, digits: '98765' },
      ...{
        args: STRANGE,
        result: PRIVATE,
        reason: PRIVATE,
        number: '+9198765',
        url: 'https://a.example/Ravi',
        detail: PRIVATE,
      },
      ...(type === 'tool.call' ? { name: 'book' } : { name: 'Ravi' }),
    },
  })),
  truncated: [{ t: 0, k: 'truncated', reason: 'too long' }],
};

const AGENT = agentConfigSchema.parse({
  name: 'Ravi',
  welcome_message: 'Hello {customer}, this is Ravi Kumar.',
  system_prompt: TEXT,
  transcriber: { keyterms: ['Ravi'] },
  voice: {
    voice_name: 'Kumar',
    pronunciations: [
      { word: 'Ravi', say: 'Kumar' },
      { word: 'Asha', say: 'Ravi' },
    ],
  },
  mcp_servers: [{ name: 'kumar', url: 'https://a.example/Ravi', headers: { 'x-ravi': 'Kumar' } }],
  call: {
    transfer_enabled: true,
    transfer_targets: [{ name: 'Ravi', number: '+91987659999', description: 'Kumar' }],
    hangup_message: TEXT,
    filler_phrases: ['Wait, Ravi.'],
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
      results: { path: 'ravi[0].kumar', variables: { id: 'ravi.id' }, message: 'It is Ravi.' },
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
const HEADER: CaptureHeader = {
  k: 'header',
  version: 3,
  call_id: 'c',
  wall_ms: 0,
  redacted: false,
  session: {
    direction: 'inbound',
    channel: 'phone',
    agent_json: JSON.stringify(AGENT),
    user_data_json: JSON.stringify(STRANGE),
    max_duration_seconds: 60,
    llm_fallbacks: [],
    knowledge: { text: PRIVATE, search: true },
  },
  leg: {
    carrier: 'twilio',
    caller: { encoding: 'mulaw', sample_rate: 8_000 },
    agent: { encoding: 'mulaw', sample_rate: 8_000 },
  },
};

const LEAKS = /ravi|kumar|98765|कल|शाम|𝐑|UmF2aQ/iu;

describe('a redacted capture', () => {
  for (const [kind, lines] of Object.entries(LINES)) {
    it(`has nothing private in a line of kind ${kind}`, () => {
      for (const line of lines as CaptureEntry[]) {
        const redacted = redactContent(line);
        expect(redacted).toMatchObject({ t: line.t, k: line.k });
        expect(JSON.stringify(redacted)).not.toMatch(LEAKS);
      }
    });
  }

  it('has nothing private in its header, whose agent is still valid', () => {
    const header = redactContent(HEADER);
    expect(JSON.stringify(header)).not.toMatch(LEAKS);
    expect(header.redacted).toBe(true);
    const agent = agentConfigSchema.parse(JSON.parse(header.session.agent_json));
    expect(agent.welcome_message).toBe('Xxxxx {customer}, xxxx xx Xxxx Xxxxx.');
    expect(agent.call.transfer_targets[0]).toMatchObject({ name: 'Xxxx', number: '+10000000000' });
    expect(agent.tools[0]!.parameters).toEqual({
      type: 'object',
      required: ['people'],
      properties: { people: { type: 'integer' }, day: { type: 'string' } },
    });
  });

  it('retains what a replay depends on', () => {
    expect(redactContent(LINES.health[0]!)).toEqual(LINES.health[0]);
    expect(redactContent(LINES.created[0]!)).toEqual(LINES.created[0]);
    expect(redactContent(LINES.mark[0]!)).toEqual(LINES.mark[0]);
    expect(redactContent({ t: 0, k: 'digit', digit: '#' })).toEqual({ t: 0, k: 'digit', digit: '#' });
    expect(redactContent(LINES.opened[0]!)).toMatchObject({ failure: { provider: 'openai', kind: 'bad_request' } });
    expect(redactContent(LINES.command[0]!)).toMatchObject({ command: { hangup_reason: 'hung up by Xxxx Xxxxx' } });
    const call = { id: 'c1', name: 'book', arguments: expect.stringContaining('"phone":11111') };
    expect(redactContent(LINES.llm_part[1]!)).toMatchObject({ part: { type: 'tool_call', call } });
  });

  it('drops a line of an unknown kind', () => {
    expect(redactContent({ t: 0, k: 'later', text: PRIVATE } as unknown as CaptureEntry)).toBeNull();
  });
});

describe('the secrets of an agent', () => {
  const tool = (url: string, headers: object) => ({ name: 'book', description: 'Books.', url, headers });
  const secrets = (tools: object[], values: object, prompt = '') => {
    const agent = agentConfigSchema.parse({ name: 'A', system_prompt: prompt, tools });
    return redactSecrets({ agent_json: JSON.stringify(agent), user_data_json: JSON.stringify(values) });
  };

  it('are not captured: headers, queries and passwords of URLs, and the webhook', () => {
    const { agent_json } = secrets([tool('https://me:pass-1@a.example/book?key=key-1#part', { key: 'key-2' })], {});
    expect(agent_json).not.toMatch(/pass-1|key-[12]|me:/);
    const agent = agentConfigSchema.parse(JSON.parse(agent_json));
    expect(agent.tools[0]).toMatchObject({ url: 'https://a.example/book?***', headers: { key: '***' } });
  });

  it('include a variable used in a header only, but not one used in a prompt', () => {
    const { user_data_json } = secrets(
      [tool('https://a.example/', { authorization: 'Bearer {token} {name}' })],
      { token: 'secret', name: 'Ravi', city: 'Pune' },
      'Greet {name}.',
    );
    expect(JSON.parse(user_data_json)).toEqual({ token: '***', name: 'Ravi', city: 'Pune' });
  });

  it('include the query and password of a URL in an event', () => {
    expect(redactEventData({ name: 'book', url: 'https://u:p@a.example:81/b?key=secret' })).toEqual({
      name: 'book',
      url: 'https://a.example:81/b?***',
    });
    expect(redactEventData({ name: 'book' })).toEqual({ name: 'book' });
  });
});
