import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { failureOf } from '../data/failure.ts';
import { changeProblemText } from '../data/problem-text.ts';
import {
  postBillingLines as buyLines,
  type CallLines,
  getBillingLines as readLines,
  postBillingLinesRemove as removeLines,
} from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { NumberField } from '../ui/fields.tsx';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { linesFacts, linesPricePaise } from './billing-texts.ts';
import { money } from './money.ts';

type Change = 'buy' | 'remove';

/** Extra call lines: how many there are, and more or fewer of them. */
export function Lines({ mayPay }: { mayPay: boolean }) {
  const lines = useQuery({ queryKey: ['billing', 'lines'], queryFn: ({ signal }) => ok(readLines({}, { signal })) });
  const [change, setChange] = useState<Change | null>(null);
  if (lines.isPending) return <Loading what={t('the call lines')} />;
  if (!lines.data) {
    return <Problem error={lines.error} what={t('the call lines')} onRetry={() => void lines.refetch()} />;
  }
  const { extra_lines, can_add, lines_past_due_since } = lines.data;
  return (
    <section class="card" aria-labelledby="lines-title">
      <h2 id="lines-title">{t('Extra call lines')}</h2>
      <p class="figure">{extra_lines.toLocaleString()}</p>
      <div>
        {linesFacts(lines.data).map((fact) => (
          <p key={fact} class="quiet">
            {fact}
          </p>
        ))}
      </div>
      {lines_past_due_since && (
        <p class="notice urgent">{t('The fee of your lines could not be taken. Add credits to keep them.')}</p>
      )}
      {mayPay && (
        <div class="buttons">
          {can_add > 0 && (
            <button type="button" class="secondary" onClick={() => setChange('buy')}>
              {t('Buy lines')}
            </button>
          )}
          {extra_lines > 0 && (
            <button type="button" class="secondary" onClick={() => setChange('remove')}>
              {t('Remove lines')}
            </button>
          )}
        </div>
      )}
      {change && <LinesDialog change={change} lines={lines.data} onClose={() => setChange(null)} />}
    </section>
  );
}

function LinesDialog({ change, lines, onClose }: { change: Change; lines: CallLines; onClose: () => void }) {
  const client = useQueryClient();
  const most = change === 'buy' ? lines.can_add : lines.extra_lines;
  const [quantity, setQuantity] = useState<number | null>(1);
  const key = useRef(crypto.randomUUID());
  const valid = quantity !== null && Number.isInteger(quantity) && quantity >= 1 && quantity <= most;
  const carryOut = useMutation({
    mutationFn: (count: number) =>
      change === 'buy'
        ? ok(buyLines({ quantity: count }, { idempotencyKey: key.current }))
        : ok(removeLines({ quantity: count })),
    onSuccess: (after) => {
      client.setQueryData(['billing', 'lines'], after);
      void client.invalidateQueries({ queryKey: ['billing'] });
      toast(tn('You have {{count}} extra line now.', 'You have {{count}} extra lines now.', after.extra_lines));
      onClose();
    },
    onError: (error) => {
      // Without an answer it may have been carried out.
      if (failureOf(error).status !== 0) key.current = crypto.randomUUID();
    },
  });
  const amount = valid ? money(linesPricePaise(lines, quantity, Date.now()), lines.currency) : '';
  return (
    <ConfirmDialog
      title={change === 'buy' ? t('Buy call lines') : t('Remove call lines')}
      action={change === 'buy' ? t('Buy') : t('Remove')}
      busy={carryOut.isPending}
      error={carryOut.isError ? changeProblemText(carryOut.error) : undefined}
      onConfirm={() => valid && carryOut.mutate(quantity)}
      onClose={onClose}
    >
      <div class="form">
        <NumberField
          label={t('How many')}
          value={quantity}
          onChange={(value) => {
            setQuantity(value);
            carryOut.reset();
          }}
          min={1}
          max={most}
          step={1}
          error={valid ? undefined : t('Enter a number from 1 to {{most}}.', { most })}
        />
        <p>
          {change === 'remove'
            ? t('They go at once; calls that are live go on. What was paid for them is not given back.')
            : amount &&
              (lines.lines_paid_until
                ? t('{{amount}} are taken from your credits now, for the days that are left of the cycle.', { amount })
                : t('{{amount}} are taken from your credits now, and again every 30 days.', { amount }))}
        </p>
      </div>
    </ConfirmDialog>
  );
}
