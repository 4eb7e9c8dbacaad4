import { styleText } from 'node:util'
import type { PublicClient } from '@grantkit/core'
import { defineCommand } from 'citty'
import type { LoadService } from '../configured-service.ts'
import { addClient } from './add-client.ts'
import { clientInformation, pkceMarks, removalLine, scopeText } from './client-lines.ts'
import { jsonText, plain } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

const json = { type: 'boolean', description: 'prints JSON' } as const

/** Adds, lists and removes static clients, for a service that has a command of its own for them. */
export const staticClients = (load: LoadService) =>
  defineCommand({
    meta: {
      description: 'Adds, lists and removes integrations: static clients, which cannot register themselves',
    },
    subCommands: {
      add: addClient(load),
      list: list(load),
      remove: remove(load),
    },
  })

const list = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Every integration' },
    args: { json },
    run: async ({ args }) =>
      withSharedStore(await load(), async ({ clients }) => {
        const integrations = await clients.list()
        if (args.json) return console.log(jsonText(integrations.map(clientInformation), 2))
        if (integrations.length === 0) console.log('There are no integrations.')
        for (const client of integrations) console.log(linesOf(client).join('\n'))
      }),
  })

const remove = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Ends all grants and tokens of an integration' },
    args: { client_id: { type: 'positional', required: true }, json },
    run: async ({ args }) =>
      withSharedStore(await load(), async ({ clients }) => {
        const removal = await clients.remove(args.client_id)
        const line = removalLine(args.client_id, removal)
        console.log(args.json ? jsonText(removal, 2) : line)
      }),
  })

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
    `  added     ${new Date(createdAt * 1000).toISOString().slice(0, 10)}`,
    `  scope     ${scopeText(clientCredentialsScopes ?? scopes ?? 'all')}`,
    ...uris('redirect', client.redirectUris),
    ...uris('exchange', client.tokenExchangeResources),
    ...uris('sign-out', client.postLogoutRedirectUris),
    ...uris('logout  ', client.backchannelLogoutUri === undefined ? [] : [client.backchannelLogoutUri]),
  ]
}
