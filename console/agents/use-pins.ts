import { ok } from '@oazapfts/runtime';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { changeProblemText } from '../data/problem-text.ts';
import {
  putAgentsAgentIdPin as pin,
  getAgentsPins as readPins,
  deleteAgentsAgentIdPin as unpin,
} from '../generated/api.ts';
import { toast } from '../ui/toasts.tsx';

const KEY = ['agent-pins'];

interface Pins {
  pinned: ReadonlySet<string>;
  /** Pins the agent, or takes the pin away; shown at once, and taken back when the API refuses. */
  toggle: (agentId: string) => Promise<void>;
}

/** The agents that the person pinned, who sees them first. */
export function usePins(): Pins {
  const client = useQueryClient();
  const { data = [] } = useQuery({ queryKey: KEY, queryFn: ({ signal }) => ok(readPins({}, { signal })) });
  const toggle = async (agentId: string) => {
    await client.cancelQueries({ queryKey: KEY });
    const before = client.getQueryData<string[]>(KEY) ?? [];
    const isPinned = before.includes(agentId);
    client.setQueryData(KEY, isPinned ? before.filter((id) => id !== agentId) : [...before, agentId]);
    try {
      await (isPinned ? ok(unpin(agentId)) : ok(pin(agentId)));
    } catch (error) {
      client.setQueryData(KEY, before);
      toast(changeProblemText(error), { tone: 'error' });
    }
    void client.invalidateQueries({ queryKey: KEY });
  };
  return { pinned: new Set(data), toggle };
}
