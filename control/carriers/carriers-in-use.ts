import type { CarrierManifest } from '../../shared/carriers/manifest.ts';
import { CARRIERS, type CarrierName, carrierManifest } from '../../shared/carriers/registry.ts';
import { missingSettingOf } from '../../shared/providers/settings.ts';

/** The carriers with an account that can do this. */
export function carriersThat(
  capability: 'callReason' | 'transfers',
  config: Readonly<Record<string, unknown>>,
): CarrierName[] {
  const can = (carrier: CarrierManifest) => carrier.capabilities[capability] === true;
  return CARRIERS.filter((carrier) => can(carrier) && missingSettingOf(carrier, config) === null).map(
    ({ name }) => name,
  );
}

/** Whether a call on this line can be handed over to a person; `provider` is a carrier, `stream`, or empty for a browser's call. */
export const canTransfer = (provider: string): boolean => carrierManifest(provider)?.capabilities.transfers ?? false;
