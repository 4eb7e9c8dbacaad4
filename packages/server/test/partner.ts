import type { Identity } from '../src/accounts/upstream/identities.ts'
import type { Provider } from '../src/config/providers.ts'

/** A provider and a user of it, for tests without a running provider. */
export const PROVIDER: Provider = {
  id: 'partner',
  label: 'Partner',
  issuer: 'https://partner.example',
  clientId: 'grantkit',
  clientSecret: 'secret',
  protocol: 'openid',
  scope: 'openid email',
  responseMode: 'query',
  pkce: true,
  nonce: true,
  signUp: false,
  linkVerifiedEmail: false,
  prompts: ['login'],
  freshness: 'proven',
  trustAcr: false,
}
export const IDENTITY: Identity = {
  issuer: 'https://partner.example',
  subject: 'a1',
  email: 'alice@server.example',
  name: 'Alice',
  authTime: 0,
}
