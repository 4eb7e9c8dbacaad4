import type { Identity } from '../src/upstream/identity.ts'
import type { Provider } from '../src/upstream/providers.ts'

/** A provider and a user of it, for tests without a running provider. */
export const PROVIDER: Provider = {
  id: 'partner',
  label: 'Partner',
  issuer: 'https://partner.example',
  client_id: 'harbour',
  client_secret: 'secret',
  scope: 'openid email',
  sign_up: false,
  link_verified_email: false,
}
export const IDENTITY: Identity = {
  issuer: 'https://partner.example',
  subject: 'a1',
  email: 'alice@school.example',
  name: 'Alice',
  authTime: 0,
  saysAuthTime: true,
}
