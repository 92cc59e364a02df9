import { twilioNumbers } from '../../control/carriers/twilio-numbers.ts';
import { connectDatabase } from '../../control/db/connect.ts';
import { systemClock } from '../../shared/clock.ts';
import { createLogger } from '../../shared/log.ts';
import { killedName } from './killed-program.ts';
import { buy } from './number-orders.ts';

/** A process that buys a number and kills itself after a step: `<database> <carrier> <workspace> <number> <step>`. */
const [database = '', url = '', workspaceId = '', number = '', lastStep = ''] = process.argv.slice(2);

const account = { account_sid: 'AC1', auth_token: 'secret', api_url: url, pricing_url: url };
const numbers = twilioNumbers({ ...account, inbound_url: 'https://voice.example.com/inbound' });
const deps = {
  sql: connectDatabase({ url: database, name: killedName(process.pid), max: 2 }),
  clock: systemClock,
  log: createLogger('control', 'silent'),
  carriers: new Map([['twilio', { numbers }]]) as never,
  afterStep(step: string) {
    if (step === lastStep) process.kill(process.pid, 'SIGKILL');
  },
};
await buy(deps, workspaceId, number);
await deps.sql.end();
