import { connectDatabase } from '../../control/db/connect.ts';
import { completePayment } from '../../control/payments/complete-payment.ts';
import type { PaymentDeps } from '../../control/payments/payment-deps.ts';
import { razorpay } from '../../control/payments/razorpay.ts';
import { startTopup } from '../../control/payments/start-topup.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { killedName } from './killed-program.ts';
import { RAZORPAY } from './payment-gateways.ts';

/**
 * A process that tops up, or completes a payment, and kills itself after a step:
 * `<database> <gateway> <workspace> <step> [<payment> <gateway payment> <signature>]`.
 */
const [database = '', url = '', workspace_id = '', lastStep = '', payment_id, gateway_payment_id = '', signature = ''] =
  process.argv.slice(2);

const deps: PaymentDeps = {
  sql: connectDatabase({ url: database, name: killedName(process.pid), max: 2 }),
  clock: systemClock,
  log: createLogger('control', 'silent'),
  gateways: new Map([['razorpay', razorpay({ ...RAZORPAY, api_url: url, checkout_url: `${url}/v1/checkout.js` })]]),
  writeLog() {},
  returnUrl: 'http://console/',
  afterStep(step) {
    if (step === lastStep) process.kill(process.pid, 'SIGKILL');
  },
};
const actor = { kind: 'user', id: 'u', name: 'Asha' } as const;
await (payment_id
  ? completePayment(deps, { workspace_id, payment_id, gateway_payment_id, gateway_signature: signature })
  : startTopup(deps, { workspace_id, actor, amount_paise: 10_000, markCarriedOut: async () => {} }));
await deps.sql.end();
