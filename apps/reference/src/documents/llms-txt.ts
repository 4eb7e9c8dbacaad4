import type { KnownClient } from '@grantkit/known-clients'
import { areas } from '../oauth/scopes.ts'

/** The index for agents, in the llms.txt format: a title, a summary, and lists of links. */
export function llmsText(
  baseUrl: string,
  registers: 'openly' | 'with a token' | false,
  known: readonly KnownClient[],
): string {
  const link = (path: string, name: string, notes: string) => `- [${name}](${baseUrl}${path}): ${notes}`
  const catalogue = areas.filter(({ catalogue }) => catalogue)
  return `# Harbour School

> An online school with an API. Anybody may read its catalogue; a token of the user opens more. ${registers ? REGISTERS[registers] : 'Clients get'} tokens by OAuth 2.0 Authorization Code with PKCE.

There is no autonomous sign-in for agents: a person has to allow access in a browser, once.${aboutKnown(known)}

## Access

${link('/auth.md', 'Authentication walkthrough', 'discover, register, authorize, exchange, call, refresh, revoke, with commands that run')}
${link('/.well-known/oauth-authorization-server', 'Server metadata', 'every endpoint, grant type and scope; the source of truth')}
${link('/.well-known/oauth-protected-resource', 'Protected-resource metadata', 'which authorization server issues the tokens of the API')}

## API

${link('/openapi.json', 'OpenAPI description', 'every operation with its scopes, schemas and errors')}
${link('/docs', 'The same for people', 'a page to read and try it')}
- MCP server at \`${baseUrl}/mcp\` (Streamable HTTP): reads of the catalogue as tools and resources, for anybody

## Catalogue

${catalogue.map(({ name, title }) => link(`/api/${name}`, title, 'what is published, as JSON')).join('\n')}

## Optional

${link('/pricing.md', 'Pricing', 'membership plans, courses and digital products')}
`
}

const REGISTERS = {
  openly: 'Clients register themselves and get',
  'with a token': 'Clients register themselves with an initial access token of the operator, and get',
} as const

/** Empty if there is no known client. */
function aboutKnown(known: readonly KnownClient[]): string {
  if (known.length === 0) return ''
  const names = new Intl.ListFormat('en-GB').format(known.map(({ name }) => name))
  return `\nRedirect URIs are loopback addresses, or the fixed ones of ${names}.`
}
