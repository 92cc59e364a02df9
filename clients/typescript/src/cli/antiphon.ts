#!/usr/bin/env node
import { runCli } from './run-cli.ts';

const ended = new AbortController();
process.once('SIGINT', () => ended.abort());

process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  print: (text) => process.stdout.write(`${text}\n`),
  printError: (text) => process.stderr.write(`${text}\n`),
  signal: ended.signal,
});
