import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { deliveryFiltersIn } from '../../console/webhooks/delivery-filters.ts';
import { exampleOf } from '../../console/webhooks/event-examples.ts';
import { eventText } from '../../console/webhooks/event-texts.ts';
import { VERIFY_EXAMPLES } from '../../console/webhooks/verify-examples.ts';
import { answerText, readable, receiverText } from '../../console/webhooks/webhook-texts.ts';
import { envelope, pingEnvelope } from '../../control/webhooks/envelope.ts';
import { DELIVERED_TYPES } from '../../control/webhooks/event-types.ts';
import { signatureHeader } from '../../control/webhooks/webhook-secrets.ts';

const run = promisify(execFile);

describe('code that checks signatures', () => {
  const SECRET = 'whsec_5f2b1c';
  const AT_MS = Date.UTC(2026, 10, 23, 9);
  const BODY = '{"type":"call.completed","text":"नमस्ते"}';
  const HEADER = signatureHeader(SECRET, BODY, AT_MS);
  const folder = mkdtempSync(join(tmpdir(), 'verify-examples-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Secret, header, body, seconds since the signature, genuine. */
  const CASES: [string, string, string, number, boolean][] = [
    [SECRET, HEADER, BODY, 2, true],
    [SECRET, HEADER, BODY, 301, false],
    [SECRET, HEADER, `${BODY} `, 2, false],
    ['whsec_other', HEADER, BODY, 2, false],
    [SECRET, signatureHeader(SECRET, BODY, AT_MS + 303_000), BODY, 2, false],
    [SECRET, HEADER.slice(0, -2), BODY, 2, false],
    [SECRET, HEADER.replace(/.$/, (last) => (last === '0' ? '1' : '0')), BODY, 2, false],
    [SECRET, 'garbage', BODY, 2, false],
    [SECRET, '', BODY, 2, false],
    [SECRET, `t=${'9'.repeat(5_000)},v1=${'0'.repeat(64)}`, BODY, 2, false],
    [SECRET, `t=²,v1=${'0'.repeat(64)}`, BODY, 2, false],
    [SECRET, `t=${AT_MS / 1_000},v1=नमस्ते`, BODY, 2, false],
  ];
  const codeOf = (name: string) => VERIFY_EXAMPLES.find((each) => each.name === name)!.code;
  const isInstalled = (command: string, argument: string) => {
    try {
      execFileSync(command, [argument], { stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  };

  it('in TypeScript accepts what the service signs, and nothing else', async () => {
    const file = join(folder, 'verify.ts');
    writeFileSync(file, codeOf('typescript'));
    const { isGenuine } = await import(/* @vite-ignore */ pathToFileURL(file).href);
    for (const [secret, header, body, age, genuine] of CASES) {
      expect(isGenuine(secret, header, body, AT_MS / 1_000 + age)).toBe(genuine);
    }
  });

  const PROGRAMS = [
    {
      ...{ name: 'python', command: 'python3', version: '--version', file: 'verify.py' },
      program: `${codeOf('python')}\nimport sys\ns, h, b, now = sys.argv[1:]\nprint(is_genuine(s, h, b.encode(), int(now)))\n`,
    },
    {
      ...{ name: 'php', command: 'php', version: '--version', file: 'verify.php' },
      program: `${codeOf('php')}\necho is_genuine($argv[1], $argv[2], $argv[3], (int) $argv[4]) ? 'True' : 'False';\n`,
    },
    {
      ...{ name: 'go', command: 'go', version: 'version', file: 'verify.go' },
      program: `${codeOf('go').replace('package webhook', 'package main').replace('"strings"', '"strings"\n\t"fmt"\n\t"os"')}
func main() {
	now, _ := strconv.ParseInt(os.Args[4], 10, 64)
	if IsGenuine(os.Args[1], os.Args[2], []byte(os.Args[3]), time.Unix(now, 0)) { fmt.Println("True") } else { fmt.Println("False") }
}
`,
    },
  ];
  for (const { name, command, version, file, program } of PROGRAMS) {
    it.skipIf(!isInstalled(command, version))(`in ${name} does the same`, async () => {
      const path = join(folder, file);
      writeFileSync(path, program);
      for (const [secret, header, body, age, genuine] of CASES) {
        const start = name === 'go' ? ['run', path] : [path];
        const { stdout } = await run(command, [...start, secret, header, body, String(AT_MS / 1_000 + age)]);
        expect(stdout.trim()).toBe(genuine ? 'True' : 'False');
      }
    });
  }

  it('is the code of the documentation', () => {
    const page = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8');
    for (const name of ['python', 'go', 'php']) expect(page).toContain(`\`\`\`${name}\n${codeOf(name)}\`\`\``);
  });
});

describe('events', () => {
  it('each have an example with the fields of a real body, and a text', () => {
    const subject = { workspace_id: 'w', call_id: 'c', agent_id: 'a' };
    const event = { id: 'e', type: 'error', created_at: new Date(), message: '', level: 'info', latency_ms: null };
    const real = JSON.parse(envelope(subject, { ...event, data: {} } as never));
    for (const type of DELIVERED_TYPES) {
      const example = exampleOf(type)!;
      expect(Object.keys(example), type).toEqual(Object.keys(real));
      expect(Object.keys(example.data as object).slice(0, 3)).toEqual(Object.keys(real.data));
      expect(example.type).toBe(type);
      expect(eventText(type, '')).not.toBe('');
    }
    const ping = JSON.parse(pingEnvelope('w', new Date()));
    expect(exampleOf('ping')).toEqual({ ...ping, workspace_id: expect.any(String), created_at: expect.any(String) });
  });

  it('that the page does not know have the text of the API, and no example', () => {
    expect(eventText('call.sung', 'the agent sang')).toBe('the agent sang');
    expect(exampleOf('call.sung')).toBeNull();
    expect(exampleOf('toString')).toBeNull();
  });
});

describe('deliveries', () => {
  const endpoint = `we_${'a'.repeat(32)}`;

  it('are filtered by what stands in the address, without what is no filter', () => {
    const call = 'b'.repeat(32);
    const query = { endpoint, event: 'call.ended', status: 'failed', call };
    expect(deliveryFiltersIn(query, ['ping', 'call.ended'])).toEqual({
      ...{ endpointId: endpoint, eventType: ['call.ended'], status: ['failed'], callId: call },
    });
    expect(deliveryFiltersIn({ endpoint: 'x', event: 'x', status: 'x', call: 'x' }, ['ping'])).toEqual({});
    expect(deliveryFiltersIn({ endpoint: 'agent' }, [])).toEqual({ endpointId: 'agent' });
  });

  it('say what was answered', () => {
    const attempt = { last_attempt_at: '2026-11-23T09:12:44+00:00', last_error: '', last_status_code: 200 };
    expect(answerText(attempt)).toBe('Answered 200');
    expect(answerText({ ...attempt, last_status_code: 1_500, last_error: 'status 1500' })).toBe('Answered 1500');
    expect(answerText({ ...attempt, last_status_code: 302, last_error: 'redirect' })).toContain('redirect');
    expect(answerText({ ...attempt, last_status_code: null, last_error: 'timeout' })).toContain('10 seconds');
    expect(answerText({ last_attempt_at: null, last_error: '', last_status_code: null })).toBe('Not sent yet');
    expect(receiverText('campaign', 'https://example.com/x')).toBe('example.com (of the batch)');
    expect(readable('{"a":1}')).toBe('{\n  "a": 1\n}');
    expect(readable('thank you')).toBe('thank you');
  });
});
