/** Time zones are IANA names such as Asia/Kolkata; offsets such as `+05:30` are not names. */
const ZONE_SHAPE = /^[A-Za-z_]+(\/[A-Za-z0-9_+-]+)*$/;

const known = new Map<string, boolean>();

/** Is it a zone this platform knows? */
export function isTimeZone(name: string): boolean {
  if (name.length > 64 || !ZONE_SHAPE.test(name)) return false;
  let answer = known.get(name);
  if (answer === undefined) {
    answer = formats(name);
    // Strangers choose the names that are asked for.
    if (known.size >= 2_000) known.clear();
    known.set(name, answer);
  }
  return answer;
}

function formats(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
