import { AUTHORIZATION_REQUEST } from './stories/authorization-request.ts'
import { AUTHORIZATION_SIGN_IN } from './stories/authorization-sign-in.ts'
import { AUTHORIZATION_TARGET } from './stories/authorization-target.ts'
import { CLIENT_ASSERTION } from './stories/client-assertion.ts'
import { CLIENT_AUTHENTICATION } from './stories/client-authentication.ts'
import { CLIENT_CREDENTIALS } from './stories/client-credentials.ts'
import { CODE_EXCHANGE } from './stories/code-exchange.ts'
import { CONSENT } from './stories/consent.ts'
import { DEVICE_STORIES } from './stories/device.ts'
import { DOCUMENTS } from './stories/documents.ts'
import { DPOP } from './stories/dpop.ts'
import { FETCHED_CLIENTS } from './stories/fetched-clients.ts'
import { FORWARD_AUTH } from './stories/forward-auth.ts'
import { GUARD } from './stories/guard.ts'
import { INTROSPECTION } from './stories/introspection.ts'
import { LIMITS_AND_OUTAGES } from './stories/limits-and-outages.ts'
import { LOGOUT } from './stories/logout.ts'
import { METHOD_STORIES } from './stories/methods.ts'
import { OTHER_SERVERS } from './stories/other-servers.ts'
import { PAR } from './stories/par.ts'
import { REFRESH } from './stories/refresh.ts'
import { REGISTERED_REDIRECT_URIS } from './stories/registered-redirect-uris.ts'
import { REGISTRATION } from './stories/registration.ts'
import { REVOCATION } from './stories/revocation.ts'
import { SIGNED_ACCESS_TOKENS } from './stories/signed-access-tokens.ts'
import { TOKEN_EXCHANGE_STORIES } from './stories/token-exchange.ts'
import { USERINFO } from './stories/userinfo.ts'
import type { Stories } from './world.ts'

/** The stories, by the name of the file with their recorded answers. */
export const STORIES: Readonly<Record<string, Stories>> = {
  'authorization-request': AUTHORIZATION_REQUEST,
  'authorization-sign-in': AUTHORIZATION_SIGN_IN,
  'authorization-target': AUTHORIZATION_TARGET,
  'client-authentication': CLIENT_AUTHENTICATION,
  'client-assertion': CLIENT_ASSERTION,
  'client-credentials': CLIENT_CREDENTIALS,
  'code-exchange': CODE_EXCHANGE,
  consent: CONSENT,
  device: DEVICE_STORIES,
  documents: DOCUMENTS,
  dpop: DPOP,
  'fetched-clients': FETCHED_CLIENTS,
  'forward-auth': FORWARD_AUTH,
  guard: GUARD,
  introspection: INTROSPECTION,
  'limits-and-outages': LIMITS_AND_OUTAGES,
  logout: LOGOUT,
  methods: METHOD_STORIES,
  'other-servers': OTHER_SERVERS,
  par: PAR,
  refresh: REFRESH,
  'registered-redirect-uris': REGISTERED_REDIRECT_URIS,
  registration: REGISTRATION,
  revocation: REVOCATION,
  'signed-access-tokens': SIGNED_ACCESS_TOKENS,
  'token-exchange': TOKEN_EXCHANGE_STORIES,
  userinfo: USERINFO,
}
