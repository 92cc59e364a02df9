/** IANA names such as Asia/Kolkata; offsets such as `+05:30` are not allowed. */
const ZONE_SHAPE = /^[A-Za-z_]+(\/[A-Za-z0-9_+-]+)*$/;

const known = new Map<string, boolean>();

/** True for a time zone known to this platform. */
export function isTimeZone(name: string): boolean {
  if (name.length > 64 || !ZONE_SHAPE.test(name)) return false;
  let valid = known.get(name);
  if (valid === undefined) {
    valid = formats(name);
    // Clients choose the names, so the cache is bounded.
    if (known.size >= 2_000) known.clear();
    known.set(name, valid);
  }
  return valid;
}

function formats(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
