import type { ControlConfig } from '../config.ts';
import type { PollingJob } from '../db/polling-job.ts';
import { createMailTransport } from './mail-transport.ts';
import { type OutboxOptions, startOutbox } from './outbox.ts';

export interface MailModuleDeps extends Omit<OutboxOptions, 'send'> {
  config: Pick<ControlConfig, 'SMTP_URL' | 'MAIL_FROM' | 'MAIL_DIR'>;
}

/** Sends the emails that other modules queue. */
export function createMailModule({ config, ...deps }: MailModuleDeps): { start(): void; stop(): Promise<void> } {
  let outbox: PollingJob | null = null;
  return {
    start() {
      const { SMTP_URL: smtpUrl, MAIL_FROM: from, MAIL_DIR: folder } = config;
      outbox = startOutbox({ ...deps, send: createMailTransport({ smtpUrl, from, folder }) });
    },
    async stop() {
      await outbox?.stop();
    },
  };
}
