import type { VerdictText } from '@grantkit/explain'
import { BACKCHANNEL_VERDICTS } from '../packages/explain/src/verdicts/backchannel.ts'
import {
  CALL_VERDICTS,
  DPOP_VERDICTS,
  SERVER_VERDICTS,
  SIGN_OUT_VERDICTS,
} from '../packages/explain/src/verdicts/calls.ts'
import {
  ASSERTION_VERDICTS,
  CLIENT_AUTHENTICATION_VERDICTS,
  CLIENT_VERDICTS,
  JWT_GRANT_VERDICTS,
} from '../packages/explain/src/verdicts/clients.ts'
import {
  DECISION_VERDICTS,
  MESSAGE_VERDICTS,
  PUSHED_VERDICTS,
  REQUEST_VERDICTS,
  SCOPE_VERDICTS,
} from '../packages/explain/src/verdicts/requests.ts'
import { SIGNED_REQUEST_VERDICTS } from '../packages/explain/src/verdicts/signed-requests.ts'
import {
  CODE_VERDICTS,
  DEVICE_VERDICTS,
  GRANT_TYPE_VERDICTS,
  REFRESH_TOKEN_VERDICTS,
  TOKEN_EXCHANGE_VERDICTS,
} from '../packages/explain/src/verdicts/tokens.ts'

interface ErrorGroup {
  readonly title: string
  readonly intro: string
  readonly verdicts: Readonly<Record<string, VerdictText>>
}

/** The sections of errors.md. */
export const ERROR_GROUPS: readonly ErrorGroup[] = [
  {
    title: 'Authorization request',
    intro: 'The authorization endpoint sends these to the client by redirect (RFC 6749 4.1.2.1).',
    verdicts: REQUEST_VERDICTS,
  },
  {
    title: 'Client and redirect URI',
    intro:
      'The authorization endpoint shows these to the user, because an unknown redirect URI gets no redirect. The registration endpoint answers in JSON (RFC 7591 3.2.2).',
    verdicts: CLIENT_VERDICTS,
  },
  {
    title: 'Sign-in and consent',
    intro: 'What needs the user: `prompt`, the session and the consent form.',
    verdicts: DECISION_VERDICTS,
  },
  {
    title: 'Authorization code',
    intro: 'The token endpoint, with `grant_type=authorization_code`.',
    verdicts: CODE_VERDICTS,
  },
  {
    title: 'Refresh token',
    intro:
      'The token endpoint, with `grant_type=refresh_token`, and the revocation endpoint. [Refresh token rotation](concepts/refresh-tokens.md) has the rules.',
    verdicts: REFRESH_TOKEN_VERDICTS,
  },
  {
    title: 'Client authentication',
    intro: 'Every endpoint at which a client authenticates: token, revocation, introspection, PAR, device.',
    verdicts: CLIENT_AUTHENTICATION_VERDICTS,
  },
  {
    title: 'Client assertion',
    intro:
      'Clients with `private_key_jwt` (RFC 7523). All answers have one text, so that they tell an attacker nothing. The log has the reason.',
    verdicts: ASSERTION_VERDICTS,
  },
  {
    title: 'Grant type',
    intro:
      'The token endpoint. The [client credentials grant](how-to/client-credentials.md) has two of them.',
    verdicts: GRANT_TYPE_VERDICTS,
  },
  {
    title: 'Scope and resource',
    intro:
      'The authorization and the token endpoint. [Scopes and resources](concepts/scopes-and-resources.md) explains both.',
    verdicts: SCOPE_VERDICTS,
  },
  {
    title: 'API',
    intro:
      'The guard of an API, UserInfo and [forward auth](how-to/forward-auth.md). 401 and 403 have `WWW-Authenticate` (RFC 6750 3).',
    verdicts: CALL_VERDICTS,
  },
  {
    title: 'Message',
    intro: 'Every endpoint: the method, the body and its parameters.',
    verdicts: MESSAGE_VERDICTS,
  },
  {
    title: 'Pushed authorization request',
    intro: 'With [PAR](how-to/par.md).',
    verdicts: PUSHED_VERDICTS,
  },
  {
    title: 'Signed authorization request',
    intro: 'With [signed requests](how-to/signed-requests.md).',
    verdicts: SIGNED_REQUEST_VERDICTS,
  },
  { title: 'DPoP', intro: 'With [DPoP](how-to/dpop.md).', verdicts: DPOP_VERDICTS },
  {
    title: 'Device authorization',
    intro: 'With the [device grant](how-to/device-authorization.md).',
    verdicts: DEVICE_VERDICTS,
  },
  {
    title: 'Backchannel authentication',
    intro: 'With [backchannel authentication](how-to/backchannel-authentication.md) (CIBA).',
    verdicts: BACKCHANNEL_VERDICTS,
  },
  {
    title: 'Token exchange',
    intro:
      'With [token exchange](how-to/token-exchange.md). Four reasons have one text: it must not tell whether a stolen token is valid.',
    verdicts: TOKEN_EXCHANGE_VERDICTS,
  },
  {
    title: 'JWT authorization grant',
    intro:
      'With [Enterprise-Managed Authorization](how-to/enterprise-managed-authorization.md) and [workload identity](how-to/workload-identity.md). Most reasons have one text, so that they tell an attacker nothing. The event `assertion_refused` has the reason.',
    verdicts: JWT_GRANT_VERDICTS,
  },
  { title: 'Logout', intro: 'With [logout](how-to/logout.md).', verdicts: SIGN_OUT_VERDICTS },
  {
    title: 'Server',
    intro: 'Faults of the server. The event is `failed` and has the cause. 503 has `Retry-After`.',
    verdicts: SERVER_VERDICTS,
  },
]
