import { styleText } from 'node:util'
import type { AddedClient, ClientRemoval, PublicClient, StaticClient } from '@grantkit/core'
import type { Service } from '../service.ts'
import { parseSettings } from '../settings/settings.ts'
import { clientCredentialsIntegration, readKeySet } from './client-credentials-integration.ts'
import { removalLine } from './client-lines.ts'
import { readCommandLine, refuse } from './command-line.ts'
import { grantTypesOf } from './grant-option.ts'
import { fail, jsonText, plain } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

/**
 * Adds, lists and removes integrations: static clients, for example with fixed https redirect URIs, which cannot
 * register themselves.
 */

const USAGE = `pnpm integration list
pnpm integration remove <client_id>
pnpm integration add --name <name> [--redirect-uri <https URI>]... [--scope <scopes>]
                     [--auth <method> | --public] [--pkce optional] [--id-token-claims]
                     [--remember-consent] [--resource-server]
                     [--post-logout-redirect-uri <https URI>]... [--grant device|token_exchange]...
                     [--token-exchange-resource <URI>]... [--push required] [--dpop]
                     [--jwks <file> | --jwks-uri <https URI>] [--id-token-signed-response-alg <alg>]
pnpm integration add --name <name> --grant client_credentials --scope <scopes> [--auth <method>] [--jwks <file>] [--dpop]

  --redirect-uri      where its users are redirected to; may be repeated
  --scope             the scopes it may request; default: all
  --auth              client_secret_basic or client_secret_post, either works if both are offered; or private_key_jwt
  --jwks, --jwks-uri  its public keys, for private_key_jwt: a file with a JSON Web Key set, or where it is published
  --public            it cannot keep a secret
  --pkce optional     it sends no PKCE challenge, but a nonce; not together with --public
  --id-token-claims   its ID tokens have the user's name and e-mail address, if it may see them
  --id-token-signed-response-alg  RS256, ES256 or EdDSA; default: RS256, or ES256 with PROFILE=fapi2
  --remember-consent  do not ask a user again for what they allowed it before
  --resource-server   it may introspect every token; needs no redirect URI
  --post-logout-redirect-uri  where its users may be sent after signing out, with LOGOUT=on; may be repeated
  --grant device      it has no browser: its users type a code, with DEVICE_GRANT; needs no redirect URI
  --grant client_credentials  it gets tokens for itself and has no users, with CLIENT_CREDENTIALS=on
  --grant token_exchange  it may exchange access tokens for narrower ones, with TOKEN_EXCHANGE=on
  --token-exchange-resource  the resource it serves: it may exchange the tokens of its callers; may be repeated
  --push required     its authorization requests must be pushed, with PAR=on
  --dpop              its tokens must be bound to a key of its own, with DPOP
  --json              prints JSON; with every command`

const { values, positionals } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: {
    name: { type: 'string' },
    'redirect-uri': { type: 'string', multiple: true, default: [] },
    scope: { type: 'string' },
    auth: { type: 'string' },
    jwks: { type: 'string' },
    'jwks-uri': { type: 'string' },
    public: { type: 'boolean', default: false },
    pkce: { type: 'string' },
    json: { type: 'boolean', default: false },
    'id-token-claims': { type: 'boolean' },
    'id-token-signed-response-alg': { type: 'string' },
    'remember-consent': { type: 'boolean', default: false },
    'resource-server': { type: 'boolean', default: false },
    'post-logout-redirect-uri': { type: 'string', multiple: true },
    grant: { type: 'string', multiple: true, default: [] },
    'token-exchange-resource': { type: 'string', multiple: true },
    push: { type: 'string' },
    dpop: { type: 'boolean' },
  },
})

try {
  await run()
} catch (error) {
  fail(error)
}

async function run(): Promise<void> {
  const [command, clientId, ...more] = positionals
  const { name } = values
  if (more.length > 0) refuse(USAGE, `Unexpected argument: ${more[0]}.`)
  if (command === 'add') {
    if (name === undefined) refuse(USAGE, '--name is required.')
    if (values['post-logout-redirect-uri'] !== undefined && parseSettings(process.env).LOGOUT === 'off')
      refuse(USAGE, '--post-logout-redirect-uri needs LOGOUT=on.')
    if (values.push !== undefined && (values.push !== 'required' || parseSettings(process.env).PAR === 'off'))
      refuse(USAGE, '--push must be required, and needs PAR=on.')
    if (values.pkce !== undefined && values.pkce !== 'optional') refuse(USAGE, '--pkce must be optional.')
    if (values.dpop && parseSettings(process.env).DPOP === 'off') refuse(USAGE, '--dpop needs DPOP=on.')
    if (values.public && values.auth !== undefined) refuse(USAGE, '--public and --auth exclude each other.')
    const metadata = await metadataOf(name)
    await withClients(async (clients) => printAdded(await clients.add(metadata)))
  } else if (command === 'list') await withClients(async (clients) => printList(await clients.list()))
  else if (command === 'remove') {
    if (clientId === undefined) refuse(USAGE, 'The client_id to remove is required.')
    await withClients(async (clients) => printRemoval(clientId, await clients.remove(clientId)))
  } else refuse(USAGE, 'The command must be add, list or remove.')
}

