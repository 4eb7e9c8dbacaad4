/** A section of the walkthrough, between two others; empty if clients get no tokens for themselves. */
export function howJobsGetTokens({
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
## Without a person

A job gets tokens for itself. The operator adds it and says what it may do, which is never what belongs to a person; it gets a
\`client_id\` and a \`client_secret\`.

\`\`\`sh
read -r JOB_ID
read -r JOB_SECRET
TOKENS=$(curl -sS ${token_endpoint} -u "$JOB_ID:$JOB_SECRET" -d grant_type=client_credentials)
ACCESS_TOKEN=$(printf %s "$TOKENS" | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
curl -sS ${issuer}/api/courses -H "Authorization: Bearer $ACCESS_TOKEN"
\`\`\`

With a key pair of its own instead of a secret it sends \`client_assertion\` (\`private_key_jwt\`, RFC 7523): a JWT with \`iss\` and \`sub\`
its \`client_id\`, \`aud\` \`${issuer}\`, a new \`jti\` and \`exp\` within ten minutes. There is no refresh token: ask again when the token
ends. What needs a person answers such a token with \`insufficient_scope\`.
`
}
