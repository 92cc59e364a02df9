import type { CallEvent } from '../../shared/bus/messages.ts';
import type { Clock } from '../../shared/clock.ts';
import { TRANSFER_TOOL } from '../../shared/transfer.ts';
import { emptyUsage, type ProviderUsage, type Usage } from '../../shared/usage.ts';
import { withTimeout } from '../../shared/with-timeout.ts';
import type { TestItem, ToolItem } from './test-transcript.ts';

/** What the timeline of a test's call says of it so far. */
export interface CallEvents {
  onEvent(event: CallEvent): void;
  /** What the agent said, as far as it was played out, and the tools it called. */
  readonly items: TestItem[];
  /** What the agent greets with, before it is in `items`: its line comes with a later event. */
  readonly welcome: string;
  /** What the agent's transcriber wrote of the caller, with the end of the speech. */
  readonly transcribed: { text: string; at_ms: number }[];
  /** Of replies, from the end of the caller's speech. */
  readonly firstAudioMs: number[];
  readonly repliesInterrupted: number;
  /** The call has begun. */
  readonly started: boolean;
  /** Null until the call has ended. */
  readonly end: CallEndFacts | null;
  /** Resolves when an event has made it true, or to false after `withinMs`. */
  until(isTrue: () => boolean, withinMs: number): Promise<boolean>;
}

export interface CallEndFacts {
  reason: string;
  duration_seconds: number;
  recorded: boolean;
  usage: Usage;
  provider_usage: ProviderUsage[];
}

export function createCallEvents(clock: Clock): CallEvents {
  const items: TestItem[] = [];
  const transcribed: { text: string; at_ms: number }[] = [];
  const firstAudioMs: number[] = [];
  const waiting = new Set<() => void>();
  let repliesInterrupted = 0;
  let started = false;
  let welcome = '';
  let end: CallEndFacts | null = null;

  function addLines({ transcript }: CallEvent): void {
    for (const { role, text, at_ms, interrupted } of transcript) {
      if (role === 'agent') items.push({ role, text, at_ms, interrupted });
      else transcribed.push({ text, at_ms });
    }
  }

  function addResult(name: string, result: string): void {
    const call = items.find((item): item is ToolItem => item.role === 'tool' && item.name === name && !item.result);
    if (call) call.result = result;
  }

  function endOf({ ending }: CallEvent, data: Record<string, unknown>): CallEndFacts | null {
    if (!ending) return null;
    if (ending.hangup_reason === 'transferred') addResult(TRANSFER_TOOL, 'ok');
    return {
      reason: ending.hangup_reason,
      duration_seconds: ending.duration_seconds,
      recorded: ending.recorded,
      usage: { ...emptyUsage(), ...(data.usage as Partial<Usage>) },
      provider_usage: JSON.parse(ending.provider_usage_json || '[]') as ProviderUsage[],
    };
  }

  return {
    items,
    transcribed,
    firstAudioMs,
    get repliesInterrupted() {
      return repliesInterrupted;
    },
    get welcome() {
      return welcome;
    },
    get started() {
      return started;
    },
    get end() {
      return end;
    },
    onEvent(event) {
      const data = JSON.parse(event.data_json || '{}') as Record<string, unknown>;
      const { type, at_ms, latency_ms, message } = event;
      addLines(event);
      if (type === 'call.started') started = true;
      if (type === 'welcome') welcome = message;
      if (type === 'interrupted') repliesInterrupted++;
      // The welcome answers nobody.
      if (type === 'tts.first_audio' && data.welcome !== true && latency_ms !== undefined)
        firstAudioMs.push(latency_ms);
      if (type === 'tool.call') {
        const args = (data.args ?? {}) as Record<string, unknown>;
        items.push({ role: 'tool', name: String(data.name), args, result: '', at_ms });
      }
      if (type === 'tool.result') addResult(String(data.name), String(data.result));
      if (type === 'call.ended') end = endOf(event, data);
      for (const check of waiting) check();
    },
    until(isTrue, withinMs) {
      let check = () => {};
      const happened = new Promise<boolean>((resolve) => {
        check = () => {
          if (isTrue()) resolve(true);
        };
        waiting.add(check);
        check();
      });
      return withTimeout(happened, withinMs, clock, () => false).finally(() => waiting.delete(check));
    },
  };
}
