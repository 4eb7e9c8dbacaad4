import type { McpClient, McpClientRequests } from './mcp-client.ts'

/** What is public of a client whose requests are not. */
export interface PublishedFacts
  extends Pick<McpClient, 'name' | 'version' | 'date' | 'source' | 'known' | 'document' | 'reads'> {
  readonly redirectUris: readonly [string, ...string[]]
  /** The members of its registration that the source names, without `redirect_uris`. Default: it does not register. */
  readonly registration?: Readonly<Record<string, unknown>>
}

/** A client whose requests are not published: they have what its source names, and what MCP requires of every client. */
export function unrecordedClient({ redirectUris, registration, ...facts }: PublishedFacts): McpClient {
  return {
    ...facts,
    recorded: false,
    redirectUri: redirectUris[0],
    redirectUris,
    requests: {
      ...(registration && { registration: registrationRequest(registration) }),
      ...requiredRequests(hasSecret(registration ?? facts.document)),
    },
  }
}

/** The requests of MCP's authorization (protocol 2025-11-25): PKCE with S256, `state` and `resource`. */
function requiredRequests(secret: boolean): McpClientRequests {
  const tokenRequest = `
POST {token_endpoint}
Content-Type: application/x-www-form-urlencoded
${secret ? 'Authorization: Basic {basic_credentials}\n' : ''}
`
  return {
    authorization:
      '{authorization_endpoint}?response_type=code&client_id={client_id}&redirect_uri={redirect_uri}&code_challenge={code_challenge}&code_challenge_method=S256&state={state}&scope={scope}&resource={resource}',
    token: `${tokenRequest}grant_type=authorization_code&code={code}&redirect_uri={redirect_uri}&code_verifier={code_verifier}&client_id={client_id}&resource={resource}`,
    refresh: `${tokenRequest}grant_type=refresh_token&refresh_token={refresh_token}&client_id={client_id}&resource={resource}`,
  }
}

function registrationRequest(members: Readonly<Record<string, unknown>>): string {
  const named = Object.entries(members).map(
    ([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`,
  )
  return `
POST {registration_endpoint}
Content-Type: application/json

{"redirect_uris":{redirect_uris}${named.join('')}}`
}

/** An operator adds a client with a secret. A client that names no method takes the one it gets, which is `none` for most. */
function hasSecret(metadata: Readonly<Record<string, unknown>> | undefined): boolean {
  return (
    metadata === undefined || !['none', undefined].includes(metadata.token_endpoint_auth_method as string)
  )
}
