import { styleText } from 'node:util'
import type { ClientRemoval, Integration, IntegrationInformation } from '@grantkit/core'
import type { Service } from '../service.ts'
import { parseSettings } from '../settings/settings.ts'
import { machineOf, readKeySet } from './client-credentials-integration.ts'
import { removalLine } from './client-lines.ts'
import { readCommandLine, refuse } from './command-line.ts'
import { grantTypesOf } from './grant-option.ts'
import { fail, jsonText, plain } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

/** Adds, lists and removes integrations: clients with fixed https redirect URIs, which cannot register themselves. */

const USAGE = `pnpm integration list
pnpm integration remove <client_id>
pnpm integration add --name <name> [--redirect-uri <https URI>]... [--scope <scopes>]
                     [--auth <method> | --public] [--pkce optional] [--id-token-claims]
                     [--remember-consent] [--resource-server]
                     [--post-logout-redirect-uri <https URI>]... [--grant device|token_exchange]...
                     [--token-exchange-resource <URI>]... [--push required] [--dpop]
                     [--jwks <file> | --jwks-uri <https URI>] [--id-token-signed-response-alg <alg>]
pnpm integration add --name <name> --grant client_credentials --scope <scopes> [--auth <method>] [--jwks <file>] [--dpop]

  --redirect-uri      where its users are sent back to; may be repeated
  --scope             the scopes it may ask for; all of them if left out
  --auth              client_secret_basic or client_secret_post, either works if both are offered; or private_key_jwt
  --jwks, --jwks-uri  its public keys, for private_key_jwt: a file with a JSON Web Key set, or where it is published
  --public            it cannot keep a secret
  --pkce optional     its software sends no PKCE challenge, but a nonce; not together with --public
  --id-token-claims   its ID tokens have the user's name and e-mail address, if it may see them
  --id-token-signed-response-alg  RS256, ES256 or EdDSA; RS256 if left out, ES256 with PROFILE=fapi2
  --remember-consent  do not ask a user again for what they allowed it before
  --resource-server   it may introspect every token; needs no redirect URI
  --post-logout-redirect-uri  where its users may be sent after signing out, with LOGOUT=on; may be repeated
  --grant device      it has no browser: its users type a code, with DEVICE_GRANT; needs no redirect URI
  --grant client_credentials  a job, which gets tokens for itself and has no users, with CLIENT_CREDENTIALS=on
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
  if (more.length > 0) refuse(USAGE, `There is one argument too many: ${more[0]}.`)
  if (command === 'add') {
    if (name === undefined) refuse(USAGE, '--name must be given.')
    if (values['post-logout-redirect-uri'] !== undefined && parseSettings(process.env).LOGOUT === 'off')
      refuse(USAGE, '--post-logout-redirect-uri needs LOGOUT=on.')
    if (values.push !== undefined && (values.push !== 'required' || parseSettings(process.env).PAR === 'off'))
      refuse(USAGE, '--push must be required, and needs PAR=on.')
    if (values.dpop && parseSettings(process.env).DPOP === 'off') refuse(USAGE, '--dpop needs DPOP=on.')
    if (values.public && values.auth !== undefined) refuse(USAGE, '--public and --auth exclude each other.')
    const metadata = await metadataOf(name)
    await withClients(async (clients) => printAdded(await clients.add(metadata)))
  } else if (command === 'list') await withClients(async (clients) => printList(await clients.list()))
  else if (command === 'remove') {
    if (clientId === undefined) refuse(USAGE, 'The client_id to remove must be given.')
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

async function metadataOf(name: string): Promise<Integration> {
  const jwks = values.jwks === undefined ? undefined : await readKeySet(values.jwks)
  const proofs = { jwks, jwks_uri: values['jwks-uri'], dpop_bound_access_tokens: values.dpop }
  if (values.grant.includes('client_credentials')) return { ...machineOf(USAGE, name, values), ...proofs }
  return {
    ...proofs,
    client_name: name,
    redirect_uris: values['redirect-uri'],
    token_endpoint_auth_method: values.public ? 'none' : values.auth,
    pkce: values.pkce as Integration['pkce'],
    id_token_claims: values['id-token-claims'],
    id_token_signed_response_alg: values[
      'id-token-signed-response-alg'
    ] as Integration['id_token_signed_response_alg'],
    remember_consent: values['remember-consent'],
    resource_server: values['resource-server'],
    scope: values.scope,
    grant_types: grantTypesOf(USAGE, grants(), values['redirect-uri']),
    require_pushed_authorization_requests: values.push === undefined ? undefined : true,
    token_exchange_resources: values['token-exchange-resource'],
    post_logout_redirect_uris: values['post-logout-redirect-uri'],
  }
}

function printAdded(added: IntegrationInformation): void {
  if (values.json) {
    printJson(added)
    return
  }
  const { client_id, client_secret } = added
  console.log(`client_id      ${client_id}`)
  if (client_secret !== undefined) {
    console.log(`client_secret  ${client_secret}`)
    console.log(styleText('dim', 'The secret is shown this once; only its hash is kept.'))
  }
}

function printJson(value: unknown): void {
  console.log(jsonText(value, 2))
}

function printList(integrations: readonly IntegrationInformation[]): void {
  if (values.json) {
    printJson(integrations)
    return
  }
  if (integrations.length === 0) console.log('There are no integrations.')
  for (const { client_id, client_name, client_id_issued_at, ...rest } of integrations) {
    const marks = [
      ...(rest.token_endpoint_auth_method === 'none' ? ['public'] : []),
      ...(rest.client_credentials_scopes === undefined ? [] : ['job']),
      ...(rest.pkce === 'optional' ? ['may leave out PKCE'] : []),
      ...(rest.id_token_claims ? ['ID tokens have claims'] : []),
      ...(rest.resource_server ? ['resource server'] : []),
      ...(rest.require_pushed_authorization_requests ? ['must push its requests'] : []),
      ...(rest.dpop_bound_access_tokens ? ['tokens are bound'] : []),
      ...(rest.remember_consent ? ['consent is remembered'] : []),
    ]
    console.log(`${plain(client_id)}  ${styleText('bold', plain(client_name))}  ${marks.join(', ')}`)
    console.log(`  added     ${new Date(client_id_issued_at * 1000).toISOString().slice(0, 10)}`)
    console.log(`  scope     ${rest.client_credentials_scopes ?? rest.scope ?? 'all'}`)
    for (const uri of rest.redirect_uris) console.log(`  redirect  ${plain(uri)}`)
    for (const uri of rest.token_exchange_resources ?? []) console.log(`  exchange  ${plain(uri)}`)
    for (const uri of rest.post_logout_redirect_uris ?? []) console.log(`  sign-out  ${plain(uri)}`)
  }
}

function printRemoval(clientId: string, removal: ClientRemoval): void {
  const line = removalLine(clientId, removal)
  if (values.json) printJson(removal)
  else console.log(line)
}
