import type { RenewalSubject } from '../../control/billing/renewals/renew.ts';
import { dropNumber } from '../../control/caller-id/drop-number.ts';
import { connectDatabase } from '../../control/db/connect.ts';
import { createNumberRenewal } from '../../control/numbers/number-renewal.ts';
import { createReleaseNumber } from '../../control/numbers/release-number.ts';
import { renewDue } from './due-renewals.ts';
import { killedName } from './killed-program.ts';

/** A process that renews numbers and kills itself after a step: `<database> <time> <step>`. */
const [database = '', atMs = '', lastStep = ''] = process.argv.slice(2);

const renewal = createNumberRenewal(createReleaseNumber(dropNumber));

/** The subject, which dies after the step. */
const dying = new Proxy(renewal, {
  get(subject, name) {
    const step = Reflect.get(subject, name);
    if (name !== lastStep || typeof step !== 'function') return step;
    return async (...args: unknown[]) => {
      await step(...args);
      process.kill(process.pid, 'SIGKILL');
    };
  },
}) as RenewalSubject;
const sql = connectDatabase({ url: database, name: killedName(process.pid), max: 2 });
await renewDue(sql, Number(atMs), [dying]);
await sql.end();
