import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import type { Gateways } from './gateway.ts';

/** A line of the workspace's server log. */
export interface PaymentLogLine {
  workspace_id: string;
  level: 'info' | 'warning' | 'error';
  message: string;
  data: Record<string, string | number>;
}

export interface PaymentDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  gateways: Gateways;
  writeLog(line: PaymentLogLine): void;
  /** The page that a checkout outside of it returns to. */
  returnUrl: string;
  /** Other origins of that page: who pays there returns there. */
  consoleOrigins?: ReadonlySet<string>;
  /** For tests: called after each step, and stops there when it throws. */
  afterStep?: (step: 'created' | 'ordered' | 'asked') => void;
}
