import { styleText } from 'node:util'
import type { PublicClient } from '@grantkit/core'
import { defineCommand } from 'citty'
import type { LoadService } from '../definition.ts'
import { clientInformation } from '../operator/clients.ts'
import { addClient, clientCommand, removeClient } from './clients.ts'
import { dayOf, jsonText, pkceMarks, plain } from './terminal.ts'

/** Adds, lists and removes static clients, for a service that has a command of its own for them. */
export const staticClients = (load: LoadService) =>
  defineCommand({
    meta: {
      description: 'Adds, lists and removes integrations: static clients, which cannot register themselves',
    },
    subCommands: {
      add: addClient(load),
      list: list(load),
      remove: removeClient(load),
    },
  })

const list = clientCommand(
  'Every integration',
  { json: { type: 'boolean', description: 'prints JSON' } },
  async (clients, { json }) => {
    const integrations: PublicClient[] = []
    for await (const client of clients.list('integration')) integrations.push(client)
    integrations.sort((one, other) => one.createdAt - other.createdAt)
    if (json) return console.log(jsonText(integrations.map(clientInformation), 2))
    if (integrations.length === 0) console.log('There are no integrations.')
    for (const client of integrations) console.log(linesOf(client).join('\n'))
  },
)

function linesOf(client: PublicClient): string[] {
  const { clientId, clientName = '', createdAt, scopes, clientCredentialsScopes } = client
  const marks = [
    ...(client.tokenEndpointAuthMethod === 'none' ? ['public'] : []),
    ...(clientCredentialsScopes === undefined ? [] : ['client_credentials']),
    ...pkceMarks(client),
    ...(client.idTokenClaims ? ['ID tokens have claims'] : []),
    ...(client.resourceServer ? ['resource server'] : []),
    ...(client.requirePushedAuthorizationRequests ? ['must push its requests'] : []),
    ...(client.dpopBoundAccessTokens ? ['tokens are bound'] : []),
    ...(client.rememberConsent ? ['consent is remembered'] : []),
    ...(client.knownClient ? [`known client ${client.knownClient}`] : []),
  ]
  const uris = (label: string, values: readonly string[] = []) =>
    values.map((uri) => `  ${label}  ${plain(uri)}`)
  return [
    `${plain(clientId)}  ${styleText('bold', plain(clientName))}  ${marks.join(', ')}`,
    `  added     ${dayOf(createdAt)}`,
    // In old records they are one text.
    `  scope     ${[clientCredentialsScopes ?? scopes ?? 'all'].flat().join(' ')}`,
    ...uris('redirect', client.redirectUris),
    ...uris('exchange', client.tokenExchangeResources),
    ...uris('sign-out', client.postLogoutRedirectUris),
    ...uris('logout  ', client.backchannelLogoutUri === undefined ? [] : [client.backchannelLogoutUri]),
  ]
}
