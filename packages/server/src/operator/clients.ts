import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AddedClient,
  type AuthorizationServer,
  type FoundInitialAccessToken,
  type InitialAccessToken,
  OAuthError,
  type PublicClient,
  type Store,
} from '@grantkit/core'
import { defineErrors } from '@grantkit/core/feature'
import { camelCased, clientRevision, publicClient, snakeCased } from '@grantkit/core/internal'
import type { TrailReader } from '../audit/reading.ts'
import type { Config } from '../config/config.ts'
import type { Page } from '../database/lists.ts'
import { CLIENT_MEMBERS, type Given, GRANTS, missingSetting } from './client-members.ts'

/** Milliseconds. A removal with few grants is done by then; with many, a page or the admin API answers before it is done. */
export const PATIENCE = 2000

const CLIENT_ERRORS = defineErrors({
  client_unknown: ['not_found', 'There is no such client', 404],
  client_stale: ['conflict', 'The client has changed meanwhile. Read it again', 412],
  client_member_refused: ['invalid_client_metadata', 'A member of the client is not possible here'],
  initial_access_token_unknown: ['not_found', 'There is no such initial access token', 404],
  initial_access_tokens_off: ['conflict', 'Initial access tokens need INITIAL_ACCESS_TOKENS=on', 409],
})
type ClientError = keyof typeof CLIENT_ERRORS

/** Whether what the operator names does not exist: a face may say so, or take a repeated removal as done. */
export function isUnknown(error: unknown): boolean {
  const reason = error instanceof OAuthError && error.reason
  return reason === 'client_unknown' || reason === 'initial_access_token_unknown'
}

export interface OperatorClientsOptions {
  readonly clients: AuthorizationServer['clients']
  readonly store: Pick<Store, 'clients'>
  readonly trail: TrailReader
  readonly features: Features
  /** Called with errors of work that continues after its result. */
  readonly onError: (error: unknown) => void
}

type Features = Config['features']

export type OperatorClients = ReturnType<typeof operatorClients>

/** What an operator does with clients and initial access tokens: on a page, by the admin API and by a command. */
export function operatorClients(options: OperatorClientsOptions) {
  const { clients, store, trail, features } = options
  /** @throws OAuthError `client_unknown` */
  async function read(id: string): Promise<PublicClient> {
    const client = await clients.find(id)
    if (client === undefined) throw new OAuthError(CLIENT_ERRORS.client_unknown)
    return client
  }
  return {
    find: (id: string) => clients.find(id),
    read,
    /** Every client of the store, in no order. */
    list: (origin?: string) => everyClient(store, origin),
    /** The clients of the trail, the latest first. @param cursor of a page */
    recent: (query: RecentQuery, cursor: string | undefined) => recentClients(trail, clients, query, cursor),
    /** @throws OAuthError that names the member at fault */
    add: async (members: Given) =>
      clients.add(camelCased(newClient(members, features)) as never).catch(inNamesAsSent),
    /**
     * @param revisions the states of the client that the operator saw; `undefined`: whatever it has become
     * @throws OAuthError that names the member at fault, `client_unknown`, or `client_stale` when the client is in another state
     */
    async update(id: string, members: Given, revisions?: readonly string[]): Promise<PublicClient> {
      const seen = await read(id)
      if (revisions?.includes(clientRevision(seen)) === false)
        throw new OAuthError(CLIENT_ERRORS.client_stale)
      const changes = camelCased(changedMembers(members, seen, features))
      return clients.update(id, changes, { seen }).catch(unknownOrStale).catch(inNamesAsSent)
    },
    /** @throws OAuthError that names the member at fault, `client_unknown`, or `conflict` */
    rotateSecret: (id: string, members: Given) =>
      clients.rotateSecret(id, camelCased(members)).catch(unknownClient),
    /** Ends the older secret. @returns whether it was live @throws OAuthError `client_unknown` or `conflict` */
    endOldSecret: (id: string) => clients.dropOldSecret(id).catch(unknownClient),
    remove: removal(options),
    /** @throws OAuthError that names the member at fault */
    async addInitialToken(members: Given): Promise<InitialAccessToken> {
      if (!features.registration || !features.initialAccessTokens)
        throw new OAuthError(CLIENT_ERRORS.initial_access_tokens_off)
      return clients.addInitialAccessToken(camelCased(members) as never)
    },
    /** Clients that registered with it stay. @throws OAuthError `initial_access_token_unknown` */
    async removeInitialToken(id: string): Promise<void> {
      if (!(await clients.removeInitialAccessToken(id)))
        throw new OAuthError(CLIENT_ERRORS.initial_access_token_unknown)
    },
    /** The tokens that have not expired, the newest first. @param cursor of a page */
    recentInitialTokens: (cursor: string | undefined) => recentInitialTokens(trail, clients, cursor),
  }
}

