import { z } from 'zod';
import { serversOf } from './access.ts';

const GIB = 1024 ** 3;

/** The settings of the bus. All but those of the credentials are the same in both programs. */
export const BUS_SETTINGS = {
  /** One server or several of a cluster, comma-separated; `tls://…` where the connection must be encrypted. */
  NATS_URL: z
    .string()
    .default('127.0.0.1:4222')
    .refine((url) => serversOf(url).length > 0, 'names no server')
    .refine((url) => !url.includes('@'), 'has credentials: put them into NATS_USER and NATS_PASSWORD'),
  NATS_USER: z.string().default(''),
  NATS_PASSWORD: z.string().default(''),
  NATS_TOKEN: z.string().default(''),
  /** A file with a user's NKey seed, or with its JWT and seed. */
  NATS_CREDENTIALS: z.string().default(''),
  /** Files: authorities of the servers' certificates instead of the system's, and this program's certificate with its key. */
  NATS_CA: z.string().default(''),
  NATS_CERT: z.string().default(''),
  NATS_KEY: z.string().default(''),
  /**
   * The name of this program's user, where the bus gives each program its own subjects (`permissions.ts`): `control`, or one for all engines of
   * a machine. Empty: every engine receives on common subjects.
   */
  NATS_NAME: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,40}$/, 'has lower-case letters, digits, - and _ only')
    .or(z.literal(''))
    .default(''),
  /** `1`: a bus on another machine may be open to everybody. */
  NATS_INSECURE: z.enum(['0', '1']).default('0'),
  /** Servers that keep each stream, 1, 3 or 5; 0: 3 where the cluster has three servers, else 1. */
  NATS_REPLICAS: z.coerce.number().int().min(0).max(5).default(0),
  /** Size of the stream of calls' events. What is read leaves it when half is used; a full one refuses events. */
  EVENTS_STREAM_GIB: z.coerce.number().min(0.001).max(10_000).default(2),
};

type BusSettings = z.output<z.ZodObject<typeof BUS_SETTINGS>>;

/** What to connect the bus with. */
export function busOptions(settings: BusSettings) {
  const { NATS_URL, NATS_REPLICAS, EVENTS_STREAM_GIB } = settings;
  return {
    url: NATS_URL,
    busUser: settings.NATS_NAME,
    access: {
      user: settings.NATS_USER,
      password: settings.NATS_PASSWORD,
      token: settings.NATS_TOKEN,
      credentialsFile: settings.NATS_CREDENTIALS,
      caFile: settings.NATS_CA,
      certFile: settings.NATS_CERT,
      keyFile: settings.NATS_KEY,
      insecure: settings.NATS_INSECURE === '1',
    },
    eventsMaxBytes: Math.round(EVENTS_STREAM_GIB * GIB),
    ...(NATS_REPLICAS === 0 ? {} : { replicas: NATS_REPLICAS }),
  };
}
