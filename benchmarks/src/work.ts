/** The workloads, one row each. */
export const WORK = {
  register: { title: 'register', status: 201, what: 'dynamic client registration (RFC 7591)' },
  code: {
    title: 'code',
    status: 200,
    what: 'authorization code and PKCE verifier for opaque tokens',
    tokens: true,
  },
  refresh: {
    title: 'refresh',
    status: 200,
    what: 'refresh token for its successor and an access token',
    tokens: true,
  },
  protected: { title: 'protected GET', status: 200, what: 'an API call with an opaque bearer token' },
  introspect: { title: 'introspection', status: 200, what: 'RFC 7662, by a confidential client' },
  authorize: {
    title: 'authorize',
    status: 'redirect',
    what: 'authorization request up to the redirect to the sign-in page',
  },
  'authorize-document': {
    title: 'consent, document',
    status: 200,
    what: 'authorization request of a signed-in user up to the consent page, for a client of a cached document',
    feature: true,
  },
  userinfo: {
    title: 'UserInfo',
    feature: true,
    status: 200,
    what: 'OpenID Connect Core 5.3, with an opaque bearer token',
  },
  'mcp-call': {
    title: 'MCP call',
    status: 200,
    what: 'tools/call of an MCP server with an opaque bearer token: one item by its id',
    feature: true,
  },
  'client-credentials': {
    title: 'job, secret',
    status: 200,
    what: 'client_credentials with a client secret (RFC 6749 4.4)',
    feature: true,
  },
  'client-assertion': {
    title: 'job, assertion',
    status: 200,
    what: 'client_credentials with an assertion of its own for each request, signed with EdDSA (RFC 7523)',
    feature: true,
  },
  'device-poll': {
    title: 'device poll',
    status: 400,
    what: 'a device asks whether its user has answered, who has not (RFC 8628 3.5)',
    feature: true,
  },
  push: { title: 'push', feature: true, status: 201, what: 'a pushed authorization request (RFC 9126)' },
  'protected-dpop': {
    title: 'GET, DPoP',
    status: 200,
    what: 'an API call with a bound token and a proof of its own for each request (RFC 9449)',
    feature: true,
  },
  'protected-jwt': {
    title: 'GET, JWT',
    status: 200,
    what: 'an API call with a signed token, at a guard without the store (RFC 9068)',
    feature: true,
  },
  metadata: { title: 'metadata', status: 200, what: 'the RFC 8414 document' },
  'id-token-rs256': {
    title: 'code, RS256',
    status: 200,
    what: 'code exchange with an ID token signed with RS256',
    tokens: true,
  },
  'id-token-es256': {
    title: 'code, ES256',
    status: 200,
    what: 'code exchange with an ID token signed with ES256',
    tokens: true,
  },
} as const satisfies Record<string, WorkRow>

export type WorkName = keyof typeof WORK
export const WORK_NAMES = Object.keys(WORK) as WorkName[]

export interface WorkRow {
  readonly title: string
  readonly what: string
  /** The expected status of every answer; any other ends the run. */
  readonly status: 200 | 201 | 400 | 'redirect'
  /** Shows a feature that few targets offer: a table of its own. */
  readonly feature?: boolean
  /** Whether the answers contain tokens, which must differ and work. */
  readonly tokens?: boolean
}

export function isExpectedStatus({ status: expected }: WorkRow, status: number): boolean {
  return expected === 'redirect' ? status === 302 || status === 303 : status === expected
}
