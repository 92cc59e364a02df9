import account from './hi/account.json';
import agentTests from './hi/agent-tests.json';
import agentVersions from './hi/agent-versions.json';
import agents from './hi/agents.json';
import batches from './hi/batches.json';
import billing from './hi/billing.json';
import calls from './hi/calls.json';
import common from './hi/common.json';
import home from './hi/home.json';
import knowledge from './hi/knowledge.json';
import logs from './hi/logs.json';
import numbers from './hi/numbers.json';
import talk from './hi/talk.json';
import tools from './hi/tools.json';
import webhooks from './hi/webhooks.json';
import workspace from './hi/workspace.json';
import service from './service-hi.json';

/** Every Hindi text, by its English one. Loaded by those who read Hindi only. */
export const HINDI: Record<string, string> = {
  ...common,
  ...{
    ...account,
    ...agents,
    ...agentTests,
    ...agentVersions,
    ...batches,
    ...billing,
    ...calls,
    ...home,
    ...knowledge,
    ...logs,
  },
  ...{ ...numbers, ...talk, ...tools, ...webhooks, ...workspace },
};

/** What the service writes in English (`service-text.ts`), by that text; `{{name}}` stands for what differs. */
export const SERVICE_HINDI: Record<string, string> = service;
