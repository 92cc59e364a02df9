import { type CarrierName, carrierManifest } from '../../shared/carriers/registry.ts';
import { missingSettingOf } from '../../shared/providers/settings.ts';

/** Whether the service has an account with a carrier, for the command that adds numbers of it. */

/** Those of the environment of this process, which is the service's own where they run side by side. */
export function accountsOf(env: Readonly<Record<string, string | undefined>>): (carrier: CarrierName) => boolean {
  return (carrier) => {
    const manifest = carrierManifest(carrier)!;
    const values = Object.fromEntries(Object.keys(manifest.settings).map((name) => [name, env[name] ?? '']));
    return missingSettingOf(manifest, values) === null;
  };
}

/** What follows from an account that is missing, and what to set. */
export function missingAccount(carrier: CarrierName): string {
  const { label, settings } = carrierManifest(carrier)!;
  const required = Object.keys(settings).filter((name) => settings[name]!.required);
  return (
    `warning: the service has no account with ${label}: it cannot place calls from this number, and takes none to it. ` +
    `Set ${required.join(' and ')} and start it again.`
  );
}
