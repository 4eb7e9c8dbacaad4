import { KNOWN_CLIENTS } from '@grantkit/known-clients'
import { mcpClients } from '@grantkit/mcp-clients'
import { expect, it } from 'vitest'
import { registeredUrisOf } from './registered-redirect-uris.ts'

const withFixedUris = KNOWN_CLIENTS.filter(({ redirectUris }) => redirectUris.length > 0)

it.each(withFixedUris)('$id registers the redirect URIs that it was seen to register', (client) => {
  const seen = mcpClients
    .filter(({ known }) => known === client.id)
    .flatMap(({ redirectUri, redirectUris = [redirectUri] }) => redirectUris)
  expect([...registeredUrisOf(client)].sort()).toEqual([...new Set(seen)].sort())
})
