-- What earlier versions wrote of money, as it is written now.

-- A refund or dispute whose money came back kept the credits that it had taken, and given back; the next one of its payment would
-- have taken so much too little. All of a payment hold its share of what is gone.
update payment_reversals returned set credits_paise = 0, bonus_paise = 0
from (
  select p.workspace_id, p.id, p.amount_paise::numeric * least(r.gone, p.total_paise) / p.total_paise as share, r.credits
  from payments p join (
    select workspace_id, payment_id, sum(credits_paise) as credits,
      coalesce(sum(amount_paise) filter (where status <> 'returned'), 0) as gone
    from payment_reversals group by workspace_id, payment_id
  ) r on r.workspace_id = p.workspace_id and r.payment_id = p.id
) payment
where returned.workspace_id = payment.workspace_id and returned.payment_id = payment.id and returned.status = 'returned'
  and payment.credits > payment.share;

-- Nothing renews lines of workspaces that were closed before lines were renewed, so nothing ends them.
update workspaces set extra_lines = 0
where state = 'closed' and extra_lines > 0
  and not exists (select from renewals where workspace_id = workspaces.id and kind = 'lines');
