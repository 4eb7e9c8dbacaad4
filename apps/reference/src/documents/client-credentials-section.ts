/** A section of the walkthrough; empty without the client credentials grant. */
export function clientCredentialsSection({
  issuer,
  token_endpoint,
  grant_types_supported,
}: {
  readonly issuer: string
  readonly token_endpoint: string
  readonly grant_types_supported: readonly string[]
}): string {
  if (!grant_types_supported.includes('client_credentials')) return ''
  return `
## Client credentials

A client without a user gets tokens for itself. The operator registers it with its scopes, which never open a person's data. It has a
\`client_id\` and a \`client_secret\`.

\`\`\`sh
read -r CREDENTIALS_ID
read -r CREDENTIALS_SECRET
TOKENS=$(curl -sS ${token_endpoint} -u "$CREDENTIALS_ID:$CREDENTIALS_SECRET" -d grant_type=client_credentials)
ACCESS_TOKEN=$(printf %s "$TOKENS" | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -sS ${issuer}/api/courses -H "Authorization: Bearer $ACCESS_TOKEN"
\`\`\`

With a key pair instead of a secret it sends \`client_assertion\` (\`private_key_jwt\`, RFC 7523): a JWT with \`iss\` and \`sub\`
its \`client_id\`, \`aud\` \`${issuer}\`, a new \`jti\` and \`exp\` within ten minutes. There is no refresh token: request a new token when this one
expires. An endpoint that needs a user answers such a token with \`insufficient_scope\`.
`
}
