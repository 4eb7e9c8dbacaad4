import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE } from '@grantkit/core/token-exchange'

/** How a client hands on less than it has. Nothing where there is no token exchange. */
export function howToDelegate(grantTypes: readonly string[]): string {
  if (!grantTypes.includes(TOKEN_EXCHANGE)) return ''
  return `
## Hand on less

Give a sub-agent, a plugin or a job of yours a token of its own, with less than you have (RFC 8693). Post to the token endpoint
\`grant_type=${TOKEN_EXCHANGE}\`, your access token as \`subject_token\`, and
\`subject_token_type=${ACCESS_TOKEN_TYPE}\`; \`scope\`, \`resource\` and \`expires_in\` make it narrower.
Register with that \`grant_type\` in \`grant_types\`. The new token lives 15 minutes at most, never longer than yours, and ends with yours.
There is no refresh token: exchange again. Of one grant eight such tokens live at once.
`
}
