import {
  Client,
  type jsonSchemaValidator,
  ProtocolError,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import type { McpServer } from '../agent.ts';
import { boundedResult, failureText, filledHeaders, type ToolArguments } from '../http-tool.ts';
import { type SafeFetch, SafeFetchError } from '../safe-fetch.ts';
import { createMcpFetch } from './mcp-fetch.ts';

/**
 * A client of one MCP server over streamable HTTP: https://modelcontextprotocol.io/specification/2025-06-18/basic/transports, and the
 * revision of 2026-07-28 where the server speaks it. It offers no capabilities: a server cannot ask it, or its user, for anything.
 */

/** A tool as the server describes it, unchecked. */
export interface ListedTool {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export interface McpOutcome {
  /** 200 for a result, 500 for one that the tool calls an error, another HTTP status of the server, 0 without an answer. */
  status: number;
  /** The text for the model; never empty. */
  result: string;
  /** What went wrong; null for a result. */
  error: string | null;
  /** The server does not know the tool, or not with these arguments: its tools may have changed. */
  isOutdated: boolean;
}

export interface McpServerFacts {
  /** As the server calls itself. */
  name: string;
  /** Of the protocol, such as `2025-11-25`. */
  protocol: string;
}

export interface McpClient {
  /** @throws Error with a sentence for people when the server does not answer as it should within the deadline */
  list(): Promise<ListedTool[]>;
  /** Never rejects. A call is sent again only where the server has refused it because it does not know the session. */
  call(name: string, args: ToolArguments, signal?: AbortSignal): Promise<McpOutcome>;
  /** Null before the first answer. */
  readonly facts: McpServerFacts | null;
  /** Ends the session; never rejects. */
  close(): Promise<void>;
}

export interface McpClientOptions {
  server: Pick<McpServer, 'url' | 'headers' | 'timeout_seconds'>;
  /** Of the `{variables}` in headers. */
  values: Record<string, string | number | boolean>;
  safeFetch: SafeFetch;
}

/** Listing runs in the background, and a caller may want a tool soon. */
const LIST_DEADLINE_MS = 5_000;
const MAX_PAGES = 8;
/** Of a stream that a server has broken off, within the deadline of the call. */
const RESUMING = {
  initialReconnectionDelay: 200,
  maxReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 3,
};
/** A result belongs to the model as it is: what does not fit the server's own schema was done all the same. */
const ANY_OUTPUT: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

interface Connection {
  client: Client;
  transport: StreamableHTTPClientTransport;
}

export function createMcpClient({ server, values, safeFetch }: McpClientOptions): McpClient {
  const headers = filledHeaders(server.headers, values);
  const callTimeoutMs = server.timeout_seconds * 1_000;
  let connection: Promise<Connection> | null = null;
  let facts: McpServerFacts | null = null;
  let closed = false;

  async function open(): Promise<Connection> {
    const client = new Client(
      { name: 'antiphon', version: '1' },
      {
        capabilities: {},
        jsonSchemaValidator: ANY_OUTPUT,
        listMaxPages: MAX_PAGES,
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: LIST_DEADLINE_MS } },
      },
    );
    const transport = new StreamableHTTPClientTransport(new URL(server.url), {
      fetch: createMcpFetch({ safeFetch, timeoutMs: Math.max(callTimeoutMs, LIST_DEADLINE_MS) }),
      requestInit: { headers },
      reconnectionOptions: RESUMING,
    });
    await client.connect(transport, { timeout: LIST_DEADLINE_MS });
    facts = { name: client.getServerVersion()?.name ?? '', protocol: client.getNegotiatedProtocolVersion() ?? '' };
    return { client, transport };
  }

  function connected(): Promise<Connection> {
    connection ??= open();
    const opening = connection;
    opening.catch(() => {
      if (connection === opening) connection = null;
    });
    return opening;
  }

  /** Runs it once more over a new session where the server does not know the old one: https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#session-management */
  async function inSession<Result>(run: (client: Client) => Promise<Result>): Promise<Result> {
    const first = connected();
    try {
      return await run((await first).client);
    } catch (error) {
      const isExpired = error instanceof SdkHttpError && error.status === 404;
      if (!isExpired || closed || (await first.catch(() => null)) === null) throw error;
      if (connection === first) connection = null;
      return await run((await connected()).client);
    }
  }

  return {
    get facts() {
      return facts;
    },
    async list() {
      try {
        const { tools } = await inSession((client) => client.listTools(undefined, { timeout: LIST_DEADLINE_MS }));
        return tools.map(({ name, description = '', inputSchema }) => ({ name, description, parameters: inputSchema }));
      } catch (error) {
        throw new Error(problemOf(error), { cause: error });
      }
    },
    async call(name, args, signal) {
      let sent = false;
      try {
        const { content, structuredContent, isError } = await inSession((client) => {
          sent = true;
          return client.callTool({ name, arguments: args }, { timeout: callTimeoutMs, ...(signal && { signal }) });
        });
        const text = structuredContent === undefined ? textOf(content) : JSON.stringify(structuredContent);
        const result = boundedResult(text || 'The tool answered with no content.');
        if (!isError) return { status: 200, result, error: null, isOutdated: false };
        return { status: 500, result: boundedResult(`The tool failed: ${result}`), error: 'failed', isOutdated: false };
      } catch (error) {
        return refusal(error, { sent, isStopped: signal?.aborted ?? false, timeout_seconds: server.timeout_seconds });
      }
    },
    async close() {
      closed = true;
      const open = await connection?.catch(() => null);
      connection = null;
      // A server need not let its sessions be ended.
      await open?.transport.terminateSession().catch(() => {});
      await open?.client.close().catch(() => {});
    },
  };
}

/** A block of an answer's content, as far as it is read. */
interface Block {
  type: string;
  text?: string;
  uri?: string;
  resource?: { text?: string };
}

function textOf(content: readonly unknown[] | undefined): string {
  const texts = (content ?? []).map((each) => {
    const { type, text, uri, resource } = each as Block;
    return text ?? resource?.text ?? uri ?? `(${type}, which cannot be read as text)`;
  });
  return texts.join('\n').trim();
}

interface Attempt {
  /** The call itself was sent, and not only the connection opened. */
  sent: boolean;
  isStopped: boolean;
  timeout_seconds: number;
}

function refusal(error: unknown, { sent, isStopped, timeout_seconds }: Attempt): McpOutcome {
  if (error instanceof SdkHttpError) {
    const result = `The tool's server answered with status ${error.status}.`;
    return { status: error.status, result, error: `status ${error.status}`, isOutdated: false };
  }
  if (error instanceof ProtocolError) {
    const result = boundedResult(`The tool's server refused the call: ${error.message}`);
    return { status: 0, result, error: 'refused', isOutdated: true };
  }
  const known = failureOf(error);
  const kind = isStopped ? 'aborted' : (known?.kind ?? 'timeout');
  // What may have been done must not be done twice.
  const result = failureText(kind, { method: sent ? 'POST' : 'GET', timeout_seconds });
  return { status: 0, result, error: kind, isOutdated: false };
}

function problemOf(error: unknown): string {
  if (error instanceof SdkHttpError) return `the server answered with status ${error.status}`;
  if (error instanceof ProtocolError) return `the server refused: ${error.message}`.slice(0, 300);
  const known = failureOf(error);
  return known ? known.message : 'the server did not answer in time, or not as an MCP server does';
}

/** The guarded fetch's error, which the client may have wrapped. */
function failureOf(error: unknown): SafeFetchError | null {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof SafeFetchError) return at;
  }
  return null;
}
