import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs';

/** A receiver of OTLP over HTTP in protobuf (https://opentelemetry.io/docs/specs/otlp/), as far as tests look at it. */

const PROTO = `
syntax = "proto3";
message Value { oneof value { string text = 1; bool flag = 2; int64 whole = 3; double number = 4; } }
message KeyValue { string key = 1; Value value = 2; }
message Resource { repeated KeyValue attributes = 1; }
message Status { string message = 2; int32 code = 3; }
message Link { bytes trace_id = 1; bytes span_id = 2; }
message Span {
  bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; int32 kind = 6;
  fixed64 start_time_unix_nano = 7; fixed64 end_time_unix_nano = 8; repeated KeyValue attributes = 9;
  repeated Link links = 13; Status status = 15;
}
message ScopeSpans { repeated Span spans = 2; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Traces { repeated ResourceSpans resource_spans = 1; }
message Metric { string name = 1; }
message ScopeMetrics { repeated Metric metrics = 2; }
message ResourceMetrics { Resource resource = 1; repeated ScopeMetrics scope_metrics = 2; }
message LogRecord {
  fixed64 time_unix_nano = 1; int32 severity_number = 2; string severity_text = 3; Value body = 5;
  repeated KeyValue attributes = 6; bytes trace_id = 9; bytes span_id = 10;
}
message ScopeLogs { repeated LogRecord log_records = 2; }
message ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; }
message Logs { repeated ResourceLogs resource_logs = 1; }
message Metrics { repeated ResourceMetrics resource_metrics = 1; }
`;
const { root } = protobuf.parse(PROTO, { keepCase: true });

export interface ReceivedSpan {
  service: string;
  trace_id: string;
  span_id: string;
  /** Empty without one. */
  parent_id: string;
  name: string;
  start_ms: number;
  end_ms: number;
  attributes: Record<string, unknown>;
  links: { trace_id: string; span_id: string }[];
}

export interface ReceivedLogLine {
  service: string;
  /** Empty without one. */
  trace_id: string;
  span_id: string;
  severity: string;
  body: string;
  at_ms: number;
  attributes: Record<string, unknown>;
}

export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  logs: ReceivedLogLine[];
  /** Names of metrics by service. */
  metrics: Map<string, Set<string>>;
  requests(): number;
  close(): Promise<void>;
}

/** @param answer decides the response instead of 200; one that never ends is a receiver that hangs. */
export async function startOtlpReceiver(answer?: (response: ServerResponse) => void): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const logs: ReceivedLogLine[] = [];
  const metrics = new Map<string, Set<string>>();
  let requests = 0;
  const server = createServer(async (request, response) => {
    requests++;
    const body = await bodyOf(request);
    if (answer) return answer(response);
    if (request.url === '/v1/traces') spans.push(...readSpans(body));
    if (request.url === '/v1/logs') logs.push(...readLogs(body));
    if (request.url === '/v1/metrics') readMetrics(body, metrics);
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    logs,
    metrics,
    requests: () => requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

// biome-ignore lint/suspicious/noExplicitAny: the shapes of the messages above.
type Message = any;

const decode = (type: string, body: Buffer): Message =>
  root.lookupType(type).toObject(root.lookupType(type).decode(body), { longs: String, arrays: true });

const attributesOf = (list: { key: string; value: Record<string, unknown> }[]): Record<string, unknown> =>
  Object.fromEntries(
    list.map(({ key, value }) => [key, value.whole === undefined ? Object.values(value)[0] : Number(value.whole)]),
  );

const msOf = (nanoseconds: string) => Number(BigInt(nanoseconds) / 1_000n) / 1_000;
const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');

function readSpans(body: Buffer): ReceivedSpan[] {
  return decode('Traces', body).resource_spans.flatMap(({ resource, scope_spans }: Message) =>
    scope_spans.flatMap(({ spans }: Message) =>
      spans.map((span: Message) => ({
        service: String(attributesOf(resource.attributes)['service.name']),
        ...{ trace_id: hex(span.trace_id), span_id: hex(span.span_id), parent_id: hex(span.parent_span_id) },
        ...{ name: span.name, attributes: attributesOf(span.attributes) },
        links: span.links.map((link: Message) => ({ trace_id: hex(link.trace_id), span_id: hex(link.span_id) })),
        ...{ start_ms: msOf(span.start_time_unix_nano), end_ms: msOf(span.end_time_unix_nano) },
      })),
    ),
  );
}

function readLogs(body: Buffer): ReceivedLogLine[] {
  return decode('Logs', body).resource_logs.flatMap(({ resource, scope_logs }: Message) =>
    scope_logs.flatMap(({ log_records }: Message) =>
      log_records.map((line: Message) => ({
        service: String(attributesOf(resource.attributes)['service.name']),
        ...{ trace_id: hex(line.trace_id), span_id: hex(line.span_id), severity: line.severity_text },
        ...{ body: line.body.text, at_ms: msOf(line.time_unix_nano), attributes: attributesOf(line.attributes) },
      })),
    ),
  );
}

function readMetrics(body: Buffer, into: Map<string, Set<string>>): void {
  for (const { resource, scope_metrics } of decode('Metrics', body).resource_metrics as Message[]) {
    const service = String(attributesOf(resource.attributes)['service.name']);
    const names = into.get(service) ?? new Set();
    into.set(service, names);
    for (const { metrics } of scope_metrics) for (const { name } of metrics) names.add(name);
  }
}
