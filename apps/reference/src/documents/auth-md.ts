import { inLanguage } from '@grantkit/core/internal'
import type { KnownClient } from '@grantkit/known-clients'
import type { Config } from '@grantkit/server'
import { SCOPES } from '../oauth/scopes.ts'
import { aboutProfile, KEPT } from './about-profile.ts'
import { clientCredentialsSection } from './client-credentials-section.ts'
import { withoutABrowser } from './device-walkthrough.ts'
import { dpopSection } from './dpop-section.ts'
import { errorRows } from './error-rows.ts'
import { aboutPushing, authorizationAddress } from './how-to-authorize.ts'
import { howToGetAClient } from './how-to-get-a-client.ts'
import { tokenExchangeSection } from './token-exchange-section.ts'

/** The parts of the server metadata that the walkthrough uses. */
export interface DescribedServer {
  readonly issuer: string
  readonly authorization_endpoint: string
  /** Absent without PAR. */
  readonly pushed_authorization_request_endpoint?: string | undefined
  readonly require_pushed_authorization_requests?: boolean | undefined
  readonly token_endpoint: string
  /** Absent without dynamic client registration. */
  readonly registration_endpoint?: string | undefined
  readonly client_id_metadata_document_supported?: boolean | undefined
  readonly userinfo_endpoint: string
  readonly revocation_endpoint: string
  readonly introspection_endpoint: string
  /** Absent without the device grant. */
  readonly device_authorization_endpoint?: string | undefined
  readonly jwks_uri: string
  readonly grant_types_supported: readonly string[]
  readonly token_endpoint_auth_methods_supported: readonly string[]
  readonly scopes_supported: readonly string[]
  /** Absent without DPoP. */
  readonly dpop_signing_alg_values_supported?: readonly string[] | undefined
}

/** The configured lifetimes in seconds. */
export interface DescribedLifetimes {
  readonly code: number
  readonly accessToken: number
  readonly refreshToken: number
  readonly grant: number
  readonly refreshRetryWindow: number
}

