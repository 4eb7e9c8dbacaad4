import { isLoopbackUrl } from '@grantkit/core/feature'
import { isOnByDefault, type KnownClient } from '@grantkit/known-clients'
import type { McpClient } from '@grantkit/mcp-clients'

export function replayRow(client: McpClient, known: readonly KnownClient[]): readonly string[] {
  const { name, version, date, tried = '' } = client
  return [
    `${name} ${version}`,
    date,
    testsOf(client),
    namesOf(whatItDoes(client)).join(', '),
    namesOf(needsOf(client)).join('; '),
    setting(client, known),
    tried,
  ]
}

type Statement = readonly [holds: boolean, name: string]

function testsOf({ recorded, tried }: McpClient): string {
  const replay = recorded === false ? 'published' : 'recorded'
  return tried === undefined ? replay : `${replay}, driven`
}

function whatItDoes({ document, requests }: McpClient): readonly Statement[] {
  const { registration, token, refresh, toolCall, revocation } = requests
  return [
    [registration !== undefined, 'registers'],
    [document !== undefined, `has [its document](${document?.client_id})`],
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

/** Which setting lets it in, at a server that lets clients register. */
function setting(client: McpClient, entries: readonly KnownClient[]): string {
  const { known, redirectUri, redirectUris = [redirectUri], requests, document } = client
  if (requests.registration === undefined && document === undefined) return 'the operator adds it'
  if (redirectUris.every(isLoopback)) return 'none: on loopback'
  const entry = entries.find(({ id }) => id === known)
  const named = entry !== undefined && isOnByDefault(entry) ? `\`${known}\`, on by default` : `\`${known}\``
  return isLoopback(redirectUri) ? `none on loopback, otherwise ${named}` : named
}

function isLoopback(uri: string): boolean {
  return isLoopbackUrl(uri.replace(':{port}', ''))
}

function namesOf(statements: readonly Statement[]): readonly string[] {
  return statements.filter(([holds]) => holds).map(([, name]) => name)
}
