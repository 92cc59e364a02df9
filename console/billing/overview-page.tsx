import { ok } from '@oazapfts/runtime';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useCallback, useEffect } from 'preact/hooks';
import { BILLING_PATH } from '../address.ts';
import { useMay, useSession } from '../data/session.ts';
import {
  getBilling as readBalance,
  getBillingPacks as readPacks,
  getBillingPlan as readPlan,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { BillingHead } from './billing-head.tsx';
import { balanceText, pastDueText, planFacts } from './billing-texts.ts';
import { Coupon } from './coupon.tsx';
import { money } from './money.ts';
import { TopUp } from './top-up.tsx';
import { useTopUp } from './use-top-up.ts';

/** Credits and plan at a glance, buying credits, and codes. */
export function OverviewPage() {
  const { me, returned, onReturned } = useSession();
  const mayPay = useMay()('billing.manage');
  const client = useQueryClient();
  const balance = useQuery({
    queryKey: ['billing', 'balance'],
    queryFn: ({ signal }) => ok(readBalance({}, { signal })),
  });
  const plan = useQuery({ queryKey: ['billing', 'plan'], queryFn: ({ signal }) => ok(readPlan({}, { signal })) });
  const packs = useQuery({ queryKey: ['billing', 'packs'], queryFn: ({ signal }) => ok(readPacks({}, { signal })) });
  const readAgain = useCallback(() => void client.invalidateQueries({ queryKey: ['billing'] }), [client]);

  const { name = '', email = '' } = me.user ?? {};
  const topUp = useTopUp({ name, email }, readAgain);
  const { complete, notPaid } = topUp;

  useEffect(() => {
    if (!returned) return;
    onReturned();
    if (returned.session) void complete(returned.payment_id, returned.session);
    else notPaid();
  }, [returned, onReturned, complete, notPaid]);

  const failed = [balance, plan, packs].find(({ isError, data }) => isError && !data);
  if (failed) {
    return (
      <main class="list-page billing-page">
        <BillingHead />
        <Problem error={failed.error} what={t('the billing')} onRetry={readAgain} />
      </main>
    );
  }
  if (!balance.data || !plan.data || !packs.data) {
    return (
      <main class="list-page billing-page">
        <BillingHead />
        <Loading what={t('the billing')} />
      </main>
    );
  }
  const { credits_paise, low_balance, currency } = balance.data;
  const { plan_past_due_since } = plan.data;
  return (
    <main class="list-page billing-page">
      <BillingHead />
      {plan_past_due_since && <p class="notice urgent">{pastDueText(plan_past_due_since)}</p>}
      <div class="summary">
        <section class="card" aria-labelledby="credits-title">
          <h2 id="credits-title">{t('Credits')}</h2>
          <p class="figure">{money(credits_paise, currency)}</p>
          <p class={low_balance ? 'low' : 'quiet'}>{balanceText(balance.data)}</p>
        </section>
        <section class="card" aria-labelledby="plan-title">
          <h2 id="plan-title">{t('Plan')}</h2>
          <p class="figure">{plan.data.name}</p>
          {planFacts(plan.data).map((fact) => (
            <p key={fact} class="quiet">
              {fact}
            </p>
          ))}
          <p>
            <a href={`${BILLING_PATH}/plan`}>{mayPay ? t('Change the plan') : t('All plans')}</a>
          </p>
        </section>
      </div>
      {mayPay ? (
        <>
          <TopUp balance={balance.data} packs={packs.data} topUp={topUp} />
          <Coupon onRedeemed={readAgain} />
        </>
      ) : (
        <p class="quiet">{t('An owner of the workspace can add credits.')}</p>
      )}
    </main>
  );
}
