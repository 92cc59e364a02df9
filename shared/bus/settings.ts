import { z } from 'zod';

const GIB = 1024 ** 3;

/** The settings of the bus, the same in both programs. */
export const BUS_SETTINGS = {
  NATS_URL: z.string().default('127.0.0.1:4222'),
  /** Servers that keep each stream, 1, 3 or 5; 0: 3 where the cluster has three servers, else 1. */
  NATS_REPLICAS: z.coerce.number().int().min(0).max(5).default(0),
  /** Size of the stream of calls' events. What is read leaves it when half is used; a full one refuses events. */
  EVENTS_STREAM_GIB: z.coerce.number().min(0.001).max(10_000).default(2),
};

type BusSettings = z.output<z.ZodObject<typeof BUS_SETTINGS>>;

/** What to connect the bus with. */
export function busOptions({ NATS_URL, NATS_REPLICAS, EVENTS_STREAM_GIB }: BusSettings) {
  return {
    url: NATS_URL,
    eventsMaxBytes: Math.round(EVENTS_STREAM_GIB * GIB),
    ...(NATS_REPLICAS === 0 ? {} : { replicas: NATS_REPLICAS }),
  };
}
