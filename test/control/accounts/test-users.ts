import { randomBytes } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import { type Clock, systemClock } from '../../../shared/clock.ts';
import { request, type TestApi } from '../../support/control-app.ts';

/** A clock that tests move forward. */
export interface ManualClock extends Clock {
  forward(ms: number): void;
  /** From now on only `forward` moves it, until what is returned is called. */
  standStill(): () => void;
}

export function createManualClock(): ManualClock {
  let ahead = 0;
  let timeOfDay = Date.now;
  return {
    ...systemClock,
    wall: () => timeOfDay() + ahead,
    forward(ms) {
      ahead += ms;
    },
    standStill() {
      const stoodMs = Date.now();
      timeOfDay = () => stoodMs;
      return () => {
        timeOfDay = Date.now;
      };
    },
  };
}

export const PASSWORD = 'correct horse battery';
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

/** A new client address each time, because throttles count by address. */
export function newAddress(): string {
  const [a, b, c] = randomBytes(3);
  return `10.${a}.${b}.${c}`;
}

export const newEmail = () => `${randomBytes(6).toString('hex')}@gmail.com`;

export function createTestUsers(api: TestApi) {
  const post = (url: string, payload: object, options: Partial<InjectOptions> = {}) =>
    request(api.http, { method: 'POST', url, payload, remoteAddress: newAddress(), ...options } as InjectOptions);

  return {
    post,
    /** Through the API, as a program. */
    async register(fields: Record<string, unknown> = {}) {
      const email = newEmail();
      const body = { name: 'Asha', email, password: PASSWORD, ...fields };
      const answer = await post('/api/v1/auth/signup', body);
      if (answer.status !== 201) throw new Error(`signing up failed: ${JSON.stringify(answer.body)}`);
      const { user, workspaces, token } = answer.body as {
        user: { id: string; name: string; email: string };
        workspaces: { id: string }[];
        token: string;
      };
      return { ...user, token, workspace_id: workspaces[0]!.id, answer, as: bearer(token) };
    },
    /** With an address that was confirmed. */
    async registerVerified(fields: Record<string, unknown> = {}) {
      const user = await this.register(fields);
      await api.sql`update users set email_verified_at = now() where id = ${user.id}`;
      return user;
    },
    login: (email: string, password: string = PASSWORD, options: Partial<InjectOptions> = {}) =>
      post('/api/v1/auth/login', { email, password }, options),
    send: (token: string, method: string, url: string, payload?: object, headers: Record<string, string> = {}) =>
      request(api.http, {
        method: method as 'GET',
        url: `/api/v1${url}`,
        headers: { ...bearer(token), ...headers },
        remoteAddress: newAddress(),
        ...(payload ? { payload } : {}),
      }),
    /** Emails to this address, the newest last. */
    async emailsTo(email: string): Promise<{ subject: string; body: string; token: string }[]> {
      const rows = await api.sql<{ subject: string; body: string }[]>`
        select subject, body from mail_outbox where recipient = ${email} order by created_at, id`;
      return rows.map((row) => ({ ...row, token: /token=([\w-]+)/.exec(row.body)?.[1] ?? '' }));
    },
    /** Audit events of the workspace, sorted by name: those of one millisecond have no order. */
    async audit(workspaceId: string): Promise<string[]> {
      const rows = await api.sql<{ action: string }[]>`
        select action from audit_events where workspace_id = ${workspaceId}`;
      return rows.map((row) => row.action).sort();
    },
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
