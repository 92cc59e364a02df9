/** The rules of a `robots.txt` for us (RFC 9309). */
export interface RobotsRules {
  /** @param path with its query, as requested */
  allows(path: string): boolean;
}

interface Rule {
  allow: boolean;
  pattern: string;
}

const MAX_LINES = 20_000;
const MAX_PATTERN_CHARACTERS = 2_000;

export const ALL_ALLOWED: RobotsRules = { allows: () => true };

/** Groups that name us count together; where none does, those of `*`. The longest pattern that matches decides, `allow` before `disallow`. */
export function parseRobots(text: string, product: string): RobotsRules {
  const own: Rule[] = [];
  const common: Rule[] = [];
  let named = false;
  let targets: Rule[][] = [];
  let inRules = false;
  for (const line of text.split(/\r\n?|\n/, MAX_LINES)) {
    const [, key = '', value = ''] = /^\s*([a-z-]+)\s*:\s*([^#\s]*)/i.exec(line) ?? [];
    const field = key.toLowerCase();
    if (field === 'user-agent') {
      // The agents of one group stand one below the other.
      if (inRules) targets = [];
      inRules = false;
      if (value === '*') targets.push(common);
      else if (value.toLowerCase() === product) {
        named = true;
        targets.push(own);
      }
    } else if (field === 'allow' || field === 'disallow') {
      inRules = true;
      if (value === '' || value.length > MAX_PATTERN_CHARACTERS) continue;
      for (const rules of targets) rules.push({ allow: field === 'allow', pattern: encoded(value) });
    }
  }
  const rules = (named ? own : common).sort(
    (a, b) => b.pattern.length - a.pattern.length || Number(b.allow) - Number(a.allow),
  );
  return {
    allows(path) {
      const asked = encoded(path);
      return asked === '/robots.txt' || (rules.find(({ pattern }) => matches(pattern, asked))?.allow ?? true);
    },
  };
}

/** Characters beyond ASCII as UTF-8 in percent-encoding. */
const encoded = (path: string) =>
  path.toWellFormed().replace(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character));

/** `*` stands for any characters, `$` for the end. Takes each part at its first place, so that it ends after one pass. */
function matches(pattern: string, path: string): boolean {
  const anchored = pattern.endsWith('$');
  const [first = '', ...parts] = (anchored ? pattern.slice(0, -1) : pattern).split('*');
  if (!path.startsWith(first)) return false;
  if (parts.length === 0) return !anchored || path.length === first.length;
  let from = first.length;
  for (const [index, part] of parts.entries()) {
    if (anchored && index === parts.length - 1) return path.length - part.length >= from && path.endsWith(part);
    const at = path.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}
