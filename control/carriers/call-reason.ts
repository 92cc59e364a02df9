import type { CarrierManifest } from '../../shared/carriers/manifest.ts';
import { CARRIERS } from '../../shared/carriers/registry.ts';
import { missingSettingOf } from '../../shared/providers/settings.ts';

/** Whether a carrier in use can show the called person the reason of a call. */
export function showsCallReason(config: Readonly<Record<string, unknown>>): boolean {
  const carriers: readonly CarrierManifest[] = CARRIERS;
  return carriers.some(
    (carrier) => carrier.capabilities.callReason === true && missingSettingOf(carrier, config) === null,
  );
}
