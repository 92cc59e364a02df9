import { writeFileSync } from 'node:fs';
import { type TraceBar, traceChart } from '../shared/svg-chart.ts';
import { converse } from '../test/support/conversing-caller.ts';
import { type ReceivedSpan, startOtlpReceiver } from '../test/support/otlp-receiver.ts';
import { eventually } from '../test/support/until.ts';
import { startService } from '../test/support/whole-service.ts';

/**
 * Draws the trace of one placed call over both programs, as an OTLP receiver got it: `docs/images/call-trace.svg`. Carrier and
 * providers are simulated, on real sockets; the caller interrupts once and says goodbye.
 */

const TO = '+919812345678';
const WITHIN_MS = 60_000;
const COLOURS = ['control', 'media', 'language model'];

const receiver = await startOtlpReceiver();
const service = await startService({
  transcripts: ['for two people', 'wait stop i want to change the time', 'thank you very much goodbye'],
  answer(words) {
    if (words.includes('goodbye')) return { text: 'Goodbye.', toolCalls: [{ name: 'end_call', arguments: {} }] };
    return {
      text: words.includes('change') ? 'To what time?' : `Certainly. ${'A table for two people it is. '.repeat(6)}`,
    };
  },
  settings: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRICS_EXPORTER: 'none' },
});
try {
  const { agentId } = await service.agentOn('twilio');
  const placed = await service.request('POST', `/agents/${agentId}/call`, { to_number: TO });
  const { id } = (await placed.json()) as { id: string };
  const dialled = await service.carriers.twilio.nextCall(WITHIN_MS);
  await converse(service, await dialled.waitForPhone(WITHIN_MS), id);
  await service.finished(id);
  const spans = await eventually('the whole trace', WITHIN_MS, async () => {
    const found = receiver.spans.filter(({ trace_id }) => trace_id === id);
    return ['call', 'media stream'].every((name) => found.some((span) => span.name === name)) ? found : null;
  });
  const head = {
    title: "One call's trace over both programs",
    subtitle: `${spans.length} spans; the trace's id is the call's; simulated carrier and providers`,
    source: `node bench/call-trace.ts · ${new Date().toISOString().slice(0, 10)}`,
  };
  writeFileSync('docs/images/call-trace.svg', traceChart(head, barsOf(spans), COLOURS));
} finally {
  await service.close();
  await receiver.close();
}

/** Each span below its parent, by their starts. */
function barsOf(spans: readonly ReceivedSpan[]): TraceBar[] {
  const fromMs = Math.min(...spans.map(({ start_ms }) => start_ms));
  const below = (parentId: string, depth: number): TraceBar[] =>
    spans
      .filter(({ parent_id }) => parent_id === parentId)
      .toSorted((one, other) => one.start_ms - other.start_ms)
      .flatMap(({ service: program, span_id, name, start_ms, end_ms }) => [
        {
          ...{ name, depth, start_ms: start_ms - fromMs, end_ms: end_ms - fromMs },
          colour: name.startsWith('chat ') ? 2 : COLOURS.indexOf(program.replace('antiphon-', '')),
        },
        ...below(span_id, depth + 1),
      ]);
  return below('', 0);
}
