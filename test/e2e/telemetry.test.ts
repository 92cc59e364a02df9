import { afterAll, beforeAll, expect, test } from 'vitest';
import { say, waitForText, waitForWelcome } from '../support/conversing-caller.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { eventually } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

/** One call through both programs, with OTLP over a real socket. */

let receiver: OtlpReceiver;
let service: Service;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  service = await startService({
    transcripts: ['for two people', 'thank you very much goodbye'],
    answer: (words) =>
      words.includes('goodbye')
        ? { text: 'Goodbye.', toolCalls: [{ name: 'end_call', arguments: {} }] }
        : { text: 'For when?' },
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRIC_EXPORT_INTERVAL: '1000' },
  });
});
afterAll(async () => {
  await service?.close();
  await receiver?.close();
});

test("a call's spans are one tree over both programs, without its words and numbers", async () => {
  const to = '+919812345678';
  const { agentId } = await service.agentOn('twilio');
  const client = { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b7' };
  await fetch(`${service.stack.apiUrl}/api/v1/agents/${agentId}/call`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${service.apiKey}`,
      'content-type': 'application/json',
      traceparent: `00-${client.trace_id}-${client.span_id}-01`,
    },
    body: JSON.stringify({ to_number: to }),
  });
  const dialled = await service.carriers.twilio.nextCall(60_000);
  const phone = await dialled.waitForPhone(60_000);
  await waitForWelcome(phone);
  const { sinceMs } = await say(phone, 'short-two-people');
  await waitForText(phone, 'For when?', sinceMs);
  phone.hangUp();
  const id = await service.callOf(to);
  await service.finished(id);

  const spans = await eventually('both roots', 60_000, async () => {
    const found = receiver.spans.filter(({ trace_id }) => trace_id === id);
    return ['call', 'media stream'].every((name) => found.some((span) => span.name === name)) ? found : null;
  });
  const byId = new Map(spans.map((span) => [span.span_id, span]));
  const pathOf = (span: ReceivedSpan): string => {
    const parent = byId.get(span.parent_id);
    return `${parent ? `${pathOf(parent)} > ` : ''}${span.service}: ${span.name}`;
  };
  expect(byId.size).toBe(spans.length);
  expect(spans.filter(({ parent_id }) => !byId.has(parent_id)).map(({ name }) => name)).toEqual(['call']);
  const turn = 'antiphon-control: call > antiphon-media: media stream > antiphon-media: turn';
  const paths = new Set(spans.map(pathOf));
  for (const stage of ['end_of_turn', 'first_token', 'first_segment', 'first_audio', 'playout']) {
    expect(paths).toContain(`${turn} > antiphon-media: ${stage}`);
  }
  for (const name of ['queue', 'dial', 'ringing']) {
    expect(paths).toContain(`antiphon-control: call > antiphon-control: ${name}`);
  }
  const request = spans.find((span) => span.name.startsWith('POST /api/v1/agents/'))!;
  expect(pathOf(request)).toContain('antiphon-control: call > ');
  expect(request.links).toEqual([client]);
  const chat = spans.find((span) => span.attributes['gen_ai.operation.name'] === 'chat')!;
  expect(pathOf(chat)).toContain(`${turn} > antiphon-media: chat `);
  expect(chat.attributes).toMatchObject({ 'gen_ai.conversation.id': id, 'gen_ai.agent.id': agentId });
  expect(chat.attributes['gen_ai.usage.output_tokens']).toBeGreaterThan(0);
  for (const { start_ms, end_ms } of spans) expect(end_ms).toBeGreaterThanOrEqual(start_ms);
  const text = JSON.stringify([spans, receiver.logs]);
  for (const word of ['For when', 'two people', to, to.slice(1)]) expect(text).not.toContain(word);
});

test('the metrics of both programs have the names that Prometheus knows', async () => {
  await eventually('metrics of both programs', 60_000, async () => {
    const media = receiver.metrics.get('antiphon-media');
    const control = receiver.metrics.get('antiphon-control');
    return (media?.has('antiphon_engine_calls') && control?.has('process_start_time_seconds')) || null;
  });
});

test('the logs of both programs arrive, those of a call in its trace', async () => {
  await eventually('a line of both programs', 60_000, async () => {
    const services = receiver.logs.map(({ service }) => service);
    return (services.includes('antiphon-media') && services.includes('antiphon-control')) || null;
  });
  const started = await eventually('the line of the call', 60_000, async () =>
    receiver.logs.find(({ body }) => body === 'call started'),
  );
  expect(started.trace_id).toBe(started.attributes.call_id);
});
