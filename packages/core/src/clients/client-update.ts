import * as z from 'zod'
import type { Kernel } from '../kernel/kernel.ts'
import { defineErrors, OAuthError } from '../kernel/oauth-error.ts'
import { type Client, camelCase } from '../kernel/records.ts'
import { newSecret, sha256 } from '../kernel/secrets.ts'
import type { Stored } from '../kernel/store.ts'
import {
  invalidMember,
  invalidMetadata,
  MAX_EXPIRES_IN,
  type Registrable,
  readMembers,
  staticMetadata,
} from './client-metadata.ts'
import { type PublicClient, publicClient, scopesOf, withoutUndefined } from './client-record.ts'
import { applicationTypeOf, redirectUriPolicyOf } from './redirect-uri.ts'
import {
  type ClientChanges,
  checkExceptions,
  checkRedirectUris,
  ownerAfterChange,
  type StaticClientOptions,
} from './static-clients.ts'

/** The operator changed the metadata of a static client. */
export interface ClientChanged {
  readonly type: 'client_changed'
  readonly clientId: string
  /** The names of the members that changed. */
  readonly members: readonly string[]
  /** What the URIs and scopes among them were; `null` for none. Absent if none of them changed. */
  readonly before?: Readonly<Record<string, unknown>> | undefined
  /** What they are now. */
  readonly after?: Readonly<Record<string, unknown>> | undefined
}

/** The members that decide who gets a code, and what for: an operator must be able to undo a change of them. */
const TOLD = [
  ...['redirectUris', 'postLogoutRedirectUris', 'scopes'],
  ...['clientCredentialsScopes', 'tokenExchangeResources', 'jwksUri'],
]

export interface ClientUpdateOptions {
  /** The client as `clients.find` returned it. If it has changed since, the update fails. */
  readonly seen: PublicClient
}

type Members = Readonly<Record<string, unknown>>

/** Changes static clients: what `clients.add` refuses is refused here too. */
export function clientUpdates(kernel: Kernel, registrable: Registrable, options: StaticClientOptions) {
  // Made at the first use: few processes change a client.
  let shape: Readonly<Record<string, z.ZodType>> | undefined
  const check = checkOf(registrable, options)
  return async (
    clientId: string,
    changes: ClientChanges,
    { seen }: ClientUpdateOptions,
  ): Promise<PublicClient> => {
    const stored = await storedClient(kernel, clientId)
    const before = publicClient(stored.value)
    if (before.origin !== 'integration') throw invalidMetadata('Only a client of the operator can be changed')
    if (clientRevision(before) !== clientRevision(seen))
      throw new OAuthError(CLIENT_CHANGE_ERRORS.client_changed_meanwhile)
    shape ??= staticMetadata(registrable)
    const values = valuesOf(changes, shape)
    const next = check(changedClient(kernel, stored.value, values, registrable), stored.value)
    const after = publicClient(next)
    const members = Object.keys(values).filter((name) => differs(before, after, name))
    if (members.length === 0) return before
    await replaceClient(kernel, stored, next)
    const told = members.filter((name) => TOLD.includes(name))
    const changed = told.length > 0 && { before: valuesIn(before, told), after: valuesIn(after, told) }
    kernel.emit({ type: 'client_changed', clientId, members, ...changed } satisfies ClientChanged)
    return after
  }
}

function valuesIn(client: PublicClient, names: readonly string[]): Members {
  return Object.fromEntries(names.map((name) => [name, Reflect.get(client, name) ?? null]))
}

function differs(before: PublicClient, after: PublicClient, name: string): boolean {
  return canonicalJson(valuesIn(before, [name])) !== canonicalJson(valuesIn(after, [name]))
}

/** Members of the schema that a static client has only at its registration, or not at all. */
const FIXED = ['scope', 'responseTypes', 'clientSecretExpiresIn']

/**
 * The new values by name: of `null`, the default of `clients.add`. Members that do not change are not read: another
 * release may have stored what this server would not register. @throws OAuthError
 */
function valuesOf(changes: Members, shape: Readonly<Record<string, z.ZodType>>): Members {
  const names = Object.keys(changes).filter((name) => changes[name] !== undefined)
  const fixed = names.find((name) => !Object.hasOwn(shape, name) || FIXED.includes(name))
  if (fixed !== undefined) throw invalidMember(fixed, ': no member that can be changed')
  const schema = z.object(Object.fromEntries(names.map((name) => [name, shape[name] ?? z.never()])))
  const given = membersWhere(changes, (name) => changes[name] !== null)
  const read: Members = readMembers(schema, given)
  return Object.fromEntries(names.map((name) => [name, read[name]]))
}

