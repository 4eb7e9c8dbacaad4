import type { Config } from '@grantkit/server'

interface Addresses {
  readonly issuer: string
}

/** A section of the walkthrough: what its commands additionally need with a profile. Empty without a profile. */
export function aboutProfile({ issuer }: Addresses, profile: Config['features']['profile']): string {
  if (profile === undefined) return ''
  return `This server follows the FAPI 2.0 Security Profile, so the commands below need two more things. Each request to the push, token,
revocation and introspection endpoints carries a new assertion, a JWT that the client signs by ES256, EdDSA or PS256, with \`iss\` and
\`sub\` its \`client_id\`, \`aud\` the text \`${issuer}\`, \`exp\` and \`jti\`:

\`\`\`text
-d client_assertion_type=urn:ietf:params:oauth:client-assertion-type:jwt-bearer -d client_assertion="$ASSERTION"
\`\`\`

And steps 4, 5 and 6 need a proof in the header \`DPoP\`, as [below](#sender-constrained-tokens-dpop).

`
}

/** The text about refreshing, if refresh tokens do not rotate. */
export const KEPT = 'A refresh returns a new access token, and the refresh token stays valid.'
