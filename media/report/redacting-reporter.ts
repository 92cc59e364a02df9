import type { Clock, Timer } from '../../shared/clock.ts';
import type { EventType } from '../../shared/events.ts';
import { digitRuns } from '../../shared/redaction/digit-runs.ts';
import { type FoundPart, findNumbers, type RedactionSettings } from '../../shared/redaction/find-numbers.ts';
import { redactJson, redactText, replaceParts } from '../../shared/redaction/redact-json.ts';
import { TRANSCRIPT_ROLES, type TranscriptRole } from '../../shared/transcript.ts';
import type { EventDetails, Reporter } from './reporter.ts';

/**
 * The one way out for everything that is known of a call whose agent redacts numbers: events with their words, transcript and data, and
 * the texts of requests to control. The call itself, its model and its tools have the real words.
 *
 * A number may be dictated in several turns, and what was published cannot be taken back. So the events after a turn that ends among
 * digits wait until the same speaker's next turn shows what they were, at most 30 seconds, and never beyond the end of the call.
 */
export interface Redactor {
  readonly reporter: Reporter;
  /** A request to control without the numbers. */
  redact<T>(request: T): T;
}

const MAX_WAIT_MS = 30_000;
const MAX_WAITING = 200;
const WITHHELD = '[redacted]';
/** Fewer digits at the end of a turn are a count or a time. */
const MIN_OPEN_DIGITS = 2;
const CONTEXT_CHARACTERS = 300;
/** Numbers of a call that are remembered. */
const MAX_NUMBERS = 50;

interface Waiting {
  type: EventType;
  message: string;
  details: EventDetails;
}

/** One text of a speaker among the events that wait. */
interface Spoken {
  role: TranscriptRole;
  text: string;
  event: number;
  /** Index in the event's transcript; -1 for its message. */
  line: number;
}

export interface RedactorOptions {
  settings: RedactionSettings;
  reporter: Reporter;
  clock: Clock;
}

export function createRedactor({ settings, reporter, clock }: RedactorOptions): Redactor {
  /** Digits of numbers that were found. */
  const numbers = new Set<string>();
  const codes = new Set<string>();
  let waiting: Waiting[] = [];
  let published = '';
  let timer: Timer | null = null;

  function release(): void {
    timer?.cancel();
    timer = null;
    const events = waiting;
    waiting = [];
    try {
      for (const { type, message, details } of redacted(events)) reporter.report(type, message, details);
    } catch {
      // Rather an event without words than one with a number, or a call without its end.
      for (const { type, details } of events) {
        const { transcript, data, ...rest } = details;
        const lines = transcript?.map((line) => ({ ...line, text: WITHHELD }));
        reporter.report(type, WITHHELD, { ...rest, ...(lines ? { transcript: lines } : {}) });
      }
    }
  }

  function redacted(events: readonly Waiting[]): Waiting[] {
    const spoken = events.flatMap(spokenIn);
    const parts = partsOf(spoken);
    const lines = new Map(spoken.map(({ event, line }, index) => [`${event} ${line}`, parts[index]!]));
    const known = { numbers, exact: codes };
    const context = published;
    published = (published + spoken.map(({ text }) => ` ${text}`).join('')).slice(-CONTEXT_CHARACTERS);
    return events.map(({ type, message, details }, event) => {
      const clean = (text: string, line: number) =>
        redactText(replaceParts(text, lines.get(`${event} ${line}`) ?? []), settings, known, context);
      const transcript = details.transcript?.map((item, line) => ({ ...item, text: clean(item.text, line) }));
      const same = details.transcript?.findIndex(({ text }) => text === message) ?? -1;
      return {
        type,
        message: same >= 0 ? transcript![same]!.text : clean(message, -1),
        details: {
          ...details,
          ...(details.data ? { data: redactJson(details.data, settings, known) as Record<string, unknown> } : {}),
          ...(transcript ? { transcript } : {}),
        },
      };
    });
  }

  /** What was found in each text; each speaker's texts count as one. */
  function partsOf(spoken: readonly Spoken[]): FoundPart[][] {
    const parts: FoundPart[][] = spoken.map(() => []);
    for (const role of TRANSCRIPT_ROLES) {
      const own = [...spoken.keys()].filter((index) => spoken[index]!.role === role);
      const texts = own.map((index) => spoken[index]!.text);
      const before = (text: number) =>
        `${published} ${spoken
          .slice(0, own[text])
          .map((each) => each.text)
          .join(' ')}`;
      const found = findNumbers(texts, settings, before);
      remember(found);
      for (const part of found) parts[own[part.text]!]!.push(part);
    }
    return parts;
  }

  function remember(found: readonly FoundPart[]): void {
    let whole = '';
    for (const [index, { kind, digits }] of found.entries()) {
      if (kind === 'card security code') codes.add(digits);
      if (kind === 'card security code' || kind === 'card expiry') continue;
      // The parts of one number follow each other, each in a text of its own.
      const goesOn = index > 0 && found[index - 1]!.kind === kind && found[index - 1]!.text < found[index]!.text;
      whole = goesOn ? whole + digits : digits;
      if (numbers.size < MAX_NUMBERS) numbers.add(whole);
    }
  }

  /** A speaker's last turn ends among digits that may go on. */
  function isOpen(): boolean {
    const spoken = waiting.flatMap(spokenIn);
    return TRANSCRIPT_ROLES.some((role) => {
      const texts = spoken.filter((each) => each.role === role).map(({ text }) => text);
      const run = digitRuns(texts).at(-1);
      const complete = () => findNumbers(texts, settings).some(({ text, to }) => endsWith(run!, text, to));
      return run && !run.closed && digitsOf(run) >= MIN_OPEN_DIGITS && !complete();
    });
  }

  return {
    reporter: {
      report(type, message, details = {}) {
        waiting.push({ type, message, details: { ...details, at_ms: details.at_ms ?? clock.wall() } });
        if (details.ending || waiting.length >= MAX_WAITING || !isOpen()) release();
        else timer ??= clock.after(MAX_WAIT_MS, release);
      },
      flushed() {
        release();
        return reporter.flushed();
      },
    },
    redact: <T>(request: T) => {
      partsOf(waiting.flatMap(spokenIn));
      return redactJson(request, settings, { numbers, exact: codes }) as T;
    },
  };
}

const digitsOf = (run: { groups: { digits: string }[] }) =>
  run.groups.reduce((sum, each) => sum + each.digits.length, 0);

function endsWith(run: { groups: { text: number; to: number }[] }, text: number, to: number): boolean {
  const last = run.groups.at(-1)!;
  return last.text === text && last.to === to;
}

/** The words of an event: its transcript, and its message where that is speech or keys and not in the transcript. */
function spokenIn({ type, message, details }: Waiting, event: number): Spoken[] {
  const lines = (details.transcript ?? []).map(({ role, text }, line) => ({ role, text, event, line }));
  const role = SPEAKERS.get(type);
  if (!role || lines.some(({ text }) => text === message)) return lines;
  return [...lines, { role, text: message, event, line: -1 }];
}

const SPEAKERS = new Map<EventType, TranscriptRole>([
  ['user.turn', 'user'],
  ['call.dtmf', 'user'],
  ['agent.reply', 'agent'],
  ['human_agent.turn', 'human_agent'],
  ['welcome', 'agent'],
]);
