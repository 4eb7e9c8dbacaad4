import type { KnownClient } from '@grantkit/known-clients'

/** How a client becomes known to this service. */
export interface WaysIn {
  /** Absent without dynamic client registration. */
  readonly registrationEndpoint: string | undefined
  /** Whether the registration needs an initial access token. */
  readonly needsToken: boolean
  /** Whether a `client_id` may be the URL of a client ID metadata document. */
  readonly documents: boolean
  /** The client authentication methods, as text. */
  readonly methods: string
  /** The known clients that may use their own redirect URIs. */
  readonly known: readonly KnownClient[]
}

/** A section of the walkthrough. */
export function howToGetAClient(ways: WaysIn): string {
  const { registrationEndpoint, documents } = ways
  const first = registrationEndpoint === undefined ? arranged(ways) : registered(registrationEndpoint, ways)
  return documents ? `${first}\n\n${BY_DOCUMENT}` : first
}

function registered(endpoint: string, { methods, known, needsToken }: WaysIn): string {
  return `## 2. Register

${needsToken ? WITH_TOKEN : 'Open to every client'} whose redirect URIs are loopback addresses, \`http://127.0.0.1:<port>/<path>\`. A fixed https callback is
rejected with \`invalid_redirect_uri\`; such an integration is added by the operator. At the authorization the port
may be another one.
${redirectUrisOf(known)}
\`\`\`sh
REDIRECT_URI=http://127.0.0.1:8123/callback
REGISTRATION=$(curl -sS ${endpoint} \\
  -H 'Content-Type: application/json' \\
${needsToken ? TOKEN_HEADER : ''}  -d '{"client_name":"My tool","application_type":"native","redirect_uris":["'$REDIRECT_URI'"],"token_endpoint_auth_method":"none"}')
CLIENT_ID=$(printf %s "$REGISTRATION" | sed 's/.*"client_id":"\\([^"]*\\)".*/\\1/')
echo "$CLIENT_ID"
\`\`\`

Token endpoint authentication: ${methods}. A client without a grant is deleted
after a while. \`invalid_client\` then means: register again.`
}

const WITH_TOKEN =
  'The operator gives you an initial access token, `gki_…`. Without it the answer is 401 `invalid_token`. With it, open to every client'
const TOKEN_HEADER = `  -H "Authorization: Bearer $INITIAL_ACCESS_TOKEN" \\
`

/** Empty if there is no known client. */
function redirectUrisOf(known: readonly KnownClient[]): string {
  if (known.length === 0) return ''
  return `
These clients may register addresses of their own, exactly as written here, next to loopback ones:

| Client | Redirect URIs |
|---|---|
${known.map(({ name, redirectUris }) => `| ${name} | ${redirectUris.map((uri) => `\`${uri}\``).join(' ')} |`).join('\n')}
`
}

function arranged({ documents, methods }: WaysIn): string {
  const who = documents
    ? 'A document describes it, as below, or the operator adds it'
    : 'The operator adds each one'
  return `## 2. Get a client

There is no dynamic client registration here. ${who}, with its redirect URIs, and gives you its \`client_id\`. ${methods.includes('private_key_jwt') && !methods.includes('client_secret') ? KEYS : SECRET}

\`\`\`sh
REDIRECT_URI=http://127.0.0.1:8123/callback
read -r CLIENT_ID
\`\`\`

Token endpoint authentication: ${methods}.`
}

const SECRET = `A confidential
one gets a \`client_secret\` too, and sends it with every request to the token endpoint.`

const KEYS = `Its public keys
are added with it, or their address.`

const BY_DOCUMENT = `### Or publish a document

An app that many people install needs no client of its own for each of them: its \`client_id\` can be the https address of a
document that describes it (Client ID Metadata Documents; \`client_id_metadata_document_supported\` in the metadata).

\`\`\`json
{
  "client_id": "https://app.example.com/client.json",
  "client_name": "My tool",
  "redirect_uris": ["http://127.0.0.1/callback"]
}
\`\`\`

Publish it at exactly the URL that is its \`client_id\`, as \`application/json\` with status 200: no redirect is
followed, and 5 KiB are the most. Then take that address for \`$CLIENT_ID\` in step 3, and send no secret. Loopback addresses match with
any port; an https callback counts only if the operator admits your document.

The document is read when a user has signed in, and kept for as long as its \`Cache-Control\` says, between five minutes and a day. If
your host does not answer, the user sees a page, a 503 with \`Retry-After\`.`
