import { CARRIERS, type CarrierName } from '../../shared/carriers/registry.ts';
import { missingSettingOf } from '../../shared/providers/settings.ts';
import type { ControlConfig } from '../config.ts';
import type { AdapterDeps, Carrier, CarrierAdapter, Carriers } from './carrier.ts';

/** The carriers whose required settings are all set. @throws Error when a setting cannot be used. */
export async function configuredCarriers(config: ControlConfig, deps: AdapterDeps = {}): Promise<Carriers> {
  const carriers = new Map<CarrierName, Carrier>();
  for (const manifest of CARRIERS) {
    if (missingSettingOf(manifest, config) !== null) continue;
    const path = `./${manifest.name}.ts`;
    const { adapter }: { adapter: CarrierAdapter } = await import(path);
    carriers.set(manifest.name, adapter(config as never, deps));
  }
  return carriers;
}
