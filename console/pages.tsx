import { lazy, Route, Router, useRoute } from 'preact-iso';
import { BILLING_PATH } from './address.ts';
import { Agents } from './agents.tsx';
import type { Me } from './api-records.ts';
import type { CheckoutReturn } from './billing/checkout.ts';
import { Heading } from './heading.tsx';

const AccountPage = lazy(async () => (await import('./account/account-page.tsx')).AccountPage);
const BillingPage = lazy(async () => (await import('./billing/billing-page.tsx')).BillingPage);
const CallPage = lazy(async () => (await import('./call-page/call-page.tsx')).CallPage);
const CallsPage = lazy(async () => (await import('./calls/calls-page.tsx')).CallsPage);
const CallRecordPage = lazy(async () => (await import('./calls/call-record-page.tsx')).CallRecordPage);
const SharedAgent = lazy(async () => (await import('./shared-agent.tsx')).SharedAgent);

interface PagesProps {
  me: Me;
  /** The browser comes back from a gateway's own page. */
  returned: CheckoutReturn | null;
  onReturned: () => void;
  onSignedOut: () => void;
}

/** The page of each address; each is loaded when it is first shown. `frame.tsx` links them. */
export function Pages({ me, returned, onReturned, onSignedOut }: PagesProps) {
  return (
    <Router>
      <Route path="/" component={Agents} workspace={me.workspace} onSignedOut={onSignedOut} />
      <Route path="/agents" component={Agents} workspace={me.workspace} onSignedOut={onSignedOut} />
      <Route path="/agents/:agent_id" component={AgentRoute} onSignedOut={onSignedOut} />
      <Route path="/account" component={AccountPage} onSignedOut={onSignedOut} />
      <Route path="/calls" component={CallsPage} />
      <Route path="/calls/:call_id" component={CallRecordPage} />
      <Route
        path="/shared-agents/:token"
        component={SharedAgentRoute}
        workspace={me.workspace}
        mayCopy={me.permissions.includes('agents.edit')}
        onSignedOut={onSignedOut}
      />
      {me.permissions.includes('billing.view') ? (
        <Route
          path={BILLING_PATH}
          component={BillingPage}
          me={me}
          returned={returned}
          onReturned={onReturned}
          onSignedOut={onSignedOut}
        />
      ) : (
        []
      )}
      <Route default component={NoSuchPage} />
    </Router>
  );
}

function AgentRoute({ onSignedOut }: { onSignedOut: () => void }) {
  const { agent_id = '' } = useRoute().params;
  return <CallPage key={agent_id} agentId={agent_id} onSignedOut={onSignedOut} />;
}

function SharedAgentRoute(props: { workspace: Me['workspace']; mayCopy: boolean; onSignedOut: () => void }) {
  const { token = '' } = useRoute().params;
  return <SharedAgent key={token} token={token} {...props} />;
}

function NoSuchPage() {
  return (
    <main class="narrow">
      <Heading title="There is no such page" />
      <a href="/">To the agents</a>
    </main>
  );
}
