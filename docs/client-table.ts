import { type McpClient, mcpClients } from '@grantkit/testkit/client'

/** The MCP clients of the test kit as the table of clients.md. */
export function clientTable(): string {
  const head = ['Client', 'Recorded', 'Registered by', 'Needs', 'Result with Grantkit']
  return [head, head.map(() => '---'), ...mcpClients.map(row)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

function row(client: McpClient): readonly string[] {
  const { name, version, date, tried = 'not tested: its published requests are replayed' } = client
  return [`${name} ${version}`, date, waysOf(client).join(', or '), needsOf(client).join('; '), tried]
}

function waysOf({ document, requests }: McpClient): readonly string[] {
  const byDocument = document === undefined ? [] : [`[its document](${document.client_id})`]
  return [...byDocument, ...(requests.registration === undefined ? [] : ['registration'])]
}

/** The requirements of this client that a server can miss. */
function needsOf({ redirectUri, requests, reads, document }: McpClient): readonly string[] {
  const { registration = '', authorization, refresh = '', toolCall, revocation, probe } = requests
  const needs: readonly (readonly [boolean, string])[] = [
    [redirectUri.startsWith('https:'), 'its https redirect URI admitted'],
    [redirectUri.includes('{port}'), 'any port'],
    [redirectUri.startsWith('http://localhost'), '`localhost` as loopback'],
    [
      document !== undefined && document.token_endpoint_auth_method !== 'none',
      '`none` besides its preferred method',
    ],
    [
      /"redirect_uris":[^\]]*https:/.test(registration),
      'for registration, https redirect URIs removed from a list',
    ],
    [registration.includes('"scope":""'), 'an empty `scope` treated as absent'],
    [!authorization.includes('&scope='), 'a default scope'],
    [reads?.callback?.includes('iss') === true, '`iss` with the code'],
    [probe !== undefined, `a challenge to ${probe?.trim().split(' ')[0]}`],
    [refresh.includes('{granted_scope}'), 'a refresh that names its scope'],
    [toolCall !== undefined, 'more scopes than it registered'],
    [revocation !== undefined, 'revocation without a secret'],
  ]
  return needs.filter(([needed]) => needed).map(([, need]) => need)
}
