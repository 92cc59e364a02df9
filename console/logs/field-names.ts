import { fieldName as agentFieldName } from '../agent-versions/field-names.ts';
import { t } from '../texts/texts.ts';

/** What a field in the changes of an audit event is called; the path itself where it is newer than this list. */
export function changedFieldName(targetKind: string, path: string): string {
  if (targetKind === 'agent' && path !== 'status') return agentFieldName(path);
  return names()[path] ?? path;
}

const names = (): Record<string, string> => ({
  name: t('Name'),
  status: t('Status'),
  state: t('Status'),
  role: t('Role'),
  currency: t('Currency'),
  language: t('Language'),
  timezone: t('Time zone'),
  avatar: t('Picture'),
  description: t('Description'),
  concurrency: t('Calls at the same time at most'),
  webhook_url: t('Webhook address'),
  // Of a workspace.
  alert_emails: t('Emails for alerts'),
  'profile.company_name': t('Company'),
  'profile.website': t('Website'),
  'profile.industry': t('Industry'),
  'profile.use_case': t('What the calls are for'),
  'profile.team_size': t('Size of the team'),
  'profile.monthly_calls': t('Calls in a month'),
  'profile.phone': t('Phone'),
  'profile.country': t('Country'),
  'system_logs.enabled': t('Write server logs'),
  'system_logs.level': t('Lowest level that is written'),
  'security.confirm_password': t('Ask for the password again'),
  'security.keys_may_make_keys': t('Let keys make keys'),
  concurrency_limit: t('Calls at the same time at most'),
  extra_lines: t('Call lines'),
  plan_id: t('Plan'),
  own_price_per_minute_paise: t('Price of a minute (paise)'),
  own_browser_price_per_minute_paise: t('Price of a minute in the browser (paise)'),
  // Of business details.
  legal_name: t('Legal name'),
  business_type: t('Kind of business'),
  pan: t('PAN'),
  gstin: t('GSTIN'),
  cin: t('CIN'),
  tax_id: t('Tax ID'),
  website: t('Website'),
  address: t('Address'),
  contact_name: t('Contact name'),
  contact_email: t('Contact email'),
  contact_phone: t('Contact phone'),
  use_case: t('What the calls are for'),
  sample_script: t('What an agent would say'),
  // Of a webhook, an app and a tool.
  url: t('Address'),
  events: t('Events'),
  active: t('In use'),
  redirect_uris: t('Redirect addresses'),
  kind: t('Kind'),
  method: t('Method'),
  headers: t('Headers'),
  parameters: t('Parameters'),
  pre_call_message: t('Said meanwhile'),
  timeout_seconds: t('Time-out'),
  results: t('What the model gets'),
  // Of a test's scenario.
  max_turns: t('Most turns of the caller'),
  persona: t('Caller'),
  first_message: t('What the caller says first'),
  user_data: t('Values of variables'),
  criteria: t('Criteria'),
  tool_results: t('Results of tools'),
});
