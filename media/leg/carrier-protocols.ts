import { CARRIERS } from '../../shared/carriers/registry.ts';
import { frameBytes, PCM_8K } from '../audio/format.ts';
import type { CarrierProtocol } from './carrier-protocol.ts';

/**
 * The media stream protocol of every carrier in the registry, by name: `protocols/<name>.ts` exports `<name>Protocol`. A carrier
 * without one keeps media from starting.
 */
export const CARRIER_PROTOCOLS: Readonly<Record<string, CarrierProtocol>> = Object.fromEntries(
  await Promise.all(CARRIERS.map(async ({ name }) => [name, await loadProtocol(name)] as const)),
);

/** The same, with audio to Exotel in messages of this many bytes, a multiple of 320. */
export function carrierProtocols({ exotelChunkBytes }: { exotelChunkBytes: number }): typeof CARRIER_PROTOCOLS {
  const exotel = CARRIER_PROTOCOLS.exotel!;
  return { ...CARRIER_PROTOCOLS, exotel: { ...exotel, packetFrames: exotelChunkBytes / frameBytes(PCM_8K) } };
}

async function loadProtocol(name: string): Promise<CarrierProtocol> {
  const module = (await import(`./protocols/${name}.ts`)) as Record<string, CarrierProtocol | undefined>;
  const protocol = module[`${name}Protocol`];
  if (protocol?.carrier !== name) throw new Error(`media/leg/protocols/${name}.ts has no ${name}Protocol`);
  return protocol;
}
