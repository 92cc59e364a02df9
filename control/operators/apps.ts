import { systemClock } from '../../shared/clock.ts';
import { disableOauthApp, registerOauthApp } from '../accounts/oauth.ts';
import { credentialCachesExpired } from '../http/credential-cache.ts';
import { type Command, OPERATOR, OperatorError, throwIfRefused, writeServiceEvent, yesOrNo } from './command.ts';

/** OAuth apps that users may connect to their workspaces. */
export const APP_COMMANDS: readonly Command[] = [
  {
    name: 'app create',
    usage: 'NAME REDIRECT_URI [REDIRECT_URI …] [--secret yes]',
    description:
      'register an OAuth app that users may connect; --secret yes for a confidential client, its secret is shown once',
    example: "app create 'Acme CRM' https://crm.example.com/oauth/callback --secret yes",
    positionals: [2, 11],
    options: ['secret'],
    async run({ sql, wallMs, by = OPERATOR }, [name = '', ...redirect_uris], options) {
      const confidential = yesOrNo('secret', options.secret) ?? false;
      const app = await sql.begin(async (tx) => {
        const app = await registerOauthApp(tx, { name, redirect_uris, confidential }, wallMs);
        throwIfRefused(app);
        const target = { kind: 'oauth_app', id: app.client_id, name };
        const now = { name, redirect_uris, confidential };
        await writeServiceEvent(tx, { by, action: 'app.created', target, before: {}, now, at_ms: wallMs });
        return app;
      });
      const { client_id, client_secret } = app;
      const secret = client_secret === null ? [] : [`secret     ${client_secret}`, 'The secret is not shown again.'];
      return { result: app, lines: [`client id  ${client_id}`, ...secret] };
    },
  },
  {
    name: 'app disable',
    usage: 'CLIENT_ID',
    description: 'disable an OAuth app; its tokens, and the keys and webhook endpoints that it made, stop working',
    example: 'app disable CLIENT_ID',
    positionals: 1,
    async run({ sql, wallMs, by = OPERATOR }, [clientId = '']) {
      await sql.begin(async (tx) => {
        if (!(await disableOauthApp(tx, clientId, wallMs))) throw new OperatorError(`app ${clientId} not found`);
        const target = { kind: 'oauth_app', id: clientId, name: '' };
        const before = { enabled: true };
        await writeServiceEvent(tx, {
          by,
          action: 'app.disabled',
          target,
          before,
          now: { enabled: false },
          at_ms: wallMs,
        });
      });
      await credentialCachesExpired(systemClock);
      return { result: { client_id: clientId }, lines: ['the app is disabled'] };
    },
  },
];
