import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { needsConfirmation } from '../data/confirmation.ts';
import { sentence } from '../data/field-errors.ts';
import { problemText } from '../data/problem-text.ts';

interface ChangeOptions<Input, Value> {
  change: (input: Input) => Promise<Value>;
  /** The first parts of the query keys that are read again after it. */
  reads: readonly string[];
  /** What is changed, in the language of the person. */
  what: string;
  /** Shows in place what a 422 says of its fields. */
  form?: { showErrors: (error: unknown) => boolean };
  onDone?: (value: Value, input: Input) => void;
}

interface Change<Input> {
  send: (input: Input) => void;
  busy: boolean;
  /** Why it failed, in words; empty when the form's fields say it, or when the person did not confirm it. */
  problem: string;
  clear: () => void;
}

/** A change that a button or a form sends to the API. */
export function useChange<Input = void, Value = unknown>({
  change,
  reads,
  what,
  form,
  onDone,
}: ChangeOptions<Input, Value>): Change<Input> {
  const client = useQueryClient();
  const [problem, setProblem] = useState('');
  const mutation = useMutation({
    mutationFn: change,
    onMutate: () => setProblem(''),
    onSuccess: (value: Value, input: Input) => {
      onDone?.(value, input);
      for (const name of reads) void client.invalidateQueries({ queryKey: [name] });
    },
    onError: (error) => {
      const shownElsewhere = needsConfirmation(error) || form?.showErrors(error);
      setProblem(shownElsewhere ? '' : sentence(problemText(error, what)));
    },
  });
  const send = (input: Input) => {
    if (!mutation.isPending) mutation.mutate(input);
  };
  return { send, busy: mutation.isPending, problem, clear: () => setProblem('') };
}
