import type { ScopeDefinition } from '@grantkit/core'
import { inLanguage } from '@grantkit/core/internal'
import type { DescribedServer } from './described-server.ts'
import { messageOf } from './requests.ts'

const WITH_TOKEN = ', with an initial access token of the operator'

/** The name of the scheme of the registration. */
export const INITIAL_ACCESS_TOKEN = 'initialAccessToken'

/** The security scheme of the registration, where it needs a token (RFC 7591 3). */
export const INITIAL_ACCESS_TOKEN_SCHEME = {
  type: 'http',
  scheme: 'bearer',
  description:
    'An initial access token, which the operator hands out. Several clients may register with one.',
} as const

/** The security scheme of the operations with an access token. */
export function oauthScheme({ baseUrl, scopes, bindsTokens, mounted, registersWithToken }: DescribedServer) {
  const tokenUrl = `${baseUrl}/api/oauth/token`
  const registers = messageOf(mounted, 'registration_endpoint') !== undefined
  const clientCredentials = mounted.grantTypes.some(({ name }) => name === 'client_credentials')
  const own = registers ? ` Clients register themselves${registersWithToken ? WITH_TOKEN : ''}.` : ''
  const bound = bindsTokens ? ' A token can be bound to a key: its scheme is DPoP then (RFC 9449 7.1).' : ''
  const withoutUser = Object.entries(scopes).filter(([, { user }]) => user === false)
  return {
    type: 'oauth2',
    description: `Authorization Code with PKCE (S256).${own}${bound}`,
    flows: {
      authorizationCode: {
        authorizationUrl: `${baseUrl}/oauth/authorize`,
        tokenUrl,
        refreshUrl: tokenUrl,
        scopes: inEnglish(Object.entries(scopes)),
      },
      ...(clientCredentials && { clientCredentials: { tokenUrl, scopes: inEnglish(withoutUser) } }),
    },
  } as const
}

function inEnglish(scopes: readonly (readonly [string, ScopeDefinition])[]): Record<string, string> {
  return Object.fromEntries(scopes.map(([name, { description }]) => [name, inLanguage(description, 'en')]))
}
