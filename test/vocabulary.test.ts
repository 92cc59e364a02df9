import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/**
 * Holds docs/vocabulary.md: file names, exported names, log messages, metrics, keys of bench results and test titles use
 * the field's words. A word that has an everyday meaning as well may stand where EVERYDAY allows it, with the reason.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['shared', 'media', 'control', 'console', 'dev', 'fixtures', 'bench', 'test', 'examples', 'clients'];

/** Words this codebase once had for itself, with what to say instead. */
const REPLACED: Record<string, string> = {
  answerer: 'answering machine detector',
  beat: 'tick',
  beats: 'ticks',
  board: 'registry',
  bury: 'dead-letter',
  chance: 'seeded random',
  crowd: 'load',
  desk: 'service',
  door: 'gateway, semaphore',
  doors: 'gateways, import rules',
  doorway: 'upgrade router',
  ear: 'turn-detector stream, capture',
  ears: 'stt',
  equipment: 'provider factory',
  farewell: 'end of call',
  fault: 'error, failure',
  faults: 'errors, failures',
  feeder: 'batch scheduler',
  ground: 'harness, fixture',
  heard: 'played out (of the agent), transcribed (of the caller)',
  hopeless: 'non-retryable',
  house: 'codebase',
  hush: 'pause',
  keeper: 'reconciler',
  kept: 'stored, cached',
  lanes: 'per-endpoint queues',
  letter: 'email, grapheme',
  letters: 'emails, graphemes',
  manner: 'behaviour',
  masters: 'reference data',
  metronome: 'media clock',
  mind: 'llm',
  mistake: 'internal error',
  mouth: 'tts',
  news: 'events',
  parcel: 'delivery',
  patience: 'endpointing delay',
  patiently: 'with retries',
  piece: 'segment (of text), chunk (of a recording)',
  pieces: 'segments, chunks',
  postman: 'mail transport',
  room: 'module, headroom',
  rooms: 'modules',
  served: 'provider usage',
  sibling: 'peer process',
  siblings: 'peer processes',
  soften: 'duck',
  softens: 'ducks',
  sound: 'audio',
  sounds: 'audio',
  speculation: 'preemptive generation',
  stage: 'test harness',
  standin: 'fallback, stub',
  stumbled: 'failed',
  tape: 'recording, capture',
  taped: 'captured',
  tapes: 'captures',
  tell: 'emit, report, publish',
  teller: 'publisher',
  tells: 'emits, reports, publishes',
  told: 'emitted, reported, published',
  trouble: 'failure, error',
  visit: 'request context, tick',
  whoever: 'a plain noun',
  wire: 'protocol, serializer',
  wires: 'protocols, serializers',
  wish: 'request',
};

/** Where such a word has its everyday meaning. */
const EVERYDAY: { words: RegExp; where: RegExp; reason: string }[] = [
  { words: /^sounds?$/, where: /ambient/i, reason: 'the API calls it ambient sound' },
  { words: /^faults?$/, where: /simulators|conformance|Faults/, reason: 'simulators inject faults: fault injection' },
  { words: /^stage$/, where: /LatencyStage|per stage/, reason: 'a stage of the latency' },
  { words: /^stage$/, where: /DockerfileStage/, reason: "Docker's word for a part of a build" },
  {
    words: /^rooms?$/,
    where: /roomBridge|conference room|quiet/,
    reason: "a carrier's conference room; a caller's room",
  },
  { words: /^kept$/, where: /kept alive|kept apart/, reason: 'keep-alive; apart' },
  {
    words: /^letters?$/,
    where: /letters? (and|is|are|that)|(last|small|same|without) letters?/,
    reason: 'of the alphabet',
  },
  { words: /^served$/, where: /is served under/, reason: 'over HTTP' },
];

const sources = FOLDERS.flatMap(sourcesBelow);

function sourcesBelow(folder: string): { path: string; text: string }[] {
  let entries: import('node:fs').Dirent[];
  try {
    entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .filter(
      (entry) =>
        entry.isFile() && /\.tsx?$/.test(entry.name) && !/\/(dist|generated|node_modules)(\/|$)/.test(entry.parentPath),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(ROOT, path), text: readFileSync(path, 'utf8') }));
}

/** The words of a camelCase, kebab-case or SNAKE_CASE name or of a sentence, in lower case. */
function wordsOf(text: string): string[] {
  return text
    .replace(/stand-?ins?\b/gi, 'standin')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

/** `place: text (word → instead)` of each text with a replaced word. */
function replacedIn(found: { path: string; text: string }[]): string[] {
  return found.flatMap(({ path, text }) => {
    const isEveryday = (word: string) =>
      EVERYDAY.some(({ words, where }) => words.test(word) && where.test(`${path}: ${text}`));
    return wordsOf(text)
      .filter((word) => Object.hasOwn(REPLACED, word) && !isEveryday(word))
      .map((word) => `${path}: "${text}" (${word} → ${REPLACED[word]})`);
  });
}

function matches(pattern: RegExp): { path: string; text: string }[] {
  return sources.flatMap(({ path, text }) => [...text.matchAll(pattern)].map((match) => ({ path, text: match[1]! })));
}

describe('the vocabulary', () => {
  it('holds for file names', () => {
    expect(replacedIn(sources.map(({ path }) => ({ path, text: basename(path) })))).toEqual([]);
  });

  it('holds for exported names', () => {
    const declared = /^export (?:async )?(?:function\*?|const|let|class|interface|type|enum) ([A-Za-z0-9_$]+)/gm;
    expect(replacedIn(matches(declared))).toEqual([]);
  });

  it('holds for log messages', () => {
    const logged = /\b(?:log|logger|\w+Log)\??\.(?:trace|debug|info|warn|error|fatal)\((?:[^'"`;]|`[^`]*`)*?'([^']*)'/g;
    expect(replacedIn(matches(logged))).toEqual([]);
  });

  it('holds for keys of the results of benches', () => {
    const folder = join(ROOT, 'bench/results');
    const results = readdirSync(folder).filter((name) => name.endsWith('.json'));
    const found = results.flatMap((name) => {
      const keys = readFileSync(join(folder, name), 'utf8').matchAll(/"([^"]*)":/g);
      return [...new Set(Array.from(keys, (match) => match[1]!))].map((text) => ({ path: name, text }));
    });
    expect(replacedIn(found)).toEqual([]);
  });

  it('holds for metrics', () => {
    expect(replacedIn(matches(/['"`](antiphon_[a-z0-9_]+)/g))).toEqual([]);
  });

  it('holds for test titles', () => {
    const title = /(?<![.\w])(?:it|test|describe)(?:\.\w+(?:\([^()]*\))?)*\(\s*(?:'((?:[^'\\]|\\.)*)'|`[^`]*`)/g;
    expect(replacedIn(matches(title).filter(({ text }) => text !== undefined))).toEqual([]);
  });
});
