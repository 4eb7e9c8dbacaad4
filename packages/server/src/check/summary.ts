import type { Config } from '../config/config.ts'
import { takesAssertions } from '../config/jwt-bearer.ts'
import { masked } from '../config/url-passwords.ts'

/** What a server will run as, by subject. It has no secret, and no password of a URL. */
export function summaryOf(config: Config): readonly (readonly [subject: string, text: string])[] {
  const { baseUrl, host, port, mode, brand, database, store, secret, keysFile } = config
  const workloads = workloadsOf(config)
  return [
    ['Address', `${baseUrl}, listening on ${host}:${port}`],
    ['Mode', mode],
    ['Name', brand.name],
    ['Users', usersOf(config)],
    ['Scopes', Object.keys(config.scopes).join(', ')],
    ['Resources', resourcesOf(config)],
    ['Database', masked(database)],
    ['Store', store === database ? 'the same' : masked(store)],
    ['Secret', secret === undefined ? 'created at the first start, for development' : 'set, not shown'],
    ['Signing keys', keysFile ?? 'created at the first start, for development'],
    ['Features', featuresOf(config)],
    ...(workloads === '' ? [] : [['Workloads', workloads] as const]),
    ['Rate limits', config.limits ? 'on' : 'off'],
  ]
}

function usersOf({ users, upstream, upstreamFile }: Config): string {
  if (users?.kind === 'external') return `the application at ${masked(users.url)} signs them in`
  if (users !== undefined) return 'a directory'
  const providers = upstream.map(({ label }) => label).join(', ') || upstreamFile
  return providers === undefined ? 'accounts of this server' : `accounts of this server, and ${providers}`
}

function resourcesOf({ baseUrl, resources, features }: Config): string {
  const usual = features.jwtAccessTokens.enabled ? 'jwt' : 'opaque'
  return Object.entries({ [baseUrl]: {}, ...resources } as Config['resources'])
    .map(([resource, { accessTokens = usual, claims = [] }]) => {
      const named = claims.length === 0 ? '' : ` with ${claims.join(' ')}`
      return `${resource} (${accessTokens}${named})`
    })
    .join(', ')
}

function workloadsOf({ features }: Config): string {
  return features.jwtBearer.workloads
    .map(({ issuer, trustDomain, client }) => `${issuer ?? trustDomain} for the client ${client}`)
    .join(', ')
}

function featuresOf({ features, admin, mail }: Config): string {
  const {
    clientDocuments,
    knownClients,
    jwtAccessTokens,
    dpop,
    forwardAuth,
    clientAuthentication,
    clientAssertion,
    jwtBearer: _,
    personalTokens,
    ...others
  } = features
  const states = {
    ...others,
    clientDocuments: clientDocuments.enabled,
    knownClients: knownClients.join(', ') || 'off',
    jwtAccessTokens: jwtAccessTokens.enabled,
    clientAssertion: clientAssertion.audiences === 'endpoints' && 'endpoints',
    jwtBearer: takesAssertions(features),
    personalTokens: personalTokens.enabled,
    dpop: dpop.mode,
    forwardAuth: forwardAuth.enabled,
    adminApi: admin.api,
    mail: mail.url !== undefined,
  }
  const on = Object.entries(states).flatMap(([name, state]) => {
    if (state === undefined || state === false || state === 'off') return []
    return [typeof state === 'string' && state !== 'on' ? `${name} (${state})` : name]
  })
  return on.join(', ') || 'none'
}
