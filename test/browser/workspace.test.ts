import type { Browser, Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../shared/ids.ts';
import { CHROMIUM, sharedChromium } from '../support/chromium.ts';
import { type ConsoleFixture, startConsole } from '../support/console-fixture.ts';
import { pngFile } from '../support/image-files.ts';
import { lookAt } from '../support/page-checks.ts';
import { openSignedIn } from '../support/sign-in-page.ts';
import { tryAgainUntil } from '../support/try-again.ts';

/** The pages of the workspace, in a real browser; skipped where there is none. */

let fixture: ConsoleFixture;
let browser: Browser;

beforeAll(async () => {
  if (!CHROMIUM) return;
  [fixture, browser] = await Promise.all([startConsole(), sharedChromium()]);
});
// All tests share one address, which may sign in and fail so often only.
beforeEach(async () => {
  if (CHROMIUM) await fixture.api.sql`delete from attempts`;
});

type User = Awaited<ReturnType<ConsoleFixture['newUser']>>;

const opened = (user: User, path: string) => openSignedIn(browser, `${fixture.url}${path}`, user);

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** As if the password had been entered an hour ago. */
const confirmationIsOver = () => fixture.api.sql`update sessions set confirmed_at = now() - interval '1 hour'`;

async function confirm(page: Page, { password }: User): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByLabel('Password').fill(password);
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await dialog.waitFor({ state: 'detached' });
}

const one = async <Row extends object>(rows: PromiseLike<readonly Row[]>): Promise<Row> => (await rows)[0]!;

