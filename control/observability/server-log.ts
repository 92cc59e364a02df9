import type { Clock, Timer } from '../../shared/clock.ts';
import { ID_PATTERN, newId } from '../../shared/ids.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import type { CompletedRequest } from '../http/server.ts';
import type { LogLevel, LogSource } from './log-records.ts';
import { insertServerLogs, type NewLogRow } from './store.ts';

/** The log that members of a workspace can read. It never holds speech, prompts, headers or phone numbers. */

export interface LogLine {
  workspace_id: string;
  level: LogLevel;
  message: string;
  source: LogSource;
  request_id?: string;
  call_id?: string;
  agent_id?: string;
  method?: string;
  path?: string;
  status?: number;
  duration_ms?: number;
  data?: Record<string, string | number | boolean | null>;
}

export interface ServerLog {
  /** Returns at once. The line is written within a second, or dropped when the database stays unavailable. */
  write(line: LogLine): void;
  /** Logs a completed request, unless its workspace has more than `MAX_LINES_PER_SECOND` of that kind. */
  logRequest(request: CompletedRequest): void;
  /** Writes the lines that still wait. */
  stop(): Promise<void>;
}

const FLUSH_DELAY_MS = 500;
const ROWS_AT_ONCE = 500;
/** Further lines are dropped: requests matter more than their log. */
const MAX_WAITING = 5_000;
const MAX_TEXT_LENGTH = 500;
/**
 * Limit of lines for successful reads of one workspace, and for requests beyond its rate limit: a program that sends thousands
 * of them a second would fill its log with the same line and slow the database down for others. One line says how many were
 * dropped. Changes and other errors are always logged.
 */
const MAX_LINES_PER_SECOND = 50;
const SECOND_MS = 1_000;

/** The kinds of requests whose lines are limited, and the line about those that were dropped. */
const SUPPRESSED = {
  read: { level: 'info', message: 'more reads went well than are logged' },
  'too fast': { level: 'warning', message: 'more requests came too fast than are logged' },
} as const;
type RateLimitedKind = keyof typeof SUPPRESSED;

export function createServerLog({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): ServerLog {
  const waiting: NewLogRow[] = [];
  let lost = 0;
  let timer: Timer | null = null;
  let writing: Promise<void> | null = null;
  let countedSinceMs = Number.NEGATIVE_INFINITY;
  /** Of the current second, by workspace. */
  const counts: Record<RateLimitedKind, Map<string, number>> = { read: new Map(), 'too fast': new Map() };

  async function flush(): Promise<void> {
    while (waiting.length > 0) {
      const rows = waiting.splice(0, ROWS_AT_ONCE);
      try {
        await insertServerLogs(sql, rows);
      } catch (error) {
        lost += rows.length;
        log.warn({ error: errorText(error), lines: rows.length }, 'server log lines could not be written');
      }
    }
    if (lost > 0) log.warn({ lines: lost }, 'server log lines were lost');
    lost = 0;
  }

  function flushSoon(): void {
    timer ??= clock.after(FLUSH_DELAY_MS, () => {
      timer = null;
      reportSuppressed();
      writing = (writing ?? Promise.resolve()).then(flush);
    });
  }

  /** Whether this one is still logged. */
  function count(kind: RateLimitedKind, workspaceId: string): boolean {
    const nowMs = clock.now();
    if (nowMs - countedSinceMs >= SECOND_MS) {
      reportSuppressed();
      countedSinceMs = nowMs;
      for (const counted of Object.values(counts)) counted.clear();
    }
    const number = (counts[kind].get(workspaceId) ?? 0) + 1;
    counts[kind].set(workspaceId, number);
    if (number > MAX_LINES_PER_SECOND) flushSoon();
    return number <= MAX_LINES_PER_SECOND;
  }

  function reportSuppressed(): void {
    for (const kind of Object.keys(counts) as RateLimitedKind[]) {
      for (const [workspace_id, number] of counts[kind]) {
        if (number <= MAX_LINES_PER_SECOND) continue;
        write({ workspace_id, source: 'api', ...SUPPRESSED[kind], data: { left_out: number - MAX_LINES_PER_SECOND } });
        counts[kind].set(workspace_id, MAX_LINES_PER_SECOND);
      }
    }
  }

  function write(line: LogLine): void {
    if (waiting.length >= MAX_WAITING) {
      lost++;
      return;
    }
    const atMs = clock.wall();
    const { data = {}, status = null, duration_ms = null, message, ...rest } = line;
    waiting.push({
      ...{ request_id: '', call_id: '', agent_id: '', method: '', path: '', ...rest },
      id: newId(atMs),
      at: new Date(atMs).toISOString(),
      message: redactPhoneNumbers(message),
      status,
      duration_ms,
      data: Object.fromEntries(
        Object.entries(data).map(([name, value]) => [
          name,
          typeof value === 'string' ? redactPhoneNumbers(value) : value,
        ]),
      ),
    });
    flushSoon();
  }

  return {
    write,

    logRequest(request) {
      const frequent = rateLimitedKindOf(request);
      if (frequent && !count(frequent, request.workspace_id)) return;
      const line = lineOfRequest(request);
      if (line) write(line);
    },

    async stop() {
      timer?.cancel();
      timer = null;
      await writing;
      reportSuppressed();
      await flush();
    },
  };
}

/** Deletes the log lines of calls. */
export async function deleteLogsOfCalls(sql: AnySql, workspaceId: string, callIds: readonly string[]): Promise<void> {
  await sql`
    delete from server_logs
    where workspace_id = ${workspaceId} and call_id = any(${[...callIds]}) and call_id <> ''`;
}

/** Replaces phone numbers by their last digits. */
export function redactPhoneNumbers(text: string): string {
  return text
    .slice(0, MAX_TEXT_LENGTH)
    .replace(/(?<![0-9a-z])\+?\d{7,15}(?![0-9a-z])/gi, (number) => `…${number.slice(-3)}`);
}

function rateLimitedKindOf({ method, status }: CompletedRequest): RateLimitedKind | null {
  if (status === 429) return 'too fast';
  return method === 'GET' && status < 400 ? 'read' : null;
}

/** Returns the line of a completed request; null for reading the log, which would fill it. */
export function lineOfRequest(answered: CompletedRequest): LogLine | null {
  const { method, status, params, actor, detail, duration_ms, request_id, workspace_id } = answered;
  const path = answered.path.replace(/:(\w+)/g, '{$1}');
  if (path === '/api/v1/logs' && status < 400) return null;
  const level = status >= 500 ? 'error' : status >= 400 ? 'warning' : 'info';
  const idOf = (name: string) => (ID_PATTERN.test(params[name] ?? '') ? params[name]! : '');
  const facts = { method, path, status, duration_ms, request_id };
  const about = { call_id: idOf('call_id'), agent_id: idOf('agent_id') };
  const data = { by: actor.name, ...(detail === '' ? {} : { detail }) };
  return { workspace_id, level, source: 'api', message: `${method} ${path}: ${status}`, ...facts, ...about, data };
}
