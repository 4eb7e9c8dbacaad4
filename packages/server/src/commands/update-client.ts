import { styleText } from 'node:util'
import type { ClientChanges, PublicClient, RotatedSecret } from '@grantkit/core'
import { type ArgsDef, defineCommand, type ParsedArgs } from 'citty'
import type { Config } from '../config/config.ts'
import { DAY_SECONDS } from '../config/time-units.ts'
import type { LoadService } from '../definition.ts'
import { camelCased } from '../operator/clients.ts'
import {
  grantTypesOf,
  LIMIT_ARGS,
  limitsOf,
  readKeySet,
  requireFeatures,
  SESSION_ARGS,
} from './client-options.ts'
import { everyValue, UsageError, wholeNumber } from './command-line.ts'
import { clientInformation, clientLines, isoTime, jsonText, plain } from './terminal.ts'
import { withSharedStore } from './with-service.ts'

const client_id = { type: 'positional', required: true } as const

/** Gives a client a new secret, while the one in use stays valid for some days. */
export const rotateSecret = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Gives a client a new secret; the one in use stays valid for some days' },
    args: {
      client_id,
      'overlap-days': {
        type: 'string',
        valueHint: 'days',
        description: 'how long the secret in use stays valid: 0 to 30, by default 1. 0 if it leaked',
      },
      'expires-in-days': {
        type: 'string',
        valueHint: 'days',
        description: 'the new secret is valid so long, at most 3650; default: without end',
      },
      'new-secret-lost': {
        type: 'boolean',
        description: 'the last new secret was lost before it was in use: replace it, and keep the one in use',
      },
      json: { type: 'boolean', description: 'prints JSON' },
    },
    run: async ({ args }) => {
      const rotation = {
        overlap: secondsOf('--overlap-days', args['overlap-days'], { min: 0, max: 30 }),
        expiresIn: secondsOf('--expires-in-days', args['expires-in-days'], { min: 1, max: 3650 }),
        newSecretLost: args['new-secret-lost'],
      }
      await withSharedStore(await load(), async ({ clients }) =>
        console.log(shown(await clients.rotateSecret(args.client_id, rotation), args.json)),
      )
    },
  })

/** Ends the older secret of a client before its time. */
export const dropOldSecret = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Ends the older secret of a client at once' },
    args: { client_id },
    run: async ({ args }) =>
      withSharedStore(await load(), async ({ clients }) => {
        const dropped = await clients.dropOldSecret(args.client_id)
        console.log(dropped ? 'The older secret has ended.' : `${plain(args.client_id)} has no older secret.`)
      }),
  })

/** The seconds of an option in days. @throws UsageError */
export function secondsOf(
  option: string,
  days: string | undefined,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined {
  if (days === undefined) return undefined
  const number = wholeNumber(option, days, min)
  if (number > max) throw new UsageError(`${option} must be at most ${max}, not ${number}.`)
  return number * DAY_SECONDS
}

function shown(rotated: RotatedSecret, json = false): string {
  const { clientId, clientSecret, clientSecretExpiresAt, oldSecretEndsAt } = rotated
  if (json)
    return jsonText(
      {
        client_id: clientId,
        client_secret: clientSecret,
        client_secret_expires_at: clientSecretExpiresAt,
        old_secret_ends_at: oldSecretEndsAt,
      },
      2,
    )
  const older = oldSecretEndsAt === undefined ? 'has ended' : `ends at ${isoTime(oldSecretEndsAt)}`
  return [
    `client_secret  ${clientSecret}`,
    styleText('dim', 'The secret is shown this once; only its hash is kept.'),
    ...(clientSecretExpiresAt === 0 ? [] : [`It ends at ${isoTime(clientSecretExpiresAt)}.`]),
    `The older secret ${older}.`,
  ].join('\n')
}

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
