/** The fields of the API's records that the page reads. */

export interface Me {
  user: { id: string; name: string; email: string } | null;
  workspace: { id: string; name: string; state: string } | null;
  permissions: string[];
  workspaces: { id: string; name: string; state: string }[];
}

export interface Account {
  email: string;
  email_verified: boolean;
}

/** The business details that the service's team looks at before a workspace is active. */
export interface Kyc {
  status: 'not_submitted' | 'submitted' | 'approved' | 'rejected';
  rejection_reason: string;
}

export interface Agent {
  id: string;
  name: string;
  status: 'active' | 'paused' | 'frozen';
  frozen_reason: string;
  phone_number: string;
  variables: string[];
  llm: { provider: string; model: string };
  voice: { provider: string; language?: string; voice_name?: string };
  updated_at: string;
}