describe.skipIf(!CHROMIUM)('the workspace in the console', () => {
  it('is renamed and described, and its logs and security are switched', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/workspace');
    await page.getByRole('heading', { name: 'Acme Clinics' }).waitFor();
    await page.getByText('Export of all data').waitFor();
    await page.getByLabel('Country').selectOption('India');
    await page.getByLabel('Name', { exact: true }).fill('');
    await button(page, 'Save').click();
    await page.getByText('This is needed.').waitFor();
    await lookAt(page, 'workspace');

    await page.getByLabel('Name', { exact: true }).fill('Acme Hospitals');
    await page.getByLabel('Time zone', { exact: true }).selectOption('Asia/Dubai');
    await page.getByLabel('Emails for alerts').fill('a@example.com, b@example.com');
    await button(page, 'Save').click();
    await page.getByRole('heading', { name: 'Acme Hospitals' }).waitFor();
    await page.locator('.frame-side').getByText('Acme Hospitals').waitFor();
    await page.getByLabel('Company').fill('Acme Hospitals Ltd');
    await page.getByLabel('Industry').selectOption('Healthcare');
    await button(page, 'Save profile').click();
    await expect
      .poll(() =>
        one(fixture.api.sql`
          select name, timezone, alert_emails, profile from workspaces where id = ${user.workspace_id}`),
      )
      .toMatchObject({
        ...{ name: 'Acme Hospitals', timezone: 'Asia/Dubai', alert_emails: ['a@example.com', 'b@example.com'] },
        profile: { company_name: 'Acme Hospitals Ltd', industry: 'healthcare', country: 'IN' },
      });

    await page.getByLabel('Lowest level that is written').selectOption('Errors only');
    await confirmationIsOver();
    await page.getByLabel('Let keys make keys').click();
    await confirm(page, user);
    await expect
      .poll(() =>
        one(fixture.api.sql`
          select system_logs_level, keys_may_make_keys from workspaces where id = ${user.workspace_id}`),
      )
      .toEqual({ system_logs_level: 'error', keys_may_make_keys: true });
    expect(complaints).toEqual([]);
  });

  it('is exported, once at a time', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/workspace');
    await button(page, 'Start an export').click();
    await page.getByText('Starts soon').waitFor();
    await button(page, 'Start an export').click();
    await page.getByText('An export is being made already.').waitFor();
    await fixture.api.sql`
      update workspace_exports set status = 'ready', records = 12, size_bytes = 2400000,
        finished_at = now(), expires_at = now() + interval '7 days'
      where workspace_id = ${user.workspace_id}`;
    await page.getByText('12 records · 2.4 MB').waitFor();
    // The archive itself is not in the store.
    await button(page, 'Download').click();
    await page.locator('.rows .error:not(:empty)').waitFor();
    await button(page, 'Remove').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('list', { name: 'Exports' }).getByRole('listitem').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('has members, whose roles are changed, and who are invited and removed', async () => {
    const user = await fixture.newUser();
    await fixture.api.asUser('developer', user.workspace_id, 'Ravi');
    const { page, complaints } = await opened(user, '/workspace/members');
    await page.getByRole('heading', { name: 'Invite somebody' }).waitFor();
    await page.getByLabel('Email').fill('meera@example.com');
    await confirmationIsOver();
    await button(page, 'Invite').click();
    await confirm(page, user);
    await page.getByText('An email with a link is on its way to meera@example.com.').waitFor();
    await page.getByText('/invites/').waitFor();
    await page.getByLabel('Email').fill('meera@example.com');
    await button(page, 'Invite').click();
    await page.getByText('Already invited.').waitFor();
    await page.getByText('3 of').or(page.getByText('3 seats in use')).waitFor();
    await lookAt(page, 'members');

    await button(page, 'Take back the invite of meera@example.com').click();
    await page.getByText('/invites/').waitFor({ state: 'detached' });
    await page.getByLabel('Role of Ravi').selectOption('Admin');
    await page.getByText('Ravi is now Admin.').waitFor();
    // The only owner stays one.
    await page.getByLabel('Role of Asha').selectOption('Viewer');
    await page.getByText('A workspace always needs an owner.').waitFor();
    await button(page, 'Remove Ravi').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByText('Ravi is no longer a member.').waitFor();
    await page.getByLabel('Role of Ravi').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('submits its business details before it is active, and sees why they were rejected', async () => {
    const user = await fixture.newUser();
    await fixture.api.sql`update workspaces set state = 'onboarding' where id = ${user.workspace_id}`;
    const { page, complaints } = await opened(user, '/workspace/kyc');
    await page.getByRole('heading', { name: 'Business details' }).waitFor();
    await page.getByLabel('Legal name').fill('Acme Clinics Private Limited');
    await page.getByLabel('Kind of business').selectOption('Private limited company');
    await page.getByLabel('PAN', { exact: true }).fill('ABC');
    await button(page, 'Save and submit').click();
    await page.getByText('Some fields need your attention.').waitFor();
    expect(await page.getByLabel('PAN', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('PAN', { exact: true }).fill('ABCDE1234F');
    await page.getByLabel('Street and number').fill('12 MG Road');
    await page.getByLabel('Town or city').fill('Bengaluru');
    await page.getByLabel('State', { exact: true }).selectOption('Karnataka');
    await page.getByLabel('PIN code').fill('560001');
    await page.getByLabel('Contact name').fill('Asha Rao');
    await page.getByLabel('Contact email').fill('asha@example.com');
    await page.getByLabel('Contact phone').fill('+919811112222');
    await page.getByLabel('What the calls are for').fill('Reminders of appointments, which patients have asked for.');
    await button(page, 'Save and submit').click();
    await page.getByText('A document of kind registration is needed.').waitFor();
    const buffer = pngFile({ width: 40, height: 30, color_type: 2, at: () => [11, 122, 108] });
    await page.getByLabel('File').setInputFiles({ name: 'certificate.png', mimeType: 'image/png', buffer });
    await page.locator('.preview img').waitFor();
    await lookAt(page, 'kyc');
    await button(page, 'Upload').click();
    await page.getByRole('list', { name: 'Documents' }).getByText('certificate.png').waitFor();
    await button(page, 'Save and submit').click();
    await page.getByText('Being looked at').waitFor();
    await page.getByText('12 MG Road, Bengaluru, Karnataka, 560001, India').waitFor();
    await lookAt(page, 'kyc-submitted');

    await fixture.api.sql`
      update kyc set status = 'rejected', rejection_reason = 'The name differs.'
      where workspace_id = ${user.workspace_id}`;
    await page.goto(fixture.url);
    await page.getByText('They were not approved: The name differs.').waitFor();
    await page.getByRole('link', { name: 'Enter the business details' }).click();
    await page.getByText('Not approved: The name differs.').waitFor();
    expect(await page.getByLabel('Town or city').inputValue()).toBe('Bengaluru');
    await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Members' }).click();
    await page.getByText('The list of members is shown as soon as the workspace is active.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows its limits, and asks for higher ones', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/workspace/limits');
    await page.getByText('API requests in a minute').waitFor();
    await page.getByLabel('Why').fill('short');
    await button(page, 'Send the request').click();
    await page.getByText('Enter at least 10 characters.').waitFor();
    await page.getByLabel('Live calls at a time').fill('40');
    await page.getByLabel('Why').fill('Reminders go out to all patients in the morning.');
    await lookAt(page, 'limits');
    await button(page, 'Send the request').click();
    await page.getByText('Waiting for an answer').waitFor();
    await button(page, 'Send the request').waitFor({ state: 'detached' });
    await fixture.api.sql`
      update limit_requests set status = 'declined', answer = 'Not yet.' where workspace_id = ${user.workspace_id}`;
    await page.reload();
    await page.getByText('Answer: Not yet.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows the incidents of its agents, which are seen and appealed', async () => {
    const user = await fixture.newUser();
    const rule_id = newId();
    await fixture.api.sql`
      insert into guardrail_rules (id, name, description, category, severity, strikes, updated_at)
      values (${rule_id}, 'No medical advice', 'The agent does not advise on medicines.', 'regulated_advice',
        'violation', 3, now())`;
    const incident = {
      ...{ workspace_id: user.workspace_id, id: newId(), rule_id, rule_name: 'No medical advice' },
      ...{ category: 'regulated_advice', severity: 'violation', agent_id: newId(), agent_name: 'Maya' },
      ...{ call_id: newId(), quote: 'Take two of these.', confidence: 0.9, action: 'notice', strike: 1 },
      created_at: new Date(),
    };
    await fixture.api.sql`insert into guardrail_incidents ${fixture.api.sql(incident)}`;
    const { page, complaints } = await opened(user, '/workspace/guardrails');
    await page.getByText('The agent does not advise on medicines.').waitFor();
    await lookAt(page, 'guardrails');
    await page.getByLabel('Status').selectOption('Dismissed');
    await page.getByText('There are none in this state.').waitFor();
    await page.getByLabel('Status').selectOption('Open');
    await page.getByRole('link', { name: 'No medical advice' }).click();
    await page.getByText('Take two of these.').waitFor();
    await button(page, 'Mark as seen').click();
    await page.getByText('Marked as seen.').waitFor();
    await button(page, 'Appeal against it').click();
    await button(page, 'Send the appeal').click();
    await page.locator('.form .error:not(:empty)').first().waitFor();
    await page.getByLabel('Why it is no incident').fill('The caller asked for the leaflet to be read.');
    await lookAt(page, 'incident');
    await button(page, 'Send the appeal').click();
    await page.getByText('The service has not answered yet.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('says that the service is away, and reads again', async () => {
    const user = await fixture.newUser();
    const { page } = await opened(user, '/workspace/limits');
    await page.getByText('API requests in a minute').waitFor();
    await page.route('**/api/v1/members', (route) => route.abort());
    await page.getByRole('navigation', { name: 'Workspace' }).getByRole('link', { name: 'Members' }).click();
    await page.getByText('The service cannot be reached. Check your connection.').waitFor();
    await page.unroute('**/api/v1/members');
    await tryAgainUntil(page, page.getByLabel('Role of Asha'));
  });

  it('shows viewers what they may see, and nothing to change', async () => {
    const user = await fixture.newUser();
    await fixture.api.sql`
      update memberships set role = 'viewer' where workspace_id = ${user.workspace_id}`;
    await fixture.api.asUser('owner', user.workspace_id, 'Olga');
    const { page, complaints } = await opened(user, '/workspace/members');
    await page.getByText('Olga').waitFor();
    expect(await page.getByRole('button', { name: /Remove|Leave|Invite/ }).count()).toBe(0);
    const tabs = page.getByRole('navigation', { name: 'Workspace' });
    expect(await tabs.getByRole('link', { name: 'Business details' }).count()).toBe(0);
    await tabs.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('Starter').waitFor();
    expect(await button(page, 'Save').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('erases the calls with a person, after a question', async () => {
    const user = await fixture.newUser();
    const { page, complaints } = await opened(user, '/workspace');
    const section = page.getByRole('region', { name: 'Erase the calls with a person' });
    await section.getByLabel('Number of the person').fill('9811');
    await section.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
    await section.locator('.error', { hasText: /\w/ }).first().waitFor();
    await section.getByLabel('Number of the person').fill('+919811112222');
    await section.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Erase' }).click();
    await page.getByText('0 calls are being erased.').waitFor();
    expect(complaints).toEqual([]);
  });
});