/** The walkthrough. Its commands form one shell session, which a test runs. */
export function authMarkdown(
  server: DescribedServer,
  lifetimes: DescribedLifetimes,
  known: readonly KnownClient[],
  { profile, initialAccessTokens }: Pick<Config['features'], 'profile' | 'initialAccessTokens'>,
): string {
  const clientCredentials = clientCredentialsSection(server)
  return `# How to get and use a token

The server metadata at <${server.issuer}/.well-known/oauth-authorization-server> is the source of truth: where this page and
it disagree, believe it. The API also serves requests without a token, with the public records.

A person signs in and allows access in a browser.${clientCredentials === '' ? '' : ' A client without a user gets tokens as [below](#client-credentials).'} There is no other way to get a token: the \`agent_auth\` extension is not supported
(no \`identity_assertion\`, no \`service_auth\`, no anonymous claim), there is no \`identity_endpoint\` and no \`register_uri\` to call, and
there is no claim step.

The commands below are one shell session. They need \`curl\` and \`openssl\`.

## 1. Discover

\`\`\`sh
curl -sS ${server.issuer}/.well-known/oauth-authorization-server
\`\`\`

${howToGetAClient({
  registrationEndpoint: server.registration_endpoint,
  needsToken: initialAccessTokens,
  documents: server.client_id_metadata_document_supported === true,
  methods: list(server.token_endpoint_auth_methods_supported),
  known,
})}

${aboutProfile(server, profile)}## 3. Authorize, with PKCE

\`\`\`sh
VERIFIER=$(openssl rand -base64 48 | tr -d '\\n=' | tr '+/' '-_')
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr -d '=' | tr '+/' '-_')
STATE=$(openssl rand -hex 16)
${authorizationAddress(server)}
\`\`\`

Open that address in a browser. When the user allows it, the browser is sent to the redirect URI with \`code\`, \`state\` and
\`iss\`. Check that \`state\` is yours and \`iss\` is \`${server.issuer}\`. The code is good once, for ${duration(lifetimes.code)}.
${aboutPushing(server)}
\`\`\`sh
read -r CODE
\`\`\`

## 4. Exchange the code

\`\`\`sh
TOKENS=$(curl -sS ${server.token_endpoint} \\
  -d grant_type=authorization_code -d client_id="$CLIENT_ID" -d code="$CODE" \\
  --data-urlencode redirect_uri="$REDIRECT_URI" -d code_verifier="$VERIFIER")
ACCESS_TOKEN=$(printf %s "$TOKENS" | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
REFRESH_TOKEN=$(printf %s "$TOKENS" | sed 's/.*"refresh_token":"\\([^"]*\\)".*/\\1/')
\`\`\`

The user may have allowed less than you asked for: \`scope\` in the answer says what. Add \`resource=${server.issuer}\` to bind
the token to this API. With \`openid\` there is an \`id_token\` too, signed by a key of <${server.jwks_uri}>.

## 5. Call

\`\`\`sh
curl -sS ${server.issuer}/api/courses -H "Authorization: Bearer $ACCESS_TOKEN"
curl -sS ${server.userinfo_endpoint} -H "Authorization: Bearer $ACCESS_TOKEN"
\`\`\`

An access token is good for ${duration(lifetimes.accessToken)}. Send it in the header, never in a URL.

## 6. Refresh

\`\`\`sh
TOKENS=$(curl -sS ${server.token_endpoint} \\
  -d grant_type=refresh_token -d client_id="$CLIENT_ID" -d refresh_token="$REFRESH_TOKEN")
ACCESS_TOKEN=$(printf %s "$TOKENS" | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
REFRESH_TOKEN=$(printf %s "$TOKENS" | sed 's/.*"refresh_token":"\\([^"]*\\)".*/\\1/')
\`\`\`

${profile === undefined ? rotation(lifetimes) : KEPT} A refresh token ends after ${duration(lifetimes.refreshToken)} without use,
and ${duration(lifetimes.grant)} after the user allowed it.

## 7. Revoke

\`\`\`sh
curl -sS ${server.revocation_endpoint} -d client_id="$CLIENT_ID" -d token="$REFRESH_TOKEN"
curl -sS ${server.issuer}/api/courses -H "Authorization: Bearer $ACCESS_TOKEN"
\`\`\`

Revoking a refresh token also revokes its access tokens. The second command shows that the token is no longer valid.
The user can do the same at <${server.issuer}/account>: a refresh is then \`invalid_grant\`, and the app starts again at step 3.

A confidential client can introspect a token at <${server.introspection_endpoint}>.
${tokenExchangeSection(server.grant_types_supported)}${withoutABrowser(server)}${clientCredentials}${dpopSection(server.issuer, server.dpop_signing_alg_values_supported)}
## Errors

An error response is JSON: \`{"error": "…", "error_description": "…"}\`.

| Error | Status | Meaning |
|---|---|---|
${errorRows(server.dpop_signing_alg_values_supported)}

Until the redirect URI is known to be the client's, an error of the authorization endpoint is a page that only the user sees. Send the
request yourself with \`Accept: application/json\` before you open a browser: \`303\` to the sign-in page means open it, and a
error is such a JSON with a \`reason\`. \`client_unknown\` means get a client as in step 2.

A request without a token is never challenged: it is served as anonymous, and its \`Link\` header points at the
protected-resource metadata. A bad token, or one that lacks a scope, gets a \`WWW-Authenticate\` header that does.

## Grant types

${server.grant_types_supported.map((type) => `- \`${type}\``).join('\n')}

## Scopes

Request only what you need. Every \`:read\` scope allows reading its area, every \`:write\` scope writing.

| Scope | Allows |
|---|---|
${server.scopes_supported.map((scope) => `| \`${scope}\` | ${descriptionOf(scope)} |`).join('\n')}
`
}

function rotation({ refreshRetryWindow }: DescribedLifetimes): string {
  const kept = 'Every refresh returns a new refresh token; store it.'
  const strict = 'Reuse of an old token revokes the grant.'
  if (refreshRetryWindow === 0) return `${kept} ${strict}`
  return `${kept} If an answer was lost, send the same request again within ${duration(refreshRetryWindow)}: you
get the same tokens. After an outage of this service that works for 15 minutes, if you have not used the new tokens. ${strict}`
}

function descriptionOf(scope: string): string {
  const found = Object.entries(SCOPES).find(([name]) => name === scope)
  return found === undefined ? '' : inLanguage(found[1].description, 'en')
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

/** A duration in the largest unit that divides it. */
function duration(seconds: number): string {
  const [unit, length] = UNITS.find(([, size]) => seconds >= size && seconds % size === 0) ?? ['second', 1]
  const count = seconds / length
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const
