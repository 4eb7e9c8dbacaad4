import { modeOf, relyingParty } from './address.ts'
import { loginProblems } from './postgres-login.ts'
import { at, nameOf, valueAt } from './problems.ts'
import type { ParsedConfig } from './schema.ts'
import type { Merged } from './variables.ts'

/** Rules that concern several fields, or only production. Each returns its problems. */

export function problemsTogether(config: ParsedConfig, merged: Merged): readonly string[] {
  return [
    ...(modeOf(config) === 'production' ? inProduction(config, merged) : []),
    ...ofKnownClients(config, merged),
    ...atGateway(config),
    ...ofMail(config, merged),
    ...ofWorkers(config),
    ...loginProblems(config, merged),
    ...ofPersonalTokens(config, merged),
    ...ofAdmins(config, merged),
    ...ofRequiredPasskeys(config, merged),
  ]
}

/** Production has no defaults for secrets, keys, accounts and the base URL: the operator must set them. */
function inProduction(config: ParsedConfig, merged: Merged): readonly string[] {
  const { clientDocuments } = config.features
  const name = (key: string) => nameOf(merged, key.split('.'))
  const isLocal = modeOf({ baseUrl: config.baseUrl }) === 'development'
  const why = isLocal
    ? `${name('mode')} makes it production; without it, a loopback address is development`
    : 'Every address but a loopback one is production'
  const needed = {
    'DATABASE_URL is missing: a postgres:// URL, or sqlite: and the path of a file':
      config.database !== undefined,
    'SECRET is missing: at least 32 random characters': config.secret !== undefined,
    'KEYS_FILE is missing: a JSON Web Key set with the private signing keys; "keys rotate" makes one':
      config.keysFile !== undefined,
    'BASE_URL is missing: the public https URL': config.baseUrl !== undefined,
    [`${name('baseUrl')} must be an https URL in production${valueAt(merged, ['baseUrl'])}. ${why}`]:
      config.baseUrl?.startsWith('https://') ?? true,
    [`${name('limits')} must not be off in production`]: config.limits,
    [`${name('exampleProvider')} must not be on in production`]: config.exampleProvider !== true,
    // They allow requests to private addresses for unauthenticated callers (SSRF).
    [`${name('features.clientDocuments.testCa')} must not be set in production`]:
      clientDocuments.testCa === undefined,
    [`${name('features.clientDocuments.testResolve')} must not be set in production`]:
      at(merged.values, ['features', 'clientDocuments', 'testResolve']) === undefined,
  }
  return Object.entries(needed).flatMap(([problem, isMet]) => (isMet ? [] : [problem]))
}

function ofKnownClients({ features: { knownClients, registration } }: ParsedConfig, merged: Merged) {
  if (registration || knownClients.length === 0) return []
  const name = (key: string) => nameOf(merged, ['features', key])
  const example = `"clients add --known ${knownClients[0]}"`
  return [
    `${name('knownClients')} needs ${name('registration')}, which is off: add each client, as with ${example}`,
  ]
}

function atGateway({ features: { dpop, forwardAuth } }: ParsedConfig): readonly string[] {
  const needed = dpop.mode === 'required' && forwardAuth.enabled && forwardAuth.origin === undefined
  return needed
    ? ['FORWARD_AUTH_ORIGIN is missing: with DPOP=required the gateway needs proofs, which name its origin']
    : []
}

function ofMail({ mail: { url, from } }: ParsedConfig, merged: Merged): readonly string[] {
  if (url === undefined || from !== undefined) return []
  return [`MAIL_FROM is missing: with ${nameOf(merged, ['mail', 'url'])} mails need a sender`]
}

function ofWorkers({ workers, dataFolder, database, store }: ParsedConfig): readonly string[] {
  if (workers === 1) return []
  const place = database ?? `sqlite:${dataFolder}`
  return workerProblems({ database: place, store: store ?? place })
}

function ofPersonalTokens(
  { scopes, features: { personalTokens, dpop } }: ParsedConfig,
  merged: Merged,
): readonly string[] {
  const { enabled, days, maxDays } = personalTokens
  if (!enabled) return []
  const name = (key: string) => nameOf(merged, ['features', ...key.split('.')])
  const enables = name('personalTokens.enabled')
  return Object.entries({
    [`${enables} needs a scope with "personal: true": no token could have any`]: Object.values(scopes).some(
      ({ personal }) => personal,
    ),
    [`${enables} does not go with ${name('dpop.mode')} required: personal access tokens are bearer tokens`]:
      dpop.mode !== 'required',
    [`${name('personalTokens.days')} must be at most ${maxDays}, the value of ${name('personalTokens.maxDays')}`]:
      days <= maxDays,
  }).flatMap(([problem, isMet]) => (isMet ? [] : [problem]))
}

/** Otherwise no admin could ever change something. */
function ofAdmins(config: ParsedConfig, merged: Merged): readonly string[] {
  const { admin, users, features } = config
  if (admin.acr !== 'phr') return []
  const acr = nameOf(merged, ['admin', 'acr'])
  if (users?.kind === 'directory')
    return [`${acr} must not be phr: users of a directory sign in with a password`]
  if (users === undefined) return ofPasskeys(config, acr)
  return features.stepUp
    ? []
    : [
        `${acr} phr needs ${nameOf(merged, ['features', 'stepUp'])}: only then the application says how its users sign in`,
      ]
}

/** A file of providers is read later. */
function ofPasskeys(config: ParsedConfig, acr: string): readonly string[] {
  const trusts = config.upstreamFile !== undefined || config.upstream.some(({ trustAcr }) => trustAcr)
  const url = withoutPasskeys(config)
  if (trusts || url === undefined) return []
  return [`${acr} must not be phr: browsers have no passkeys at ${url}, and no provider has trustAcr`]
}

/** The base URL, if browsers have no passkeys there. */
function withoutPasskeys({ baseUrl, port }: ParsedConfig): string | undefined {
  const url = baseUrl ?? `http://127.0.0.1:${port}`
  return URL.canParse(url) && relyingParty(url) === undefined ? url : undefined
}

/** Otherwise these users could not sign in from that day on. */
function ofRequiredPasskeys(config: ParsedConfig, merged: Merged): readonly string[] {
  if (config.requirePasskey === undefined) return []
  const name = nameOf(merged, ['requirePasskey'])
  if (config.users !== undefined)
    return [`${name} needs the accounts of this server: those of users elsewhere have no passkeys here`]
  const url = withoutPasskeys(config)
  return url === undefined ? [] : [`${name} needs a host name: browsers have no passkeys at ${url}`]
}

// Where the processes of one server may share what they keep: by its place, why they cannot.

interface Places {
  readonly database: string
  readonly store: string
}

/**
 * The problems of more than one worker with these places; empty if there are none. In a memory of its own each worker would have
 * other clients and grants, and would count for rate limits alone. A SQLite file has one writer at a time, and no counters.
 */
export function workerProblems({ database, store }: Places): readonly string[] {
  if (!database.startsWith('postgres'))
    return [`more than one worker needs a postgres:// DATABASE_URL, not ${kindOf(database)}`]
  if (/^(memory|sqlite):/.test(store))
    return [
      `more than one worker needs a postgres://, redis://, mysql:// or dynamodb:// STORE_URL, not ${kindOf(store)}`,
    ]
  return []
}

/** Without the rest: a URL may have a password. */
function kindOf(place: string): string {
  return place.replace(/:.*$/s, ':')
}
