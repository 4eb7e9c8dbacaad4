import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'

/** A section of the walkthrough; empty without token exchange. */
export function tokenExchangeSection(grantTypes: readonly string[]): string {
  if (!grantTypes.includes(TOKEN_EXCHANGE)) return ''
  return `
## Token exchange

Exchange your token for a narrower one for a sub-agent or a plugin of yours (RFC 8693). Post to the token endpoint
\`grant_type=${TOKEN_EXCHANGE}\`, your access token as \`subject_token\`, and
\`subject_token_type=${ACCESS_TOKEN_TYPE}\`; \`scope\`, \`resource\` and \`expires_in\` make it narrower.
Register with that \`grant_type\` in \`grant_types\`. The new token lives 15 minutes at most, never longer than yours, and ends with yours.
There is no refresh token: exchange again. A grant has at most eight such tokens at once.
`
}
