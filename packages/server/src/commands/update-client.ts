import type { ClientChanges, PublicClient } from '@grantkit/core'
import { type ArgsDef, defineCommand, type ParsedArgs } from 'citty'
import { camelCased } from '../authorization/client-members.ts'
import type { Config } from '../config/config.ts'
import type { LoadService } from '../configured-service.ts'
import { readKeySet } from './client-credentials-client.ts'
import { clientInformation, clientLines } from './client-lines.ts'
import { LIMIT_ARGS, limitsOf, requireFeatures, SESSION_ARGS } from './client-options.ts'
import { everyValue, UsageError } from './command-line.ts'
import { grantTypesOf } from './grant-option.ts'
import { jsonText, plain } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

const uri = 'https URI'
const repeated = 'may be repeated; replaces all it has'
const args = {
  client_id: { type: 'positional', required: true },
  name: { type: 'string' },
  'redirect-uri': { type: 'string', valueHint: uri, description: `where its users return to; ${repeated}` },
  scope: {
    type: 'string',
    valueHint: 'scopes',
    description: 'the scopes it may request; of a client with client_credentials, those of its own tokens',
  },
  auth: {
    type: 'string',
    valueHint: 'method',
    description: 'how it authenticates. With private_key_jwt its secrets end',
  },
  jwks: { type: 'string', valueHint: 'file', description: 'its public keys, for private_key_jwt' },
  'jwks-uri': { type: 'string', valueHint: uri, description: 'where it publishes its keys' },
  pkce: { type: 'enum', options: ['required', 'optional'] },
  nonce: {
    type: 'enum',
    options: ['required', 'optional'],
    description: 'optional only with --pkce optional',
  },
  'id-token-claims': { type: 'boolean', description: 'or --no-id-token-claims, as with all such options' },
  'remember-consent': { type: 'boolean' },
  'resource-server': { type: 'boolean' },
  'post-logout-redirect-uri': {
    type: 'string',
    valueHint: uri,
    description: `where its users may be sent after signing out; ${repeated}`,
  },
  ...SESSION_ARGS,
  'id-token-signed-response-alg': { type: 'enum', options: ['RS256', 'ES256', 'EdDSA'] },
  grant: {
    type: 'string',
    description: `device, client_credentials, token_exchange or jwt_bearer, next to the code if it has a redirect URI; ${repeated}`,
  },
  'token-exchange-resource': { type: 'string', valueHint: 'URI', description: repeated },
  push: { type: 'enum', options: ['required', 'optional'] },
  dpop: { type: 'boolean', description: 'its tokens must be bound to a key of its own' },
  ...LIMIT_ARGS,
  unset: {
    type: 'string',
    valueHint: 'member',
    description:
      'a member to remove, such as scopes: then it may request all but admin:read and admin:write. May be repeated',
  },
  json: { type: 'boolean', description: 'prints JSON' },
} as const satisfies ArgsDef
type Args = ParsedArgs<typeof args>

/** Changes a static client. What is not named stays. */
export const updateClient = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Changes a client that an operator added; what is not named stays' },
    args,
    run: async ({ args, rawArgs }) => {
      const jwks = args.jwks === undefined ? undefined : await readKeySet(args.jwks)
      const configured = await load()
      const { features } = configured.config
      requireFeatures(args, features)
      await withSharedStore(configured, async ({ clients }) => {
        const seen = await clients.find(args.client_id)
        if (seen === undefined) throw new Error(`There is no client ${plain(args.client_id)}`)
        const changes = {
          ...changesOf(args, rawArgs, seen),
          ...withoutUndefined({ jwks, grantTypes: grantTypes(args, rawArgs, { features, seen }) }),
        }
        if (Object.keys(changes).length === 0) throw new UsageError('Name what changes, such as --name.')
        const client = await clients.update(args.client_id, changes, { seen })
        console.log(args.json ? jsonText(clientInformation(client), 2) : clientLines(client).join('\n'))
      })
    },
  })

function changesOf(args: Args, words: readonly string[], seen: PublicClient): ClientChanges {
  const all = (option: keyof typeof args) => {
    const values = everyValue(words, option)
    return values.length === 0 ? undefined : values
  }
  const unset = Object.fromEntries(everyValue(words, 'unset').map((name) => [name, null]))
  const scopes = args.scope?.split(' ')
  const given = {
    clientName: args.name,
    redirectUris: all('redirect-uri'),
    ...(seen.clientCredentialsScopes === undefined ? { scopes } : { clientCredentialsScopes: scopes }),
    tokenEndpointAuthMethod: args.auth,
    jwksUri: args['jwks-uri'],
    pkceOptional: args.pkce && args.pkce === 'optional',
    nonceOptional: args.nonce && args.nonce === 'optional',
    idTokenClaims: args['id-token-claims'],
    rememberConsent: args['remember-consent'],
    resourceServer: args['resource-server'],
    postLogoutRedirectUris: all('post-logout-redirect-uri'),
    backchannelLogoutUri: args['backchannel-logout-uri'],
    backchannelLogoutSessionRequired: args['backchannel-logout-session-required'],
    sessionBound: args['session-bound'],
    idTokenSignedResponseAlg: args['id-token-signed-response-alg'],
    ...limitsOf(args),
    tokenExchangeResources: all('token-exchange-resource'),
    requirePushedAuthorizationRequests: args.push && args.push === 'required',
    dpopBoundAccessTokens: args.dpop,
  }
  return { ...camelCased(unset), ...withoutUndefined(given) }
}

interface GrantContext {
  readonly features: Config['features']
  readonly seen: PublicClient
}

/** @throws UsageError */
function grantTypes(args: Args, words: readonly string[], { features, seen }: GrantContext) {
  const redirectUris =
    args['redirect-uri'] === undefined ? seen.redirectUris : everyValue(words, 'redirect-uri')
  return grantTypesOf(features, everyValue(words, 'grant'), redirectUris)
}

function withoutUndefined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
