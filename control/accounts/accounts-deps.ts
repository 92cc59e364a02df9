import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import type { SecretBox } from '../db/secret-box.ts';
import type { Passwords } from './password.ts';

/** What the rules of this room work with, handed in from app.ts. */
export interface AccountsDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  passwords: Passwords;
  /** Seals the secrets of authenticators. */
  box: SecretBox;
  /** How people reach this API: links in letters are built from it, never from what a request says. */
  publicUrl: string;
  /** A new workspace that waits for its KYC, in the transaction of the sign-up. */
  openWorkspace(
    tx: Transaction,
    workspace: { id: string; name: string; timezone: string; created_at: Date },
  ): Promise<void>;
  /** What a new workspace needs besides: wallet, welcome credits, webhook secret. */
  onWorkspaceCreated(tx: Transaction, workspace: { id: string; owner_id: string; at_ms: number }): Promise<void>;
  /** The last member left: what waits there is canceled. The workspace is locked. */
  onWorkspaceClosed(tx: Transaction, workspaceId: string, atMs: number): Promise<void>;
}

export const PRODUCT = 'Voice Agent Service';
