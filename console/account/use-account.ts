import { ok } from '@oazapfts/runtime';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useCallback } from 'preact/hooks';
import { type Account, getAccount } from '../generated/api.ts';

const ACCOUNT = ['account'];

/** The account of the person who is signed in. */
export const useAccount = () =>
  useQuery({ queryKey: ACCOUNT, queryFn: ({ signal }) => ok(getAccount({}, { signal })) });

/** Returns what shows the account as a change has left it; without it the account is read again. */
export function useAccountChanged(): (account?: Account) => void {
  const client = useQueryClient();
  return useCallback(
    (account) => {
      if (account) client.setQueryData(ACCOUNT, account);
      else void client.invalidateQueries({ queryKey: ACCOUNT });
    },
    [client],
  );
}
