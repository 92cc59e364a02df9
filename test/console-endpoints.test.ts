import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** Every endpoint of the API has its place in the console, or a reason why not. */

const CONSOLE = join(import.meta.dirname, '../console');

/** Read as a file, at an address that is not written by the generated function. */
const AS_FILES = [
  'getAmbientSoundAudio',
  'getVoicesVoiceIdPreview',
  'getCallsCallIdRecording',
  'getBatchesBatchIdResults',
  'getTestRunsRunIdRecording',
  'getBillingInvoicesInvoiceIdPdf',
  'getCallerIdRequestIdLogo',
];

const ELSEWHERE: Record<string, string> = {
  getAuthMe: 'read before the pages are loaded, by a request of api.ts',
  postAuthLogout: 'sent by api.ts, also where the pages are not loaded',
  getInvitesInvite: "the link of an invite opens a page of control's own, for people without an account",
  postInvitesInviteAccept: 'the same',
  getBatchesUploadsUploadId:
    'the answer to the upload has all that the page shows; after a reload one chooses the file again',
  postAgentsAgentIdStreamCall: 'for programs that carry the audio themselves; a page calls over WebRTC',
  getTestRunsRunId: 'the runs of a scenario are read as a list, which has each whole',
};

const generated = readFileSync(join(CONSOLE, 'generated/api.ts'), 'utf8');
const endpoints = [...generated.matchAll(/^export (?:async )?function (\w+)\(/gm)].map((match) => match[1]!);
const pages = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !/^(dist|generated)\//.test(name))
  .map((name) => readFileSync(join(CONSOLE, name), 'utf8'))
  .join('\n');

it('every endpoint is used by a page, or has a reason', () => {
  const unused = endpoints.filter((name) => !new RegExp(`\\b${name}\\b`).test(pages));
  expect(endpoints.length).toBeGreaterThan(168);
  expect(unused.toSorted()).toEqual([...AS_FILES, ...Object.keys(ELSEWHERE)].toSorted());
});
