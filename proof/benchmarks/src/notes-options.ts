import { loopbackOnly } from '@grantkit/core'
import { alwaysSignedIn } from '@grantkit/testkit/client'

/** Options of a server in this process: Alice is signed in, and the consent page has one scope. */
export const NOTES = {
  scopes: { 'notes:read': { description: 'Read your notes' } },
  redirectUriPolicy: loopbackOnly(),
  interaction: alwaysSignedIn(),
}
