import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { loadSpeech, type SampleRange, speechNames } from '../../fixtures/speech.ts';
import { readWav } from '../../media/audio/wav.ts';
import { placeWords, speechRanges, type TimedWord } from './speech-text.ts';

/**
 * The recordings of `make pauses`: prompts of Asterisk, spoken by a person at 8 kHz, and those of `fixtures/speech` with a pause
 * in them.
 */

export interface Recording {
  name: string;
  samples: Int16Array;
  /** Ranges of speech, with pauses of at least 200 ms between them. */
  speech: SampleRange[];
  words: TimedWord[];
  /** Its inner pauses. */
  pausesMs: number[];
}

/** A recording is used when its longest inner pause is within these and the whole is not longer than MAX_SECONDS. */
export const MIN_PAUSE_MS = 250;
export const MAX_PAUSE_MS = 1_200;
const MAX_SECONDS = 35;
const MIN_WORDS = 3;
const SAMPLES_PER_MS = 8;

/** Where Debian's packages are, unpacked or installed. */
const PLACES = [join(homedir(), '.cache/antiphon/asterisk-sounds'), '/'];
const SOUNDS = 'usr/share/asterisk/sounds/en_US_f_Allison';
const TEXTS = 'usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz';
export const HOW_TO_GET = [
  'the recordings are not here. On Debian or Ubuntu, as root:',
  '  apt-get install asterisk-core-sounds-en asterisk-core-sounds-en-wav',
  'or, without installing them:',
  `  mkdir -p ${PLACES[0]} && cd ${PLACES[0]}`,
  '  apt-get download asterisk-core-sounds-en asterisk-core-sounds-en-wav',
  '  for package in *.deb; do dpkg -x "$package" .; done',
  'or set PAUSES_SPEECH to a folder of mono WAV files at 8 kHz, each with its words in a .txt file beside it.',
].join('\n');

/** Throws with what to install where there are no recordings. */
export function loadRecordings(folder = process.env.PAUSES_SPEECH): Recording[] {
  const found = folder ? ownRecordings(folder) : asteriskRecordings();
  if (found.length === 0) throw new Error(HOW_TO_GET);
  return [...found, ...fixtureRecordings()].filter(isSuitable);
}

export function isSuitable({ samples, pausesMs, words }: Recording): boolean {
  const longestMs = Math.max(0, ...pausesMs);
  return (
    longestMs >= MIN_PAUSE_MS &&
    longestMs <= MAX_PAUSE_MS &&
    samples.length <= MAX_SECONDS * 1_000 * SAMPLES_PER_MS &&
    words.length >= MIN_WORDS
  );
}

function asteriskRecordings(): Recording[] {
  const place = PLACES.find((each) => existsSync(join(each, SOUNDS)) && existsSync(join(each, TEXTS)));
  if (place === undefined) return [];
  const texts = promptTexts(gunzipSync(readFileSync(join(place, TEXTS))).toString('utf8'));
  return [...texts].flatMap(([name, text]) => {
    const file = join(place, SOUNDS, `${name}.wav`);
    return existsSync(file) ? [recording(name, readFileSync(file), text)] : [];
  });
}

/** Reads Asterisk's list of prompts, `name: words` per line; sounds without words stand in brackets. */
export function promptTexts(list: string): Map<string, string> {
  const texts = new Map<string, string>();
  for (const line of list.split('\n')) {
    const [, name, text] = /^([\w/-]+): +(?!\[)(.+)$/.exec(line) ?? [];
    if (name !== undefined) texts.set(name, text!.replace(/^\.\.\. ?/, ''));
  }
  return texts;
}

function ownRecordings(folder: string): Recording[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.wav') && existsSync(join(folder, file.replace(/wav$/, 'txt'))))
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(folder, file.replace(/wav$/, 'txt')), 'utf8').trim();
      return recording(file.slice(0, -'.wav'.length), readFileSync(join(folder, file)), text);
    });
}

function recording(name: string, bytes: Uint8Array, text: string): Recording {
  const read = readWav(bytes);
  if (read.type === 'invalid') throw new Error(`${name}: ${read.why}`);
  const { sampleRateHz, channels } = read.wav;
  if (sampleRateHz !== SAMPLES_PER_MS * 1_000) throw new Error(`${name}: a rate of ${sampleRateHz} Hz, not 8000`);
  const samples = channels[0]!;
  const speech = speechRanges(samples);
  return { name, samples, speech, words: placeWords(text, speech), pausesMs: pausesOf(speech) };
}

function fixtureRecordings(): Recording[] {
  return speechNames().map((name) => {
    const { samples, speech, text } = loadSpeech(name);
    return { name: `fixtures/${name}`, samples, speech, words: placeWords(text, speech), pausesMs: pausesOf(speech) };
  });
}

function pausesOf(speech: readonly SampleRange[]): number[] {
  return speech.slice(1).map(({ start }, index) => Math.round((start - speech[index]!.end) / SAMPLES_PER_MS));
}
