import { resolve } from 'node:path';
import { writeBusKeys } from '../../shared/bus/bus-keys.ts';
import { type Command, UsageError } from './command.ts';

/** The users of the bus. */

const MAX_ENGINES = 1_000;
const NAME = /^[a-z0-9][a-z0-9_-]{0,40}$/;
/** Of the server's answers to health checks, on its own machine only. */
const MONITORING = '127.0.0.1:8222';

export const BUS_COMMANDS: readonly Command[] = [
  {
    name: 'bus keys',
    unattended: true,
    usage: 'FOLDER ENGINE... [--streams FOLDER]',
    description:
      "write the NATS server's configuration and a key for control and for each name of engines; keys that are in the folder are kept; --streams: where the server keeps its streams, in its own folder otherwise",
    example: 'bus keys /etc/antiphon/bus engine-1 engine-2',
    positionals: [2, MAX_ENGINES + 1],
    anySchema: true,
    options: ['streams'],
    async run(_deps, [folder = '', ...engines], { streams }) {
      const wrong = engines.find((name) => !NAME.test(name) || name === 'control');
      if (wrong !== undefined) throw new UsageError(`"${wrong}" is not a name: lower-case letters, digits, - and _`);
      const path = resolve(folder);
      const files = writeBusKeys({
        folder: path,
        engines,
        storeDir: streams === undefined ? `${path}/server` : resolve(streams),
        monitoring: MONITORING,
      });
      const settings = [files.control, ...files.engines].map(
        ({ NATS_NAME, NATS_CREDENTIALS }) => `NATS_NAME=${NATS_NAME} NATS_CREDENTIALS=${NATS_CREDENTIALS}`,
      );
      return { result: files, lines: [`nats-server -c ${files.serverConfig}`, ...settings] };
    },
  },
];
