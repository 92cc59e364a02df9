import { z } from 'zod';
import { E164_PATTERN } from '../../shared/phone.ts';
import { userDataInput } from '../calls/call-record.ts';
import { time, timeInput } from '../http/times.ts';
import { MAX_FILE_BYTES, MAX_ROWS } from './contact-file.ts';

export const BATCH_STATUSES = ['scheduled', 'running', 'paused', 'completed', 'canceled'] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];
export const ACTIVE_STATUSES = ['scheduled', 'running', 'paused'] as const satisfies readonly BatchStatus[];

export const CONTACT_STATUSES = [
  'pending',
  'queued',
  'in-progress',
  'retrying',
  'completed',
  'no-answer',
  'busy',
  'failed',
  'voicemail',
  'canceled',
  'skipped',
] as const;
export type ContactStatus = (typeof CONTACT_STATUSES)[number];
/** A contact in one of these does not change any more. */
export const FINAL_STATUSES = [
  'completed',
  'no-answer',
  'busy',
  'failed',
  'voicemail',
  'canceled',
  'skipped',
] as const satisfies readonly ContactStatus[];

export const RETRY_ON = ['no-answer', 'busy', 'failed', 'voicemail'] as const satisfies readonly ContactStatus[];
export type RetryOn = (typeof RETRY_ON)[number];

export const MAX_INLINE_CONTACTS = 1_000;
const MAX_FROM_NUMBERS = 100;
const PHONE_NAMES = 'phone, phone_number, to_number, number, mobile or contact_number';

const contactCount = z.int().describe('contacts in this status');
export const batchRecord = z
  .object({
    id: z.string().describe('the id of the batch'),
    agent_id: z.string().describe('who calls'),
    agent_name: z.string().describe('as the agent was called when the batch was made'),
    name: z.string().describe('shown as `batch <name>` in `started_by` of its calls'),
    status: z.enum(BATCH_STATUSES).describe('`completed` and `canceled` are final'),
    from_numbers: z.array(z.string()).describe('caller numbers, used in turn; none: as for a single call'),
    webhook_url: z.string().describe('receives the lifecycle events of its calls; empty for none'),
    scheduled_at: time().nullable().describe('when it starts, or started; null: at once'),
    concurrency: z.int().nullable().describe('at most this many of its calls live; null: no limit of its own'),
    max_attempts: z.int().describe('calls to one contact at most'),
    retry_after_minutes: z.int().describe('from the end of a call to the next one to the same contact'),
    retry_on: z.array(z.enum(RETRY_ON)).describe('outcomes after which a contact is called again'),
    total: z.int().describe('contacts'),
    counts: z
      .object(
        Object.fromEntries(CONTACT_STATUSES.map((status) => [status, contactCount])) as Record<ContactStatus, z.ZodInt>,
      )
      .describe('how many contacts are in each status'),
    progress: z.int().describe('percent of contacts in a final status, rounded down'),
    paused_reason: z
      .string()
      .describe('why it is paused: `by <person>`, `out of credits`, `too many failures`, `no caller number`, or empty'),
    cost_paise: z.int().describe('its calls so far, without their analyses'),
    currency: z.string().describe('of cost_paise'),
    created_by: z.string().describe('a person, or the label of a key'),
    created_at: time().describe('when it was made'),
    started_at: time().nullable().describe('when it began to call'),
    completed_at: time().nullable().describe('when it was completed or canceled'),
  })
  .meta({ id: 'Batch' });
export type BatchRecord = z.output<typeof batchRecord>;

export const contactRecord = z
  .object({
    id: z.string().describe('the id of the contact'),
    row: z.int().describe('as in the file, whose header is row 1; from 1 in a list'),
    to_number: z.string().describe('E.164'),
    user_data: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe('values of the variables in welcome message and prompt'),
    status: z.enum(CONTACT_STATUSES).describe('where it stands'),
    attempts: z.int().describe('calls placed; what expired in the queue is not counted'),
    next_attempt_at: time().nullable().describe('while `retrying`: not called again before'),
    call_id: z.string().nullable().describe('the last call'),
    duration_seconds: z.int().describe('of the last call'),
    hangup_reason: z.string().describe('of the last call, or why the contact was skipped'),
    cost_paise: z.int().describe('of all its calls'),
    updated_at: time().describe('when it last changed'),
  })
  .meta({ id: 'BatchContact' });

