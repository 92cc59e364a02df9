import type { Transaction } from '../db/connect.ts';

/** Which of these are active numbers of the workspace. They stay so until the transaction ends. */
export async function ownActiveNumbers(
  tx: Transaction,
  workspaceId: string,
  numbers: readonly string[],
): Promise<Set<string>> {
  const rows = await tx<{ number: string }[]>`
    select number from numbers
    where workspace_id = ${workspaceId} and number = any(${[...numbers]}) and status = 'active'
    order by number for key share`;
  return new Set(rows.map(({ number }) => number));
}