function membersWhere(values: Members, holds: (name: string) => boolean): Members {
  return Object.fromEntries(Object.entries(values).filter(([name]) => holds(name)))
}

/** The record with other values. What a feature reads has a place of its own. */
function changedClient(
  kernel: Kernel,
  client: Client,
  values: Members,
  { members = {} }: Registrable,
): Client {
  const ofFeatures = Object.keys(members).filter((name) => Object.hasOwn(values, camelCase(name)))
  const featureMetadata = withoutUndefined({
    ...client.featureMetadata,
    ...Object.fromEntries(ofFeatures.map((name) => [name, values[camelCase(name)]])),
  })
  const changed: Client = {
    ...client,
    ...membersWhere(values, (name) => !ofFeatures.some((other) => camelCase(other) === name)),
    featureMetadata: Object.keys(featureMetadata).length === 0 ? undefined : featureMetadata,
  }
  const scopes = Array.isArray(values.scopes)
    ? scopesOf(Object.keys(kernel.scopes), values.scopes.join(' '))
    : changed.scopes
  const applicationType = changed.applicationType ?? applicationTypeOf(changed.redirectUris)
  return { ...changed, scopes, applicationType }
}

function checkOf({ secretMethods = [], checkClient }: Registrable, options: StaticClientOptions) {
  const policy = redirectUriPolicyOf(options)
  return (changed: Client, before: Client): Client => {
    const client = withMethod(changed, before, secretMethods)
    const redirects = ['redirectUris', 'grantTypes', 'resourceServer'] as const
    if (redirects.some((name) => client[name] !== before[name])) checkRedirectUris(client, policy)
    const isMoved = client.redirectUris !== before.redirectUris
    const knownClient = isMoved ? ownerAfterChange(options, client, policy) : before.knownClient
    checkExceptions(client, knownClient)
    const next = withoutUndefined({ ...client, knownClient })
    checkClient?.(next)
    return next
  }
}

/** A confidential client may go from secrets to keys: its secrets end. @throws OAuthError */
function withMethod(client: Client, before: Client, secretMethods: readonly string[]): Client {
  const [method, from] = [client.tokenEndpointAuthMethod, before.tokenEndpointAuthMethod]
  if (method === from) return client
  if (method === 'none' || from === 'none')
    throw invalidMember(
      'tokenEndpointAuthMethod',
      ': a client stays public or confidential. Add another client',
    )
  if (!secretMethods.includes(method)) return { ...client, ...NO_SECRETS }
  if (client.secretHash === undefined)
    throw invalidMember('tokenEndpointAuthMethod', ': a client with keys gets no secret. Add another client')
  return client
}

// Changes of a client by its operator. Each is one compare-and-swap: of two at once, one fails.

/** Only the operator gets these errors. */
const CLIENT_CHANGE_ERRORS = defineErrors({
  client_missing: ['not_found', 'There is no such client', 404],
  client_changed_meanwhile: [
    'conflict',
    'The client has changed meanwhile. Read it again, and repeat the change',
    409,
  ],
  client_without_secret: ['conflict', 'This client has no secret', 409],
  two_secrets_live: [
    'conflict',
    'Two secrets of this client are live. Drop the older one first; or replace the new one, if it was lost',
    409,
  ],
})

/** @throws OAuthError `not_found` */
async function storedClient({ store }: Kernel, clientId: string): Promise<Stored<Client>> {
  const seen = await store.clients.records.find(clientId)
  if (seen === undefined || seen.value.refused) throw new OAuthError(CLIENT_CHANGE_ERRORS.client_missing)
  return seen
}

/** @throws OAuthError `conflict` when the client is another one than was seen */
async function replaceClient(kernel: Kernel, seen: Stored<Client>, next: Client): Promise<void> {
  const { records } = kernel.store.clients
  if (!(await records.replace(next.clientId, seen, next, next.expiresAt)))
    throw new OAuthError(CLIENT_CHANGE_ERRORS.client_changed_meanwhile)
}

/** Names one state of a client, for the detection of conflicts: it differs after every change. */
export function clientRevision(client: PublicClient): string {
  return sha256(canonicalJson(client))
}

/** Stores may change the order of members. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(
          Object.keys(member)
            .sort()
            .map((name) => [name, Reflect.get(member, name)]),
        )
      : member,
  )
}

/** Lifetimes in whole seconds. */
export interface SecretRotationOptions {
  /** For how long the older secret stays valid: 0 to 30 days. Default 1 day; 0 for a secret that leaked. */
  readonly overlap?: number | undefined
  /** For how long the new secret is valid, at most 10 years. Default: without end. */
  readonly expiresIn?: number | undefined
  /** The secret of the last rotation was lost before it was in use: the new one takes its place, and the older one stays. */
  readonly newSecretLost?: boolean | undefined
}

