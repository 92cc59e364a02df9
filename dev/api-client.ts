/** The requests of the public API that the demo needs. */

export interface AgentRecord {
  id: string;
  name: string;
  /** Increases with every saved change. */
  version: number;
}

export interface CallRecord {
  id: string;
  direction: 'outbound' | 'inbound';
  status: string;
  duration_seconds: number;
  cost_paise: number;
  hangup_by: string | null;
  hangup_reason: string;
  recorded: boolean;
  transcript: { role: 'user' | 'agent'; text: string; at: string; interrupted: boolean }[];
}

export interface TimelineRecord {
  /** `evt_` and a UUIDv7. */
  id: string;
  seq: number;
  type: string;
  message: string;
  level: 'info' | 'warning' | 'error';
  latency_ms: number | null;
  data: Record<string, unknown>;
}

export interface ApiClient {
  agents(): Promise<AgentRecord[]>;
  createAgent(config: object): Promise<AgentRecord>;
  updateAgent(agentId: string, config: object): Promise<AgentRecord>;
  /** Returns the newest calls. */
  calls(limit: number): Promise<{ items: CallRecord[] }>;
  call(callId: string): Promise<CallRecord>;
  events(callId: string): Promise<TimelineRecord[]>;
  /** Returns the recording as a WAV file; null when there is none. */
  recording(callId: string): Promise<Buffer | null>;
  /** Returns the size of that file. */
  recordingBytes(callId: string): Promise<number | null>;
}

/** The first requests of a start are slow: modules are loaded, and the machine is busy. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Every request throws unless it succeeds, with the text of the API's error. */
export function createApiClient(apiUrl: string, apiKey: string): ApiClient {
  const send = (method: string, path: string, body?: object) =>
    fetch(`${apiUrl}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
  const json = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await send(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} responded ${response.status}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  };

  return {
    agents: () => json('GET', '/agents'),
    createAgent: (config) => json('POST', '/agents', config),
    updateAgent: (agentId, config) => json('PUT', `/agents/${agentId}`, config),
    calls: (limit) => json('GET', `/calls?limit=${limit}`),
    call: (callId) => json('GET', `/calls/${callId}`),
    events: (callId) => json('GET', `/calls/${callId}/events`),
    recording,
    recordingBytes: async (callId) => (await recording(callId))?.byteLength ?? null,
  };

  async function recording(callId: string): Promise<Buffer | null> {
    const response = await send('GET', `/calls/${callId}/recording`);
    if (!response.ok) {
      await response.body?.cancel();
      return null;
    }
    return Buffer.from(await response.arrayBuffer());
  }
}
