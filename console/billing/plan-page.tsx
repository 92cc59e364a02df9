import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { failureOf } from '../data/failure.ts';
import { changeProblemText } from '../data/problem-text.ts';
import { useMay } from '../data/session.ts';
import {
  type Balance,
  type Plan,
  getBilling as readBalance,
  getBillingPlans as readPlans,
  postBillingPlan as switchPlan,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { BillingHead } from './billing-head.tsx';
import { planOffers, switchTexts } from './billing-texts.ts';
import { Lines } from './lines.tsx';
import { money } from './money.ts';

/** All plans, with the switch to another one, and extra call lines. */
export function PlanPage() {
  const mayPay = useMay()('billing.manage');
  const plans = useQuery({ queryKey: ['billing', 'plans'], queryFn: ({ signal }) => ok(readPlans({}, { signal })) });
  const balance = useQuery({
    queryKey: ['billing', 'balance'],
    queryFn: ({ signal }) => ok(readBalance({}, { signal })),
  });
  const [wanted, setWanted] = useState<Plan | null>(null);
  return (
    <main class="list-page billing-page">
      <BillingHead title={t('Plan and lines')} />
      {plans.isPending ? (
        <Loading what={t('the plans')} />
      ) : plans.data ? (
        <section class="plans" aria-label={t('Plans')}>
          {plans.data.map((plan) => (
            <PlanCard key={plan.id} plan={plan} onChoose={mayPay ? () => setWanted(plan) : null} />
          ))}
        </section>
      ) : (
        <Problem error={plans.error} what={t('the plans')} onRetry={() => void plans.refetch()} />
      )}
      <Lines mayPay={mayPay} />
      {wanted && (
        <SwitchDialog
          plan={wanted}
          present={plans.data?.find(({ current }) => current)?.name ?? ''}
          balance={balance.data ?? null}
          onClose={() => setWanted(null)}
        />
      )}
    </main>
  );
}

function PlanCard({ plan, onChoose }: { plan: Plan; onChoose: (() => void) | null }) {
  const { name, monthly_fee_paise, currency, current, can_switch, custom } = plan;
  return (
    <article class="card" data-current={current}>
      <div class="plan-head">
        <h2>{name}</h2>
        {current && (
          <span class="chip" data-tone="good">
            {t('Your plan')}
          </span>
        )}
      </div>
      {custom && !current ? (
        <p class="quiet">{t('Its price is agreed with each workspace.')}</p>
      ) : (
        <>
          <p class="figure">
            {monthly_fee_paise === 0 ? t('No fee') : money(monthly_fee_paise, currency)}
            {monthly_fee_paise > 0 && <span class="quiet fee-period"> {t('for 30 days')}</span>}
          </p>
          <ul class="offers">
            {planOffers(plan).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
      {onChoose && can_switch && (
        <button type="button" class="secondary" onClick={onChoose}>
          {t('Switch to {{name}}', { name })}
        </button>
      )}
    </article>
  );
}

interface SwitchDialogProps {
  plan: Plan;
  present: string;
  balance: Balance | null;
  onClose: () => void;
}

function SwitchDialog({ plan, present, balance, onClose }: SwitchDialogProps) {
  const client = useQueryClient();
  const key = useRef(crypto.randomUUID());
  const change = useMutation({
    mutationFn: () => ok(switchPlan({ plan_id: plan.id }, { idempotencyKey: key.current })),
    onSuccess: ({ name }) => {
      void client.invalidateQueries({ queryKey: ['billing'] });
      toast(t('Your plan is {{name}} now.', { name }));
      onClose();
    },
    onError: (error) => {
      // Without an answer it may have been carried out.
      if (failureOf(error).status !== 0) key.current = crypto.randomUUID();
    },
  });
  return (
    <ConfirmDialog
      title={t('Switch to {{name}}?', { name: plan.name })}
      action={t('Switch')}
      busy={change.isPending}
      error={change.isError ? changeProblemText(change.error) : undefined}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      {switchTexts(plan, present).map((text) => (
        <p key={text}>{text}</p>
      ))}
      {balance && (
        <p class="quiet">
          {t('You have {{credits}} of credits.', { credits: money(balance.credits_paise, plan.currency) })}
        </p>
      )}
    </ConfirmDialog>
  );
}
