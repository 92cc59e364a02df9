import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import { fieldErrors } from '../data/field-errors.ts';
import type { Agent } from '../generated/api.ts';
import { changedPaths, type Draft, draftOf, withValue } from './draft.ts';

/** What the groups of the editor read and change. */
export interface Editor {
  agent: Agent;
  draft: Draft;
  mayEdit: boolean;
  /** What is wrong, by path, such as `voice.speed` or `tools.0.name`. */
  errors: Record<string, string>;
  set: (path: string, value: unknown) => void;
}

export interface DraftState extends Editor {
  /** Paths that differ from the saved agent. */
  changed: readonly string[];
  /** The saved agent that the draft was made from. */
  base: Agent;
  /** Shows what a failed request says of the fields. @returns their paths. */
  showErrors: (error: unknown) => string[];
  /** Begins anew from this agent, with the draft when one is given. */
  rebase: (agent: Agent, draft?: Draft) => void;
}

/** The draft of an agent. Without changes it follows the agent as that is read again. */
export function useDraft(agent: Agent, mayEdit: boolean): DraftState {
  const [base, setBase] = useState(agent);
  const [draft, setDraft] = useState(() => draftOf(agent));
  const [errors, setErrors] = useState<Record<string, string>>({});
  const changed = useMemo(() => changedPaths(draftOf(base), draft), [base, draft]);

  const rebase = useCallback((to: Agent, with_?: Draft) => {
    setBase(to);
    setDraft(with_ ?? draftOf(to));
    setErrors({});
  }, []);
  const set = useCallback((path: string, value: unknown) => {
    setDraft((before) => withValue(before, path, value));
    setErrors((before) => without(before, path));
  }, []);
  const showErrors = useCallback((error: unknown) => {
    const found = fieldErrors(error);
    setErrors(found);
    return Object.keys(found);
  }, []);
  const isUnchanged = changed.length === 0;
  useEffect(() => {
    if (isUnchanged && agent !== base && agent.version >= base.version) rebase(agent);
  }, [agent, base, isUnchanged, rebase]);

  return { agent, base, draft, mayEdit, errors, changed, set, showErrors, rebase };
}

/** The errors but those of the field and of what lies within it. */
const without = (errors: Record<string, string>, path: string): Record<string, string> =>
  Object.fromEntries(Object.entries(errors).filter(([each]) => each !== path && !each.startsWith(`${path}.`)));
