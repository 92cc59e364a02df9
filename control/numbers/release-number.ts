import { stopRenewal } from '../billing/renewals/renewals.ts';
import type { Transaction } from '../db/connect.ts';
import { lockOrder, setOrderState } from './order-store.ts';
import { type NumberRow, setReleased } from './store.ts';

/** What is to be done elsewhere when a workspace has a number no more, in the same transaction. */
export type OnNumberReleased = (tx: Transaction, workspaceId: string, number: string, atMs: number) => Promise<void>;
export type ReleaseNumber = (tx: Transaction, row: NumberRow, atMs: number) => Promise<void>;

/**
 * Takes a locked number from its workspace, whose lock is taken already: its agent is disconnected, its fee is renewed no more,
 * and one that was bought is given up at its carrier by `settle-orders.ts`.
 */
export const createReleaseNumber =
  (onReleased: OnNumberReleased): ReleaseNumber =>
  async (tx, { workspace_id, number, order_id }, atMs) => {
    const at = new Date(atMs);
    await setReleased(tx, workspace_id, number, at);
    await stopRenewal(tx, { workspace_id, kind: 'number', subject_id: number });
    const order = order_id === null ? null : await lockOrder(tx, workspace_id, order_id);
    if (order) await setOrderState(tx, order, 'releasing', at);
    await onReleased(tx, workspace_id, number, atMs);
  };