/** An integration that serves a resource exchanges tokens. */
function grants(): readonly string[] {
  return values['token-exchange-resource'] === undefined ? values.grant : [...values.grant, 'token_exchange']
}

function withClients(work: (clients: Service['clients']) => Promise<void>): Promise<void> {
  return withSharedStore(({ clients }) => work(clients))
}

async function metadataOf(name: string): Promise<StaticClient> {
  const jwks = values.jwks === undefined ? undefined : await readKeySet(values.jwks)
  const proofs = { jwks, jwksUri: values['jwks-uri'], dpopBoundAccessTokens: values.dpop }
  if (values.grant.includes('client_credentials'))
    return { ...clientCredentialsIntegration(USAGE, name, values), ...proofs }
  return {
    ...proofs,
    clientName: name,
    redirectUris: values['redirect-uri'],
    tokenEndpointAuthMethod: values.public ? 'none' : values.auth,
    pkceOptional: values.pkce === 'optional',
    idTokenClaims: values['id-token-claims'],
    idTokenSignedResponseAlg: values[
      'id-token-signed-response-alg'
    ] as StaticClient['idTokenSignedResponseAlg'],
    rememberConsent: values['remember-consent'],
    resourceServer: values['resource-server'],
    scopes: values.scope?.split(' '),
    grantTypes: grantTypesOf(USAGE, grants(), values['redirect-uri']),
    requirePushedAuthorizationRequests: values.push === undefined ? undefined : true,
    tokenExchangeResources: values['token-exchange-resource'],
    postLogoutRedirectUris: values['post-logout-redirect-uri'],
  }
}

function printAdded(added: AddedClient): void {
  const { clientId, clientSecret } = added
  if (values.json) {
    printJson({ ...informationOf(added), client_secret: clientSecret })
    return
  }
  console.log(`client_id      ${clientId}`)
  if (clientSecret !== undefined) {
    console.log(`client_secret  ${clientSecret}`)
    console.log(styleText('dim', 'The secret is shown this once; only its hash is kept.'))
  }
}

function printJson(value: unknown): void {
  console.log(jsonText(value, 2))
}

/** With the names of RFC 7591, as in a registration response. */
function informationOf({ createdAt, scopes, pkceOptional, ...client }: PublicClient): object {
  const { origin: _, expiresAt: __, clientCredentialsScopes, ...members } = client
  const named = Object.entries(members).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ])
  return {
    ...Object.fromEntries(named),
    client_id_issued_at: createdAt,
    scope: scopes?.join(' '),
    client_credentials_scopes: clientCredentialsScopes && scopeText(clientCredentialsScopes),
    pkce: pkceOptional ? 'optional' : 'required',
  }
}

/** Records of earlier releases have the client credentials scopes as one text. */
function scopeText(scopes: readonly string[] | string): string {
  return [scopes].flat().join(' ')
}

function printList(integrations: readonly PublicClient[]): void {
  if (values.json) {
    printJson(integrations.map(informationOf))
    return
  }
  if (integrations.length === 0) console.log('There are no integrations.')
  for (const client of integrations) {
    const marks = [
      ...(client.tokenEndpointAuthMethod === 'none' ? ['public'] : []),
      ...(client.clientCredentialsScopes === undefined ? [] : ['client_credentials']),
      ...(client.pkceOptional ? ['may leave out PKCE'] : []),
      ...(client.idTokenClaims ? ['ID tokens have claims'] : []),
      ...(client.resourceServer ? ['resource server'] : []),
      ...(client.requirePushedAuthorizationRequests ? ['must push its requests'] : []),
      ...(client.dpopBoundAccessTokens ? ['tokens are bound'] : []),
      ...(client.rememberConsent ? ['consent is remembered'] : []),
    ]
    const { clientId, clientName = '', createdAt, scopes, clientCredentialsScopes } = client
    console.log(`${plain(clientId)}  ${styleText('bold', plain(clientName))}  ${marks.join(', ')}`)
    console.log(`  added     ${new Date(createdAt * 1000).toISOString().slice(0, 10)}`)
    console.log(`  scope     ${scopeText(clientCredentialsScopes ?? scopes ?? 'all')}`)
    for (const uri of client.redirectUris) console.log(`  redirect  ${plain(uri)}`)
    for (const uri of client.tokenExchangeResources ?? []) console.log(`  exchange  ${plain(uri)}`)
    for (const uri of client.postLogoutRedirectUris ?? []) console.log(`  sign-out  ${plain(uri)}`)
  }
}

function printRemoval(clientId: string, removal: ClientRemoval): void {
  const line = removalLine(clientId, removal)
  if (values.json) printJson(removal)
  else console.log(line)
}
