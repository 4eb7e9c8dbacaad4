import type { McpClient } from '@grantkit/mcp-clients'

/** Whether its requests were seen on the wire, or a test runs the client. What a source names alone is published. */
export function isRecorded({ recorded, tried }: McpClient): boolean {
  return recorded !== false || tried !== undefined
}

export function replayRow(client: McpClient): readonly string[] {
  const { name, version, date, tried = '' } = client
  return [
    `${name} ${version}`,
    date,
    namesOf(whatItDoes(client)).join(', '),
    namesOf(needsOf(client)).join('; '),
    tried,
  ]
}

/** What it does and needs, the same text for clients that do the same. */
export function behaviourOf(client: McpClient): string {
  const needs = namesOf(needsOf(client))
  const does = namesOf(whatItDoes(client)).join(', ')
  return needs.length === 0 ? does : `${does}; needs ${needs.join(', ')}`
}

type Statement = readonly [holds: boolean, name: string]

function whatItDoes({ document, requests }: McpClient): readonly Statement[] {
  const { registration, token, refresh, toolCall, revocation } = requests
  return [
    [registration !== undefined, 'registers'],
    [document !== undefined, 'has a document'],
    [registration === undefined && document === undefined, 'is added by the operator'],
    [true, token === undefined ? 'gets a code' : 'signs in'],
    [toolCall !== undefined, 'steps up'],
    [refresh !== undefined, 'refreshes'],
    [revocation !== undefined, 'revokes'],
  ]
}

/** The requirements of this client that a server can miss. */
function needsOf({
  redirectUri,
  redirectUris = [],
  requests,
  reads,
  document,
}: McpClient): readonly Statement[] {
  const { registration = '', authorization, token = '', refresh = '', probe } = requests
  const all = [redirectUri, ...redirectUris]
  return [
    [all.some((uri) => uri.includes('{port}')), 'any port'],
    [all.some((uri) => uri.startsWith('http://localhost')), '`localhost` as loopback'],
    [token.includes('{basic_credentials}'), '`client_secret_basic`'],
    [document?.token_endpoint_auth_method === 'private_key_jwt', '`none` besides its preferred method'],
    [registration.includes('"scope":""'), 'an empty `scope` treated as absent'],
    [!authorization.includes('&scope='), 'a default scope'],
    [reads?.callback?.includes('iss') === true, '`iss` with the code'],
    [probe !== undefined, `a challenge to ${probe?.trim().split(' ')[0]}`],
    [refresh.includes('{granted_scope}'), 'a refresh that names its scope'],
  ]
}

function namesOf(statements: readonly Statement[]): readonly string[] {
  return statements.filter(([holds]) => holds).map(([, name]) => name)
}
