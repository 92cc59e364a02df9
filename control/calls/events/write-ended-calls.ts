import { lockWallets } from '../../billing/wallet.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import { beginItem } from '../../db/item-runner.ts';
import type { CallRow } from '../call-row.ts';
import { finishCalls } from '../lifecycle/finish-call.ts';
import { changesCall } from './media-event.ts';
import type { ReceivedEvent } from './received-event.ts';
import { type NextEvents, nextEvents, positionOf, recordRead } from './write-plain-events.ts';

/** The events of one call. */
type Group = readonly ReceivedEvent[];

/** How long a workspace's wallet is locked for the ends of its calls at once. */
const MAX_CALLS_OF_A_SET = 50;

export interface WrittenEnds {
  written: NextEvents<CallRow>[];
  /** Of workspaces whose wallet is locked, by workspace. */
  walletLocked: Group[][];
  /** To be written one by one. */
  rest: Group[];
}

/** Whether the last event is the call's end, and those before it are plain. */
export function isEnd(group: Group): boolean {
  const sorted = [...group].sort((a, b) => a.seq - b.seq);
  return sorted.every(({ parsed, delivered }, index) => {
    if (typeof parsed === 'string' || delivered?.redelivered) return false;
    return index === sorted.length - 1 ? parsed.type === 'call.ended' : !changesCall(parsed);
  });
}

/**
 * Splits ends of calls into lists of sets. The sets of a list are to be written one after the other, the lists side by side: none of
 * them waits for another's wallet, because a workspace is in one list only.
 * A few are one set.
 *
 * @returns `rest`: calls that are not live.
 */
export async function setsOfEnds(
  sql: Sql,
  groups: readonly Group[],
  lists: number,
): Promise<{ sets: Group[][][]; rest: Group[] }> {
  if (groups.length <= MAX_CALLS_OF_A_SET / lists) return { sets: [[[...groups]]], rest: [] };
  const rows = await sql<{ workspace_id: string; id: string }[]>`
    select workspace_id, id from live_calls where id = any(${groups.map(([first]) => first!.call_id)})`;
  const workspaceOf = new Map(rows.map(({ id, workspace_id }) => [id, workspace_id]));
  const byWorkspace = Map.groupBy(groups, ([first]) => workspaceOf.get(first!.call_id));
  const rest = byWorkspace.get(undefined) ?? [];
  byWorkspace.delete(undefined);
  const listed = Array.from({ length: lists }, (): Group[] => []);
  for (const ofWorkspace of [...byWorkspace.values()].sort((a, b) => b.length - a.length)) {
    listed.reduce((least, each) => (each.length < least.length ? each : least)).push(...ofWorkspace);
  }
  return { sets: listed.map(inSets), rest };
}

function inSets(groups: readonly Group[]): Group[][] {
  const count = Math.ceil(groups.length / MAX_CALLS_OF_A_SET);
  return Array.from({ length: count }, (_, nth) =>
    groups.slice(nth * MAX_CALLS_OF_A_SET, (nth + 1) * MAX_CALLS_OF_A_SET),
  );
}

/**
 * Ends and charges connected calls of any workspaces with one transaction, as `finishCalls` does, and writes the plain events before
 * their ends. A call whose events do not follow on what is written is left for later, as is one whose row is locked.
 *
 * @param waits for the wallets; otherwise those that are locked are left out.
 * @throws when one of the calls cannot be written: then none is.
 */
export async function writeEndedCalls(
  sql: Sql,
  groups: readonly Group[],
  { waits, lockTimeout, nowMs }: { waits: boolean; lockTimeout: string; nowMs: number },
): Promise<WrittenEnds> {
  const groupOf = new Map(groups.map((group) => [group[0]!.call_id, group]));
  const { written, locked } = await beginItem(sql, write, lockTimeout);
  const known = new Set([...written, ...locked].map(({ call }) => call.id));
  return {
    written,
    walletLocked: [...Map.groupBy(locked, ({ call }) => call.workspace_id).values()].map((ofWorkspace) =>
      ofWorkspace.map(({ call }) => groupOf.get(call.id)!),
    ),
    rest: groups.filter(([first]) => !known.has(first!.call_id)),
  };

  async function write(tx: Transaction): Promise<Record<'written' | 'locked', NextEvents<CallRow>[]>> {
    const calls = await lockConnectedCalls(tx, [...groupOf.keys()]);
    const following = calls.flatMap((call) => nextEvents(call, groupOf.get(call.id)!) ?? []);
    if (following.length === 0) return { written: [], locked: [] };
    const workspaceIds = following.map(({ call }) => call.workspace_id);
    const wallets = await lockWallets(tx, workspaceIds, !waits);
    const ready = following.filter(({ call }) => wallets.has(call.workspace_id));
    const withLines = ready.filter(({ events }) => events.some(({ transcript }) => transcript.length > 0));
    if (withLines.length > 0) await recordRead(tx, withLines);
    for (const { call, events } of withLines) call.transcript.push(...events.flatMap(({ transcript }) => transcript));
    await finishCalls(tx, wallets, ready.map(endOf), nowMs);
    return { written: ready, locked: following.filter(({ call }) => !wallets.has(call.workspace_id)) };
  }
}

function endOf(next: NextEvents<CallRow>) {
  const { call, events } = next;
  const last = events.at(-1)!;
  const readUpTo = { media_seq: last.source_seq, media_stream_seq: positionOf(next) };
  return { call, ending: last.ending!, events, readUpTo };
}

/** Locked rows are left out, so that they delay no other call. */
async function lockConnectedCalls(tx: Transaction, callIds: readonly string[]): Promise<CallRow[]> {
  return await tx<CallRow[]>`
    select * from live_calls where id = any(${[...callIds]}) and status = 'in-progress'
    order by id for no key update skip locked`;
}
