import { z } from 'zod';

/**
 * Encodes records of responses quickly. `z.encode` walks the schema each time and collects what an error message would need;
 * here the work is done once per schema: which fields are copied and which are encoded (times). Values that do not match their
 * schema, and schemas of kinds not known here, are left to zod, which encodes the same and reports what is wrong.
 */

type Encoder = (value: unknown) => unknown;

/** Returned by an encoder that cannot handle the value. */
const FALL_BACK = Symbol('left to zod');

const encoders = new WeakMap<z.core.$ZodType, Encoder>();

/** Returns the record as JSON may hold it; null when zod has to encode it. */
export function encodeRecord(schema: z.ZodType, value: unknown): { data: unknown } | null {
  const data = encoderFor(schema)(value);
  return data === FALL_BACK ? null : { data };
}

function encoderFor(schema: z.core.$ZodType): Encoder {
  const known = encoders.get(schema);
  if (known) return known;
  // A recursive schema finds this encoder while it is being created.
  let made: Encoder = () => FALL_BACK;
  encoders.set(schema, (value) => made(value));
  made = createEncoder(schema);
  encoders.set(schema, made);
  return made;
}

const only =
  (fits: (value: unknown) => boolean): Encoder =>
  (value) =>
    fits(value) ? value : FALL_BACK;

function createEncoder(schema: z.core.$ZodType): Encoder {
  if (schema instanceof z.ZodCodec) return codecEncoder(schema);
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
    const inner = encoderFor(schema.unwrap());
    return (value) => (value === null ? null : inner(value));
  }
  if (schema instanceof z.ZodOptional) {
    const inner = encoderFor(schema.unwrap());
    return (value) => (value === undefined ? undefined : inner(value));
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    const inner = encoderFor(schema.unwrap());
    // A record that was saved before the field was there.
    return (value) => inner(value === undefined ? schema.parse(undefined) : value);
  }
  if (schema instanceof z.ZodUnion) return unionEncoder(schema.options.map(encoderFor));
  if (schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodString) {
    return recordEncoder(encoderFor(schema.valueType));
  }
  if (schema instanceof z.ZodArray) return arrayEncoder(encoderFor(schema.element));
  if (schema instanceof z.ZodObject) return objectEncoder(schema);
  return () => FALL_BACK;
}

/** Encodes a time; the codec knows the zone of the request. */
function codecEncoder(schema: z.ZodCodec): Encoder {
  const { in: text, out, reverseTransform } = schema.def;
  if (!(text instanceof z.ZodString) || !(out instanceof z.ZodCustom)) return () => FALL_BACK;
  return (value) => {
    const fits = value instanceof Date ? !Number.isNaN(value.getTime()) : Number.isFinite(value);
    return fits ? reverseTransform(value as never, {} as never) : FALL_BACK;
  };
}

/** Uses the first option that accepts the value, as zod does. */
function unionEncoder(options: Encoder[]): Encoder {
  return (value) => {
    for (const write of options) {
      const written = write(value);
      if (written !== FALL_BACK) return written;
    }
    return FALL_BACK;
  };
}

function recordEncoder(write: Encoder): Encoder {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return FALL_BACK;
    const record: Record<string, unknown> = {};
    for (const [name, each] of Object.entries(value)) {
      const written = write(each);
      if (written === FALL_BACK || name === '__proto__') return FALL_BACK;
      record[name] = written;
    }
    return record;
  };
}

function arrayEncoder(element: Encoder): Encoder {
  return (value) => {
    if (!Array.isArray(value)) return FALL_BACK;
    const items: unknown[] = [];
    for (const each of value) {
      const item = element(each);
      if (item === FALL_BACK) return FALL_BACK;
      items.push(item);
    }
    return items;
  };
}

function objectEncoder(schema: z.ZodObject): Encoder {
  // Only objects that drop unnamed fields; the others are left to zod.
  const { catchall } = schema.def;
  if (catchall !== undefined && !(catchall instanceof z.ZodNever)) return () => FALL_BACK;
  const fields = Object.entries(schema.shape).map(([name, field]) => [name, encoderFor(field)] as const);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return FALL_BACK;
    const record: Record<string, unknown> = {};
    for (const [name, write] of fields) {
      const written = write((value as Record<string, unknown>)[name]);
      if (written === FALL_BACK) return FALL_BACK;
      if (written !== undefined) record[name] = written;
    }
    return record;
  };
}