/** The errors of core that the operator has a name for. */
function asOwn(reasons: Readonly<Record<string, ClientError>>) {
  return (error: unknown): never => {
    const own = error instanceof OAuthError ? reasons[error.reason] : undefined
    throw own === undefined ? error : new OAuthError(CLIENT_ERRORS[own], undefined, { cause: error })
  }
}
const unknownClient = asOwn({ client_missing: 'client_unknown' })
/** Another change was faster. */
const unknownOrStale = asOwn({ client_missing: 'client_unknown', client_changed_meanwhile: 'client_stale' })

/** Core names members as its records do, and the operator sent the names of RFC 7591. @throws the error, in these names */
function inNamesAsSent(error: unknown): never {
  if (!(error instanceof OAuthError) || error.parameters.fault === undefined) throw error
  const { member = '', fault, other = '' } = error.parameters
  const description = `${asSent(member)}${fault}${asSent(other)}`
  throw new OAuthError({ ...error, description }, undefined, { ...error, cause: error })
}

function asSent(member: string): string {
  return Object.keys(snakeCased({ [member]: true })).join()
}

/**
 * Removes a client, and ends its grants. The client itself is removed first: from then on none of its codes and tokens can be
 * exchanged or refreshed. A repeated removal shares the work of the one before.
 *
 * @param patience how long to wait, in milliseconds. Default: until all grants have ended
 * @returns how many grants ended; `undefined`: they are still ending, because a removal reads every grant
 * @throws OAuthError `client_unknown`
 */
type RemoveClient = (id: string, patience?: number) => Promise<number | undefined>

function removal({ clients, onError }: OperatorClientsOptions): RemoveClient {
  const pending = new Map<string, Promise<number>>()
  async function removed(id: string): Promise<number> {
    const { existed, grantsEnded } = await clients.remove(id)
    if (!existed && grantsEnded === 0) throw new OAuthError(CLIENT_ERRORS.client_unknown)
    return grantsEnded
  }
  return async (id, patience) => {
    const work = pending.get(id) ?? removed(id).finally(() => pending.delete(id))
    pending.set(id, work)
    if (patience === undefined) return work
    let answered = false
    work.catch((error) => answered && !isUnknown(error) && onError(error))
    const result = await Promise.race([work, sleep(patience, undefined, { ref: false })])
    answered = true
    return result
  }
}

/** A scan may return a client twice. */
async function* everyClient({ clients }: Pick<Store, 'clients'>, origin?: string) {
  const seen = new Set<string>()
  for await (const client of clients.scan()) {
    if ((origin !== undefined && client.origin !== origin) || seen.has(client.clientId)) continue
    seen.add(client.clientId)
    yield publicClient(client)
  }
}

// The rules that concern several members, or a feature. What one member may be, core checks.

/** @throws OAuthError that names the member */
function newClient(given: Given, features: Features): Given {
  if (given.client_name === undefined && given.known === undefined)
    throw refused('client_name', 'is required, unless known names a known client')
  const members = inFull({ redirect_uris: [], ...given })
  requireFeatures(members, features)
  if (!hasClientCredentials(members)) return members
  requireNoUsers(members)
  return features.profile === undefined
    ? { token_endpoint_auth_method: 'client_secret_basic', ...members }
    : members
}

function changedMembers(given: Given, seen: PublicClient, features: Features): Given {
  const members = inFull(given, seen)
  requireFeatures(members, features)
  if (hasClientCredentials(members)) requireNoUsers({ ...snakeCased(seen), ...members })
  return members
}

function hasClientCredentials({ grant_types }: Given): boolean {
  return listOf(grant_types).includes('client_credentials')
}

/** What `scope` and `grant` say in short. @param seen a client that changes */
function inFull({ scope, grant, ...named }: Given, seen?: PublicClient): Given {
  // A new client that serves a resource exchanges tokens.
  const exchanges = seen === undefined && isGiven(named.token_exchange_resources)
  const names = [...listOf(grant), ...(exchanges ? ['token_exchange'] : [])]
  const redirectUris = listOf(named.redirect_uris ?? seen?.redirectUris)
  const types = grantTypesOf(names, redirectUris)
  const members = types === undefined ? named : { grant_types: types, ...named }
  if (scope === undefined) return members
  const isOfItself = hasClientCredentials(members) || seen?.clientCredentialsScopes !== undefined
  return { ...members, [isOfItself ? 'client_credentials_scopes' : 'scopes']: scope }
}

/** A client with a redirect URI also has the authorization code grant. `undefined` for the default. */
function grantTypesOf(names: readonly string[], redirectUris: readonly string[]): string[] | undefined {
  if (names.length === 0) return undefined
  const unknown = names.find((name) => !Object.hasOwn(GRANTS, name))
  if (unknown !== undefined) throw refused('grant_types', `must be ${Object.keys(GRANTS).join(' or ')}`)
  const usual = redirectUris.length === 0 ? [] : ['authorization_code', 'refresh_token']
  return [...new Set([...usual, ...names.flatMap((name) => GRANTS[name]?.types ?? [])])]
}

