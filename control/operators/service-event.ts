import { newId } from '../../shared/ids.ts';
import { changesBetween } from '../audit/changes.ts';
import type { Transaction } from '../db/connect.ts';
import { OPERATOR } from './command.ts';

export interface ServiceEvent {
  /** `plan.updated` */
  action: string;
  target: { kind: string; id: string; name: string };
  /** What was there before, and what is now; `{}` for what was not or is not there. */
  before: object;
  now: object;
  at_ms: number;
}

/** Writes down what the team did that concerns no one workspace, in the transaction of the change. */
export async function writeServiceEvent(tx: Transaction, event: ServiceEvent): Promise<void> {
  const { action, target, before, now, at_ms } = event;
  await tx`
    insert into service_events (id, at, action, actor_name, target_kind, target_id, target_name, changes)
    values (
      ${newId(at_ms)}, ${new Date(at_ms)}, ${action}, ${OPERATOR.name}, ${target.kind}, ${target.id}, ${target.name},
      ${tx.json(changesBetween(before, now) as never)}
    )`;
}
