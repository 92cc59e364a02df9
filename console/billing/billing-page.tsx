import { useCallback, useEffect, useState } from 'preact/hooks';
import { useSession } from '../data/session.ts';
import { Heading } from '../heading.tsx';
import { listInvoices, listPacks, listPayments, readBalance, readPlan } from './billing-api.ts';
import type { Balance, Invoice, OwnPlan, Pack, Payment } from './billing-records.ts';
import { balanceText, pastDueText, planFacts } from './billing-texts.ts';
import { money } from './money.ts';
import { Invoices, Payments } from './receipts.tsx';
import { TopUp } from './top-up.tsx';
import { useTopUp } from './use-top-up.ts';
import './billing.css';

interface Billing {
  balance: Balance;
  plan: OwnPlan;
  packs: Pack[];
  payments: Payment[];
  invoices: Invoice[];
}

/** Credits and plan, buying credits, payments and invoices. */
export function BillingPage() {
  const { me, returned, onReturned, onSignedOut } = useSession();
  const [billing, setBilling] = useState<Billing | null>(null);
  const [error, setError] = useState<string | null>(null);

  const read = useCallback(async () => {
    const [balance, plan, packs, payments, invoices] = await Promise.all([
      readBalance(),
      readPlan(),
      listPacks(),
      listPayments(),
      listInvoices(),
    ]);
    if (balance.ok && plan.ok && packs.ok && payments.ok && invoices.ok) {
      setError(null);
      setBilling({
        balance: balance.value,
        plan: plan.value,
        packs: packs.value,
        payments: payments.value,
        invoices: invoices.value,
      });
    } else if (!balance.ok && balance.status === 401) onSignedOut();
    else setError('The billing of this workspace could not be loaded. Reload the page to try again.');
  }, [onSignedOut]);

  const { name = '', email = '' } = me.user ?? {};
  const topUp = useTopUp({ name, email }, read);
  const { complete, notPaid } = topUp;

  useEffect(() => {
    if (!returned) {
      void read();
      return;
    }
    onReturned();
    if (returned.session) void complete(returned.payment_id, returned.session);
    else notPaid();
  }, [read, returned, onReturned, complete, notPaid]);

  if (!billing) {
    return (
      <main class="list-page">
        <Heading title="Billing" />
        {error ? (
          <p class="notice" role="alert">
            {error}
          </p>
        ) : (
          <p class="quiet">Loading…</p>
        )}
      </main>
    );
  }
  const { balance, plan, packs, payments, invoices } = billing;
  const { currency } = balance;
  return (
    <main class="list-page">
      <Heading title="Billing" />
      {plan.plan_past_due_since && <p class="notice urgent">{pastDueText(plan.plan_past_due_since)}</p>}
      <div class="summary">
        <section class="card" aria-labelledby="credits-title">
          <h2 id="credits-title">Credits</h2>
          <p class="figure">{money(balance.credits_paise, currency)}</p>
          <p class={balance.low_balance ? 'low' : 'quiet'}>{balanceText(balance)}</p>
        </section>
        <section class="card" aria-labelledby="plan-title">
          <h2 id="plan-title">Plan</h2>
          <p class="figure">{plan.name}</p>
          {planFacts(plan, currency).map((fact) => (
            <p key={fact} class="quiet">
              {fact}
            </p>
          ))}
        </section>
      </div>
      {me.permissions.includes('billing.manage') ? (
        <TopUp balance={balance} packs={packs} topUp={topUp} />
      ) : (
        <p class="quiet">An owner of the workspace can add credits.</p>
      )}
      <Payments payments={payments} />
      <Invoices invoices={invoices} />
    </main>
  );
}
