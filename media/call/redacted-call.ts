import type { AgentConfig } from '../../shared/agent.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import { createRedactor } from '../report/redacting-reporter.ts';
import type { CallOptions } from './call.ts';

export interface RedactedCall<Options> {
  callOptions: Options;
  /** Nothing is redacted, and the call may be captured as a whole. */
  keepsNumbers: boolean;
}

/**
 * The options of a call whose words leave the engine only through the redactor, where its agent redacts numbers: its events, and the
 * texts of its requests to control. A call has no other way out.
 */
export function withRedaction<Options extends CallOptions>(options: Options): RedactedCall<Options> {
  const { session, bus, clock, reporter } = options;
  const { call } = JSON.parse(session.agent_json) as { call?: Partial<AgentConfig['call']> };
  const settings = { cards: call?.redact_cards ?? false, identity_numbers: call?.redact_identity_numbers ?? false };
  if (!settings.cards && !settings.identity_numbers) return { callOptions: options, keepsNumbers: true };
  const redactor = createRedactor({ settings, reporter, clock });
  const redactingBus: Bus = {
    ...bus,
    searchKnowledge: (request, timeoutMs) => bus.searchKnowledge(redactor.redact(request), timeoutMs),
    startTransfer: (request, timeoutMs) => bus.startTransfer(redactor.redact(request), timeoutMs),
    bookCallback: (request, timeoutMs) => bus.bookCallback(redactor.redact(request), timeoutMs),
  };
  return { callOptions: { ...options, bus: redactingBus, reporter: redactor.reporter }, keepsNumbers: false };
}
