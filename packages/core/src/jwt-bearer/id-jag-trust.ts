import type { ServerContext } from '../feature.ts'
import type { Client } from '../kernel/records.ts'
import { canonicalResource } from '../kernel/resource-indicator.ts'
import { includesAll } from '../kernel/scope.ts'
import type { IssuerKeys, IssuerKeysOptions, ReadIssuerKeys } from './issuer-keys.ts'
import { lifetimeOf } from './lifetime.ts'

/** An identity provider whose ID-JAGs are accepted, and what they can give. */
export interface IdJagTrust extends IssuerKeysOptions {
  /** Its issuer, byte for byte as in its ID-JAGs. */
  readonly issuer: string
  /** The ids of the clients that may present its ID-JAGs, or all clients that the operator registered. */
  readonly clients: readonly string[] | 'integrations'
  /** The scopes that an ID-JAG can give. Never `openid` or `offline_access`. */
  readonly scopes: readonly string[]
  /** The resources that an ID-JAG can give. Default: all resources of the server. */
  readonly resources?: readonly string[] | undefined
  /** The lifetime of a token, in seconds, at most 3600. Default 900. */
  readonly lifetime?: number | undefined
  /** The maximum lifetime of an ID-JAG, in seconds, at most 3600. Default 300. */
  readonly maxAssertionLifetime?: number | undefined
  /** Whether public clients may present them: whoever reads such an ID-JAG can use it. Default false. */
  readonly publicClients?: boolean | undefined
  /**
   * `once`: an ID-JAG is accepted once, as MCP requires. `until-exp`: again until it expires, which the draft allows. Default
   * `once`.
   */
  readonly replay?: 'once' | 'until-exp' | undefined
  /** Whether several organizations share the issuer: a user is then known by `tenant` too, which must be there. Default false. */
  readonly tenants?: boolean | undefined
  /**
   * The domains whose e-mail addresses may link a user for the first time. Default: none, so that no address links an account.
   */
  readonly linkByEmail?: { readonly domains: readonly string[] } | undefined
  /**
   * Whether its `acr` counts as a class of this server, for `requiring({ acr })` and in tokens: only for an issuer whose classes mean
   * what yours mean. Default false: `acr` is left out.
   */
  readonly trustAcr?: boolean | undefined
  /** Whether every address that it asserts is verified. Default: only with the claim `email_verified`. */
  readonly emailsVerified?: boolean | undefined
}

/** A checked trust. */
export interface ReadTrust {
  readonly options: IdJagTrust
  readonly keys: IssuerKeys
  readonly resources: readonly string[]
  readonly lifetime: number
  readonly maxAssertionLifetime: number
}

/** Scopes that the answer could not honour: it has no ID token and no refresh token. */
const NEVER_GIVEN = ['openid', 'offline_access']

/** @throws Error that names the option at fault */
export function readTrust(server: ServerContext, read: ReadIssuerKeys, options: IdJagTrust): ReadTrust {
  const option = `jwtBearer: the trust of ${options.issuer}`
  if (options.issuer === server.issuer) throw new Error(`${option}: a server does not trust itself`)
  checkScopes(option, options.scopes, server)
  return {
    options,
    keys: read(option, { ...options, issuer: options.issuer }),
    resources: readResources(option, options.resources, server),
    lifetime: lifetimeOf(option, 'lifetime', options.lifetime, 900),
    maxAssertionLifetime: lifetimeOf(option, 'maxAssertionLifetime', options.maxAssertionLifetime, 300),
  }
}

function checkScopes(option: string, scopes: readonly string[], { scopes: catalogue }: ServerContext): void {
  const wrong = scopes.find((name) => !Object.hasOwn(catalogue, name) || NEVER_GIVEN.includes(name))
  if (wrong !== undefined) throw new Error(`${option}: ${wrong} is no scope for an assertion`)
  // The user is asked for a restricted one each time.
  const interactive = scopes.find((name) => catalogue[name]?.interactive || catalogue[name]?.restricted)
  if (interactive !== undefined) throw new Error(`${option}: only the user can allow ${interactive}`)
  if (scopes.length === 0) throw new Error(`${option}: scopes must not be empty`)
}

/** @throws Error for a resource that is none of the server */
export function readResources(
  option: string,
  resources: readonly string[] | undefined,
  { resources: known }: ServerContext,
): readonly string[] {
  const named = resources?.map(canonicalResource) ?? known
  if (named.length === 0 || !includesAll(known, named))
    throw new Error(`${option}: resources must be some of ${known.join(', ')}`)
  return named
}

/** Whether the operator lets this client present the ID-JAGs of the trust. */
export function admits({ clients }: IdJagTrust, { clientId, origin }: Client): boolean {
  return clients === 'integrations' ? origin === 'integration' : clients.includes(clientId)
}
