import { expect, it } from 'vitest'
import { clientAuthenticationFault } from './client-authentication.ts'

it('refuses every secret of a client whose record holds no hash of one', () => {
  const client = { tokenEndpointAuthMethod: 'client_secret_post' } as const
  expect(clientAuthenticationFault(client, { client_secret: 'x' }, undefined)).toBe(
    'client_auth_method_mismatch',
  )
})
