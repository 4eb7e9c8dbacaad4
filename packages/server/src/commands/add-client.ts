import { styleText } from 'node:util'
import type { AddedClient, PublicClient, StaticClient } from '@grantkit/core'
import { type ArgsDef, defineCommand, type ParsedArgs } from 'citty'
import type { Config } from '../config/config.ts'
import type { LoadService } from '../definition.ts'
import {
  clientCredentialsClient,
  grantTypesOf,
  LIMIT_ARGS,
  limitsOf,
  readKeySet,
  requireFeatures,
  SESSION_ARGS,
} from './client-options.ts'
import { everyValue, UsageError } from './command-line.ts'
import { clientInformation, jsonText, pkceMarks, plain, removalLine, scopeText } from './terminal.ts'
import { secondsOf } from './update-client.ts'
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

const uri = 'https URI'
const args = {
  name: { type: 'string', description: 'required, unless --known has it' },
  known: {
    type: 'string',
    valueHint: 'client',
    description: 'a known client such as cursor, with its name and its redirect URIs',
  },
  'redirect-uri': {
    type: 'string',
    valueHint: uri,
    description: 'where its users return to; may be repeated',
  },
  scope: {
    type: 'string',
    valueHint: 'scopes',
    description: 'the scopes it may request; default: all but admin:read and admin:write',
  },
  auth: {
    type: 'string',
    valueHint: 'method',
    description:
      'client_secret_basic or client_secret_post, either works if both are offered; or private_key_jwt',
  },
  jwks: { type: 'string', valueHint: 'file', description: 'its public keys, for private_key_jwt' },
  'jwks-uri': { type: 'string', valueHint: uri, description: 'where it publishes its keys' },
  public: { type: 'boolean', description: 'it cannot keep a secret' },
  pkce: {
    type: 'enum',
    options: ['optional'],
    description: 'it sends no PKCE challenge, but openid and a nonce; not together with --public',
  },
  nonce: {
    type: 'enum',
    options: ['optional'],
    description:
      'with --pkce optional: it sends no nonce either, so an injected code is not noticed. For OpenID certification and old software',
  },
  'id-token-claims': {
    type: 'boolean',
    description: "its ID tokens have the user's name and e-mail address, if it may see them",
  },
  'id-token-signed-response-alg': {
    type: 'enum',
    options: ['RS256', 'ES256', 'EdDSA'],
    description: 'default: RS256, or ES256 with PROFILE=fapi2',
  },
  'remember-consent': {
    type: 'boolean',
    description: 'do not ask a user again for what they allowed it before',
  },
  'resource-server': {
    type: 'boolean',
    description: 'it may introspect every token; needs no redirect URI',
  },
  'post-logout-redirect-uri': {
    type: 'string',
    valueHint: uri,
    description: 'where its users may be sent after signing out, with LOGOUT=on; may be repeated',
  },
  ...SESSION_ARGS,
  grant: {
    type: 'string',
    description:
      'device: its users type a code, with DEVICE_GRANT. client_credentials: it gets tokens for itself and has no users, with CLIENT_CREDENTIALS=on. token_exchange: it may exchange access tokens for narrower ones, with TOKEN_EXCHANGE=on. jwt_bearer: it presents assertions, with features.jwtBearer. May be repeated',
  },
  'token-exchange-resource': {
    type: 'string',
    valueHint: 'URI',
    description: 'the resource it serves: it may exchange the tokens of its callers; may be repeated',
  },
  push: {
    type: 'enum',
    options: ['required'],
    description: 'its authorization requests must be pushed, with PAR=on',
  },
  dpop: { type: 'boolean', description: 'its tokens must be bound to a key of its own, with DPOP' },
  ...LIMIT_ARGS,
  'expires-in-days': {
    type: 'string',
    valueHint: 'days',
    description: 'its secret is valid so long, at most 3650; default: without end',
  },
  json: { type: 'boolean', description: 'prints JSON' },
} as const satisfies ArgsDef
type Args = ParsedArgs<typeof args>

/** Adds a static client, for example with fixed https redirect URIs, which cannot register itself. */
export const addClient = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Adds a static client, which an operator registers' },
    args,
    run: async ({ args, rawArgs }) => {
      const names = namesOf(args)
      const configured = await load()
      requireFeatures(args, configured.config.features)
      if (args.public && args.auth !== undefined)
        throw new UsageError('--public and --auth exclude each other.')
      const clientSecretExpiresIn = secondsOf('--expires-in-days', args['expires-in-days'], {
        min: 1,
        max: 3650,
      })
      const metadata = {
        ...names,
        ...(await metadataOf(args, rawArgs, configured.config.features)),
        ...limitsOf(args),
        clientSecretExpiresIn,
      }
      await withSharedStore(configured, async ({ clients }) =>
        console.log(shown(await clients.add(metadata), args.json)),
      )
    },
  })

/** @throws UsageError */
function namesOf({ name, known }: Args): { clientName: string } | { clientName?: string; known: string } {
  if (known !== undefined) return name === undefined ? { known } : { known, clientName: name }
  if (name === undefined) throw new UsageError('--name is required.')
  return { clientName: name }
}

async function metadataOf(
  args: Args,
  words: readonly string[],
  features: Config['features'],
): Promise<Omit<StaticClient, 'clientName'>> {
  const several = (option: keyof typeof args) => everyValue(words, option)
  const someOf = (values: string[]) => (values.length === 0 ? undefined : values)
  const [grants, redirectUris] = [several('grant'), several('redirect-uri')]
  const resources = several('token-exchange-resource')
  const jwks = args.jwks === undefined ? undefined : await readKeySet(args.jwks)
  const proofs = { jwks, jwksUri: args['jwks-uri'], dpopBoundAccessTokens: args.dpop }
  const { scope, auth } = args
  if (grants.includes('client_credentials'))
    return {
      ...clientCredentialsClient(features, { grants, redirectUris, scope, auth, public: args.public }),
      ...proofs,
    }
  // A client that serves a resource exchanges tokens.
  const allGrants = resources.length === 0 ? grants : [...grants, 'token_exchange']
  return {
    ...proofs,
    redirectUris,
    tokenEndpointAuthMethod: args.public ? 'none' : auth,
    pkceOptional: args.pkce === 'optional',
    nonceOptional: args.nonce === 'optional',
    idTokenClaims: args['id-token-claims'],
    idTokenSignedResponseAlg: args['id-token-signed-response-alg'],
    rememberConsent: args['remember-consent'] ?? false,
    resourceServer: args['resource-server'] ?? false,
    scopes: scope?.split(' '),
    grantTypes: grantTypesOf(features, allGrants, redirectUris),
    requirePushedAuthorizationRequests: args.push === undefined ? undefined : true,
    tokenExchangeResources: someOf(resources),
    postLogoutRedirectUris: someOf(several('post-logout-redirect-uri')),
    backchannelLogoutUri: args['backchannel-logout-uri'],
    backchannelLogoutSessionRequired: args['backchannel-logout-session-required'],
    sessionBound: args['session-bound'],
  }
}

function shown(added: AddedClient, json = false): string {
  const { clientId, clientSecret } = added
  if (json) return jsonText({ ...clientInformation(added), client_secret: clientSecret }, 2)
  const once = styleText('dim', 'The secret is shown this once; only its hash is kept.')
  const secret = clientSecret === undefined ? '' : `\nclient_secret  ${clientSecret}\n${once}`
  return `client_id      ${clientId}${secret}`
}
