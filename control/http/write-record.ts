import { z } from 'zod';

/**
 * Writes answers quickly. `z.encode` walks a schema each time and builds what a mistake would need; records of answers are always
 * right, so what has to be done is worked out once for each schema: which fields are taken, which are encoded (times). Whatever is
 * not as its schema says, or of a kind that is not known here, is left to zod, which does the same and tells what is wrong.
 */

type Writer = (value: unknown) => unknown;

/** Given back by a writer that does not take the value. */
const LEAVE = Symbol('left to zod');

const writers = new WeakMap<z.core.$ZodType, Writer>();

/** The record as JSON may hold it; null when zod has to look at it. */
export function writeQuickly(schema: z.ZodType, value: unknown): { data: unknown } | null {
  const data = writerOf(schema)(value);
  return data === LEAVE ? null : { data };
}

function writerOf(schema: z.core.$ZodType): Writer {
  const known = writers.get(schema);
  if (known) return known;
  // A schema that holds itself finds this one while it is being made.
  let made: Writer = () => LEAVE;
  writers.set(schema, (value) => made(value));
  made = make(schema);
  writers.set(schema, made);
  return made;
}

const only =
  (fits: (value: unknown) => boolean): Writer =>
  (value) =>
    fits(value) ? value : LEAVE;

function make(schema: z.core.$ZodType): Writer {
  if (schema instanceof z.ZodCodec) return codecWriter(schema);
  if (schema instanceof z.ZodString || schema instanceof z.ZodStringFormat)
    return only((value) => typeof value === 'string');
  if (schema instanceof z.ZodNumberFormat) return only(Number.isSafeInteger);
  if (schema instanceof z.ZodNumber) return only(Number.isFinite);
  if (schema instanceof z.ZodBoolean) return only((value) => typeof value === 'boolean');
  if (schema instanceof z.ZodUnknown) return (value) => value;
  if (schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral) {
    const values: ReadonlySet<unknown> = new Set(schema instanceof z.ZodEnum ? schema.options : schema.values);
    return only((value) => values.has(value));
  }
  if (schema instanceof z.ZodNullable) {
    const inner = writerOf(schema.unwrap());
    return (value) => (value === null ? null : inner(value));
  }
  if (schema instanceof z.ZodOptional) {
    const inner = writerOf(schema.unwrap());
    return (value) => (value === undefined ? undefined : inner(value));
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    const inner = writerOf(schema.unwrap());
    return (value) => (value === undefined ? LEAVE : inner(value));
  }
  if (schema instanceof z.ZodUnion) return unionWriter(schema.options.map(writerOf));
  if (schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodString) {
    return recordWriter(writerOf(schema.valueType));
  }
  if (schema instanceof z.ZodArray) return arrayWriter(writerOf(schema.element));
  if (schema instanceof z.ZodObject) return objectWriter(schema);
  return () => LEAVE;
}

/** A time: its own encoder knows the zone of the request. */
function codecWriter(schema: z.ZodCodec): Writer {
  const { in: text, out, reverseTransform } = schema.def;
  if (!(text instanceof z.ZodString) || !(out instanceof z.ZodCustom)) return () => LEAVE;
  return (value) => {
    const fits = value instanceof Date ? !Number.isNaN(value.getTime()) : Number.isFinite(value);
    return fits ? reverseTransform(value as never, {} as never) : LEAVE;
  };
}

/** The first that takes it, as zod does. */
function unionWriter(options: Writer[]): Writer {
  return (value) => {
    for (const write of options) {
      const written = write(value);
      if (written !== LEAVE) return written;
    }
    return LEAVE;
  };
}

function recordWriter(write: Writer): Writer {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return LEAVE;
    const record: Record<string, unknown> = {};
    for (const [name, each] of Object.entries(value)) {
      const written = write(each);
      if (written === LEAVE || name === '__proto__') return LEAVE;
      record[name] = written;
    }
    return record;
  };
}

function arrayWriter(element: Writer): Writer {
  return (value) => {
    if (!Array.isArray(value)) return LEAVE;
    const items: unknown[] = [];
    for (const each of value) {
      const item = element(each);
      if (item === LEAVE) return LEAVE;
      items.push(item);
    }
    return items;
  };
}

function objectWriter(schema: z.ZodObject): Writer {
  // Only objects that leave unnamed fields out; others are zod's.
  const { catchall } = schema.def;
  if (catchall !== undefined && !(catchall instanceof z.ZodNever)) return () => LEAVE;
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, writerOf(field)] as const);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return LEAVE;
    const record: Record<string, unknown> = {};
    for (const [name, write] of fields) {
      const written = write((value as Record<string, unknown>)[name]);
      if (written === LEAVE) return LEAVE;
      if (written !== undefined) record[name] = written;
    }
    return record;
  };
}
