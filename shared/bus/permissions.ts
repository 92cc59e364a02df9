import { EVENTS_CONSUMER } from './event-consumer.ts';
import {
  BOOK_CALLBACK,
  CONTROL_QUEUE,
  commandsTo,
  EVENTS_FILTER,
  EVENTS_STREAM,
  engineIdOf,
  FETCH_AMBIENT_SOUND,
  HEARTBEAT,
  inboxOf,
  liveOrdersTo,
  MEDIA_QUEUE,
  OPEN_HANDOFF,
  OPEN_SESSION,
  PERMITS_FILTER,
  PERMITS_STREAM,
  PROVIDER_FULL,
  recordingOrdersTo,
  SEARCH_KNOWLEDGE,
  START_TEST_CALL,
  START_TRANSFER,
  testEventsOf,
  testTurnsOf,
  transferOutcomesOf,
  WAKE_UP,
} from './subjects.ts';

/**
 * What each program may publish and subscribe to, when the bus has users: the one list, from which the server's configuration is written.
 *
 * An engine publishes what happens in its calls and asks control; it receives answers and commands for itself. It cannot read what other
 * engines receive, command them, nor read the streams. The ids of calls and of engines' processes cannot be guessed and are
 * not shown to other engines, so that it cannot publish for a call of theirs either. All engines manage the permits of providers'
 * accounts together: one of them may take or free all of those.
 *
 * A subscription may be allowed with its queue only, `subject queue` (docs.nats.io, authorization): who subscribes without it would get a
 * copy of every message.
 */
export interface BusPermissions {
  publish: readonly string[];
  subscribe: readonly string[];
}

export const CONTROL_USER = 'control';

/** To one engine; `user` is `*` for all. */
const toEngines = (user: string) => {
  const engineId = engineIdOf(user, '*');
  return [
    commandsTo(engineId, '*'),
    recordingOrdersTo(engineId, '*'),
    liveOrdersTo(engineId, '*'),
    transferOutcomesOf(engineId, '*'),
    testTurnsOf(engineId, '*'),
  ];
};
/** To engines without a user of their own, which there may be while users are introduced. */
const TO_UNNAMED_ENGINES = [
  commandsTo('', '*'),
  recordingOrdersTo('', '*'),
  liveOrdersTo('', '*'),
  transferOutcomesOf('', '*'),
  testTurnsOf('', '*'),
];
const REQUESTS = [OPEN_SESSION, SEARCH_KNOWLEDGE, FETCH_AMBIENT_SOUND, START_TRANSFER, BOOK_CALLBACK, OPEN_HANDOFF];

/** Requests to the server about a stream (docs.nats.io, reference, JetStream wire API). */
const streamApi = (stream: string, ...verbs: string[]) => verbs.map((verb) => `$JS.API.STREAM.${verb}.${stream}`);
const consumerApi = (...verbs: string[]) =>
  verbs.map((verb) => `$JS.API.CONSUMER.${verb}.${EVENTS_STREAM}.${EVENTS_CONSUMER}`);

/** @param user the engine's, whose name its id begins with. */
export const engineMay = (user: string): BusPermissions => ({
  publish: [
    EVENTS_FILTER,
    ...REQUESTS,
    HEARTBEAT,
    testEventsOf('*'),
    PROVIDER_FULL,
    PERMITS_FILTER,
    // To see which permits are held, and to free one.
    ...streamApi(PERMITS_STREAM, 'INFO', 'PURGE'),
  ],
  subscribe: [`${inboxOf(user)}.>`, ...toEngines(user), `${START_TEST_CALL} ${MEDIA_QUEUE}`, PROVIDER_FULL],
});

export const controlMay = (): BusPermissions => ({
  publish: [
    ...toEngines('*'),
    ...TO_UNNAMED_ENGINES,
    START_TEST_CALL,
    WAKE_UP,
    '$JS.API.INFO',
    ...streamApi(EVENTS_STREAM, 'CREATE', 'UPDATE', 'INFO', 'PURGE', 'MSG.GET'),
    ...streamApi(PERMITS_STREAM, 'CREATE', 'UPDATE', 'INFO'),
    // The client creates a durable consumer by the second from server 2.9 on.
    ...consumerApi('DURABLE.CREATE', 'CREATE', 'INFO', 'MSG.NEXT'),
    `$JS.ACK.${EVENTS_STREAM}.${EVENTS_CONSUMER}.>`,
  ],
  subscribe: [
    `${inboxOf(CONTROL_USER)}.>`,
    ...REQUESTS.map((subject) => `${subject} ${CONTROL_QUEUE}`),
    HEARTBEAT,
    WAKE_UP,
    testEventsOf('*'),
  ],
});

/** A user of the bus, known by the public half of its NKey. */
export interface BusUser {
  name: string;
  publicKey: string;
}

export interface ServerConfigOptions {
  control: BusUser;
  engines: readonly BusUser[];
  /** Where the server keeps its streams. */
  storeDir: string;
  /** Where the server answers `/healthz`, `127.0.0.1:8222`; left out: nowhere. */
  monitoring?: string;
}

/**
 * The configuration of a NATS server that knows these users and nobody else (docs.nats.io, NKeys and authorization). There is
 * nothing secret in it. Who is asked may answer once, within two minutes (`allow_responses`).
 */
export function serverConfig({ control, engines, storeDir, monitoring }: ServerConfigOptions): string {
  const user = ({ name, publicKey }: BusUser, { publish, subscribe }: BusPermissions) =>
    [
      `    # ${name}`,
      '    {',
      `      nkey: ${publicKey}`,
      '      permissions: {',
      `        publish: ${list(publish)}`,
      `        subscribe: ${list(subscribe)}`,
      '        allow_responses: true',
      '      }',
      '    }',
    ].join('\n');
  return [
    '# Written by Antiphon from shared/bus/permissions.ts.',
    // Here and not by `-js`: a server of 2.9 that has it from there stops it when it reads this file again.
    `jetstream { store_dir: "${storeDir}" }`,
    ...(monitoring === undefined ? [] : [`http: "${monitoring}"`]),
    'authorization {',
    '  users: [',
    user(control, controlMay()),
    ...engines.map((engine) => user(engine, engineMay(engine.name))),
    '  ]',
    '}',
    '',
  ].join('\n');
}

const list = (subjects: readonly string[]) =>
  ['{ allow: [', ...subjects.map((subject) => `          "${subject}"`), '        ] }'].join('\n');