/** @throws OAuthError that names the setting of the feature that is off */
function requireFeatures(members: Given, features: Features): void {
  const types = listOf(members.grant_types)
  for (const [name, { types: own, needs }] of Object.entries(GRANTS)) {
    const missing = types.includes(own[0]) ? missingSetting(needs, features) : undefined
    if (missing !== undefined) throw refused('grant_types', `${name} needs ${missing}`)
  }
  for (const [name, { needs }] of Object.entries(CLIENT_MEMBERS)) {
    const missing = needs && isGiven(members[name]) ? missingSetting(needs, features) : undefined
    if (missing !== undefined) throw refused(name, `needs ${missing}`)
  }
}

/** A client with client credentials signs no users in: that is a second client, with another id. @throws OAuthError */
function requireNoUsers(members: Given): void {
  if (isGiven(members.redirect_uris))
    throw refused('redirect_uris', 'must be empty: client_credentials has no redirect')
  if (listOf(members.grant_types).length > 1)
    throw refused('grant_types', 'client_credentials cannot be combined with another grant: add two clients')
  if (!isGiven(members.client_credentials_scopes))
    throw refused('client_credentials_scopes', 'is required: it lists everything that the client can do')
  if (members.token_endpoint_auth_method === 'none')
    throw refused('token_endpoint_auth_method', 'cannot be none: client_credentials needs authentication')
}

function refused(member: string, fault: string): OAuthError {
  return new OAuthError(CLIENT_ERRORS.client_member_refused, `${member} ${fault}`, {
    parameters: { member, fault },
  })
}

/** Whether a client has more by it than without it. The scopes of old records are one text. */
function isGiven(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value : []
}

/** A client by the names of RFC 7591. An added one has its secret, this once. */
export function clientInformation({
  createdAt,
  expiresAt: _,
  ...client
}: AddedClient): Record<string, unknown> {
  return { ...snakeCased(client), client_id_issued_at: createdAt }
}

/** An initial access token. An added one has its text, this once. */
export function initialTokenInformation({
  expiresAt,
  ...token
}: InitialAccessToken | FoundInitialAccessToken) {
  return { ...token, expires_at: new Date(expiresAt * 1000).toISOString() }
}

// What the trail knows. The store has no lists.

/** What happened to a client, with the types of the entries. A user may allow one on its device too. */
export const CLIENT_ENTRIES = {
  added: ['client_added'],
  registered: ['client_registered'],
  allowed: ['consent_granted', 'device_approved', 'backchannel_approved'],
} as const

interface RecentQuery {
  /** Default: each of them. */
  readonly entries?: keyof typeof CLIENT_ENTRIES | undefined
  /** ISO 8601, in UTC. */
  readonly since?: string | undefined
  /** Entries that are read for one page. */
  readonly limit?: number | undefined
}

/** A client in the audit trail. */
export interface RecentClient {
  readonly client: PublicClient
  /** Its latest entry. */
  readonly type: string
  /** ISO 8601, in UTC. */
  readonly at: string
}

/** Entries that are read for one page. */
const READ = 50

/**
 * The existing clients of these entries, each once a page. Listing clients in the store would read all of them, maybe a
 * million; the trail has an index, so this reads some entries.
 */
async function recentClients(
  trail: TrailReader,
  clients: AuthorizationServer['clients'],
  { entries: kind, since, limit = READ }: RecentQuery,
  cursor: string | undefined,
): Promise<Page<RecentClient>> {
  const types = kind === undefined ? Object.values(CLIENT_ENTRIES).flat() : CLIENT_ENTRIES[kind]
  const { items: entries, next } = await trail.page({ types, since }, limit, cursor)
  const latest = new Map<string, { type: string; at: string }>()
  for (const { clientId, type, at } of entries)
    if (clientId !== undefined && !latest.has(clientId)) latest.set(clientId, { type, at })
  const found = [...latest].map(async ([clientId, entry]) => {
    const client = await clients.find(clientId)
    return client === undefined ? [] : [{ client, ...entry }]
  })
  return { items: (await Promise.all(found)).flat(), next }
}

async function recentInitialTokens(
  trail: TrailReader,
  clients: AuthorizationServer['clients'],
  cursor: string | undefined,
): Promise<Page<FoundInitialAccessToken>> {
  const { items: entries, next } = await trail.page({ types: ['initial_access_token_added'] }, READ, cursor)
  const ids = entries.map(({ initialAccessToken }) => String(initialAccessToken))
  const found = await Promise.all(ids.map((id) => clients.findInitialAccessToken(id)))
  return { items: found.filter((token) => token !== undefined), next }
}