/** The new secret. Only this result has it. */
export interface RotatedSecret {
  readonly clientId: string
  readonly clientSecret: string
  /** Epoch seconds; 0 means never (RFC 7591 3.2.1). */
  readonly clientSecretExpiresAt: number
  /** When the older secret ends. Absent: it has ended. */
  readonly oldSecretEndsAt?: number | undefined
}

export type ClientSecretChange =
  /** The operator gave a client a new secret. */
  | {
      readonly type: 'client_secret_rotated'
      readonly clientId: string
      /** When the older secret ends, in epoch seconds. Absent: it has ended. */
      readonly oldSecretEndsAt?: number | undefined
    }
  /** The operator ended the older secret of a client. */
  | { readonly type: 'client_old_secret_dropped'; readonly clientId: string }

const DAY = 24 * 60 * 60
const MAX_OVERLAP = 30 * DAY

/** Gives a client a new secret. Its grants and tokens stay. @throws OAuthError */
export async function rotateSecret(
  kernel: Kernel,
  clientId: string,
  { overlap = DAY, expiresIn, newSecretLost = false }: SecretRotationOptions,
): Promise<RotatedSecret> {
  checkSeconds('overlap', overlap, 0, MAX_OVERLAP)
  checkSeconds('expiresIn', expiresIn ?? 1, 1, MAX_EXPIRES_IN)
  const seen = await storedClient(kernel, clientId)
  const now = kernel.now()
  const older = olderSecret(seen.value, overlap, newSecretLost, now)
  const clientSecret = newSecret(kernel.random)
  const clientSecretExpiresAt = expiresIn && now + expiresIn
  const newest = { secretHash: sha256(clientSecret), clientSecretExpiresAt }
  await replaceClient(kernel, seen, withoutUndefined({ ...seen.value, ...NO_SECRETS, ...newest, ...older }))
  const { oldSecretEndsAt } = older
  const ids = withoutUndefined({ clientId, oldSecretEndsAt })
  kernel.emit({ type: 'client_secret_rotated', ...ids } satisfies ClientSecretChange)
  return { ...ids, clientSecret, clientSecretExpiresAt: clientSecretExpiresAt ?? 0 }
}

/** Ends the older secret at once. @returns whether it was live @throws OAuthError */
export async function dropOldSecret(kernel: Kernel, clientId: string): Promise<boolean> {
  const seen = await storedClient(kernel, clientId)
  const { oldSecretHash: _, oldSecretEndsAt = 0, ...next } = seen.value
  if (kernel.now() >= oldSecretEndsAt) return false
  await replaceClient(kernel, seen, next)
  kernel.emit({ type: 'client_old_secret_dropped', clientId } satisfies ClientSecretChange)
  return true
}

const NO_SECRETS = {
  ...{ secretHash: undefined, clientSecretExpiresAt: undefined },
  ...{ oldSecretHash: undefined, oldSecretEndsAt: undefined },
}

/** The secret that stays valid next to the new one. @throws OAuthError `conflict` */
function olderSecret(
  client: Client,
  overlap: number,
  newSecretLost: boolean,
  now: number,
): Pick<Client, 'oldSecretHash' | 'oldSecretEndsAt'> {
  const { secretHash, clientSecretExpiresAt = Number.POSITIVE_INFINITY } = client
  const { oldSecretHash, oldSecretEndsAt = 0 } = client
  if (secretHash === undefined) throw new OAuthError(CLIENT_CHANGE_ERRORS.client_without_secret)
  if (overlap === 0) return {}
  if (now < oldSecretEndsAt) {
    // A third secret would end one of two, and only the operator knows which one is in use.
    if (!newSecretLost) throw new OAuthError(CLIENT_CHANGE_ERRORS.two_secrets_live)
    return { oldSecretHash, oldSecretEndsAt }
  }
  if (now >= clientSecretExpiresAt) return {}
  return { oldSecretHash: secretHash, oldSecretEndsAt: Math.min(now + overlap, clientSecretExpiresAt) }
}

function checkSeconds(name: string, seconds: number, min: number, max: number): void {
  if (!(Number.isInteger(seconds) && seconds >= min && seconds <= max))
    throw invalidMember(name, `: must be a whole number of seconds from ${min} to ${max}`)
}
