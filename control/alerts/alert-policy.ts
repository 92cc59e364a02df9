import { z } from 'zod';

/** When the owner is alerted, as functions of (state, condition, now). */

export const ALERTS = ['credits_low', 'credits_used_up', 'calls_failing'] as const;
export type Alert = (typeof ALERTS)[number];

/** Set by the operator per workspace; what is left out is the service's. */
export const alertThresholds = z.object({
  /** Credits for fewer minutes than this are low. */
  low_balance_minutes: z.int().min(0).max(1_000_000).default(10),
  /** Fewer finished calls in the last 15 minutes are no sign of anything. */
  failing_min_calls: z.int().min(1).max(10_000).default(5),
  /** Of the finished calls, from here on. */
  failing_percent: z.int().min(1).max(100).default(30),
});
export type AlertThresholds = z.output<typeof alertThresholds>;

/** Calls that finished within this time are looked at. */
export const FAILING_WINDOW_MS = 15 * 60_000;

const HOUR_MS = 3_600_000;
const REPEAT_MS: Record<Alert, number> = {
  credits_low: 24 * HOUR_MS,
  credits_used_up: 24 * HOUR_MS,
  calls_failing: HOUR_MS,
};

/** Of one alert of a workspace. */
export interface AlertState {
  /** An e-mail said so, and none has taken it back. */
  raised: boolean;
  sent_at_ms: number | null;
}

export const NEVER_SENT: AlertState = { raised: false, sent_at_ms: null };

/** What is sent, and the state after it. An all-clear follows an alert, once. */
export function nextAlert(
  alert: Alert,
  state: AlertState,
  holds: boolean,
  nowMs: number,
): { send: 'alert' | 'all_clear' | null; state: AlertState } {
  if (!holds) return { send: state.raised ? 'all_clear' : null, state: { ...state, raised: false } };
  const isDue = state.sent_at_ms === null || nowMs - state.sent_at_ms >= REPEAT_MS[alert];
  return isDue ? { send: 'alert', state: { raised: true, sent_at_ms: nowMs } } : { send: null, state };
}

export interface Credits {
  credits_paise: number;
  /** What they pay for at the plan's price. */
  minutes_left: number;
}

/** Credits that are used up are not low as well. */
export function creditAlerts(
  { credits_paise, minutes_left }: Credits,
  { low_balance_minutes }: AlertThresholds,
): { credits_low: boolean; credits_used_up: boolean } {
  const credits_used_up = credits_paise <= 0;
  return { credits_used_up, credits_low: !credits_used_up && minutes_left < low_balance_minutes };
}

export interface FinishedCalls {
  finished: number;
  failed: number;
}

export function callsFail({ finished, failed }: FinishedCalls, thresholds: AlertThresholds): boolean {
  return finished >= thresholds.failing_min_calls && failed * 100 >= finished * thresholds.failing_percent;
}
