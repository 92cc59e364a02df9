import { errorText, type Logger } from '../../../shared/log.ts';
import type { Carriers } from '../../carriers/carrier.ts';
import type { FoundDial } from '../../carriers/dial.ts';
import type { Sql } from '../../db/connect.ts';
import type { TransferRow } from './transfer-row.ts';

/** What the carrier's list says of a target whose dial was not answered. */
export type FoundTarget = FoundDial | 'missing' | 'not known';

/** Whether the carrier was asked to dial the target of a warm transfer and never said under which id. */
export const isUnknownTarget = ({ warm, state, target_call_id, target_request_id }: TransferRow) =>
  warm && state === 'ringing' && target_call_id === '' && target_request_id === '';

/**
 * Looks for the target's leg in the carrier's list, by both numbers and the time. Carriers that find calls by the service's own id
 * cannot be asked for a target. Never throws.
 */
export async function findTarget(
  { sql, log, carriers }: { sql: Sql; log: Logger; carriers: Carriers },
  transfer: TransferRow,
): Promise<FoundTarget> {
  const { id, call_id, provider, number, started_at } = transfer;
  try {
    const [from] = await sql<{ number: string }[]>`
      select case direction when 'outbound' then from_number else to_number end as number from calls where id = ${call_id}`;
    const found = await carriers.get(provider)?.findDial?.({
      ...{ call_id: id, from_number: from?.number ?? '', to_number: number, dialled_at_ms: started_at.getTime() },
    });
    if (!found || found.exact) return 'not known';
    const others = await sql<{ id: string }[]>`
      select provider_call_id as id from calls
      where provider = ${provider} and provider_call_id = any(${idsOf(found.dials)}) and provider_call_id <> ''
      union all
      select other.target_call_id from transfers join transfers as other on other.call_id = transfers.call_id
      where transfers.id = ${id} and other.id <> ${id}`;
    const known = new Set(others.map((other) => other.id));
    const [dial, ...more] = found.dials.filter(({ provider_call_id }) => !known.has(provider_call_id));
    if (dial) return more.length === 0 ? dial : 'not known';
    return found.complete ? 'missing' : 'not known';
  } catch (error) {
    log.warn({ transfer_id: id, provider, error: errorText(error) }, 'looking up a target at the carrier failed');
    return 'not known';
  }
}

const idsOf = (dials: readonly FoundDial[]) => dials.map(({ provider_call_id }) => provider_call_id);