export const uploadRecord = z
  .object({
    id: z.string().describe('for `upload_id` of a batch'),
    file_name: z.string().describe('as it was sent'),
    columns: z.array(z.string()).describe('the header'),
    phone_column: z.string().describe('the column with the numbers'),
    total_rows: z.int().describe('rows that are not empty'),
    valid_rows: z.int().describe('contacts of a batch made from it'),
    duplicate_rows: z.int().describe('numbers of an earlier row'),
    invalid_rows: z.int().describe('rows that cannot be called'),
    errors: z
      .array(
        z.object({
          row: z.int().describe('as a spreadsheet counts: the header is row 1'),
          column: z.string().describe('empty when it is the row as a whole'),
          msg: z.string().describe('what is wrong'),
        }),
      )
      .describe('the first 100'),
    preview: z.array(z.record(z.string(), z.string())).describe('the first 5 rows by column'),
    created_at: time().describe('when it was sent'),
    expires_at: time().describe('deleted then, 24 hours later'),
  })
  .meta({ id: 'ContactUpload' });
export type UploadRecord = z.output<typeof uploadRecord>;

export const uploadForm = z.object({
  file: z
    .custom<Buffer>((value) => value instanceof Buffer, 'Field required')
    .meta({
      type: 'string',
      format: 'binary',
      description: `CSV in UTF-8 with a header, at most ${MAX_FILE_BYTES / 1024 / 1024} MB and ${MAX_ROWS} rows`,
    }),
  phone_column: z.string().max(200).default('').describe(`the column with the numbers; else ${PHONE_NAMES}`),
  country_code: z
    .string()
    .trim()
    .regex(/^\+?[1-9][0-9]{0,2}$/)
    .default('91')
    .transform((code) => code.replace('+', ''))
    .describe('of numbers without a plus'),
});

const name = z.string().trim().min(1).max(120).describe('shown as `batch <name>` in `started_by` of its calls');
const webhookUrl = z.string().max(500).describe('https; receives the lifecycle events of its calls');
const concurrency = z.int().min(1).max(100).nullable().describe('at most this many of its calls live');

export const newBatch = z
  .object({
    agent_id: z
      .string()
      .regex(/^[a-f0-9]{32}$/)
      .describe('who calls'),
    upload_id: z
      .string()
      .regex(/^[a-f0-9]{32}$/)
      .optional()
      .describe('a file of contacts; or send `contacts`'),
    contacts: z
      .array(
        z.object({
          to_number: z.string().regex(E164_PATTERN).describe('E.164'),
          user_data: userDataInput.default({}),
        }),
      )
      .min(1)
      .max(MAX_INLINE_CONTACTS)
      .optional()
      .describe('a number that comes again is skipped'),
    name: name.optional().describe('default `Batch of <date>`'),
    from_numbers: z
      .array(z.string().regex(E164_PATTERN))
      .max(MAX_FROM_NUMBERS)
      .default([])
      .describe("the workspace's active numbers to call from, used in turn"),
    webhook_url: webhookUrl.default(''),
    scheduled_at: timeInput('starts then, at most 30 days ahead; at once when it is past').optional(),
    concurrency: concurrency.default(null),
    max_attempts: z.int().min(1).max(5).default(1).describe('calls to one contact at most'),
    retry_after_minutes: z.int().min(5).max(1440).default(60).describe('until a contact is called again'),
    retry_on: z
      .array(z.enum(RETRY_ON))
      .max(10)
      .default(['no-answer', 'busy'])
      .describe('outcomes after which a contact is called again'),
  })
  .superRefine(({ upload_id, contacts }, context) => {
    if ((upload_id === undefined) === (contacts === undefined)) {
      context.addIssue({ code: 'custom', message: 'send either upload_id or contacts', path: ['contacts'] });
    }
  });
export type NewBatch = z.output<typeof newBatch>;

export const batchChange = z.object({
  name: name.optional(),
  webhook_url: webhookUrl.optional().describe('empty for none'),
  concurrency: concurrency.optional(),
});
export type BatchChange = z.output<typeof batchChange>;
