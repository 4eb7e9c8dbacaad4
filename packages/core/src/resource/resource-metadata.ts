import { type Endpoint, routesOf, wellKnownAddress, wellKnownPath } from '../http/endpoint.ts'
import { type HttpRequest, type HttpResponse, header, publicDocument, type Route } from '../http/http.ts'
import { shielded } from '../kernel/events.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { familyOf, type ResourceFamily, valueIn } from '../kernel/resource-indicator.ts'
import type { SenderConstraint } from '../tokens/proof-of-possession.ts'

/** A resource with its metadata (RFC 9728 2). */
export interface DescribedResource<Scope extends string = string> {
  /** Its indicator (RFC 8707). A family has a variable as its last segment: `https://api.example/mcp/o/{organization}`. */
  readonly resource: string
  /** For people. */
  readonly name?: string | undefined
  /** Clients request every scope listed here. Default: the scopes of the catalogue with `baseline`. */
  readonly scopes?: readonly Scope[] | undefined
  /** A page for client developers. Default: the one of the server. */
  readonly documentation?: string | undefined
  /**
   * Requires sender-constrained tokens for it, and so the feature `dpop`. Its guard needs `dpopProofs` with `required`.
   * Default: clients choose.
   */
  readonly dpop?: 'required' | undefined
}

/** A resource by its indicator alone, or with a description. */
export type ResourceOption<Scope extends string = string> = string | DescribedResource<Scope>

export function indicatorOf(option: ResourceOption): string {
  return typeof option === 'string' ? option : option.resource
}

export function takesBoundTokensOnly(option: ResourceOption | undefined): boolean {
  return typeof option === 'object' && option.dpop === 'required'
}

export interface ResourceMetadataOptions {
  /** A page for client developers; becomes `service_documentation` and `resource_documentation`. */
  readonly documentation?: string | undefined
}

interface MemberParts {
  readonly senderConstraint: SenderConstraint | undefined
  readonly resourceMetadata: Readonly<Record<string, unknown>>
}

/**
 * Protected-resource metadata (RFC 9728 2), a document for each resource of this server. Resources of several hosts may have one
 * path: the host of the request decides between their documents, so they are right behind a proxy that passes it on.
 *
 * @param features have members for every document
 * @returns endpoints whose paths count from the root of the host
 * @throws Error that names two resources of one host whose documents would have the same path, a scope that does not exist, `dpop`
 *   without the feature, or a member of a feature that core sets
 */
export function resourceMetadata(
  kernel: Kernel,
  {
    documentation,
    resources = [],
  }: ResourceMetadataOptions & { resources?: readonly ResourceOption[] | undefined },
  { senderConstraint, resourceMetadata: members }: MemberParts,
): Endpoint[] {
  const documents = kernel.resources.map((resource, index) => {
    const option = resources[index] ?? resource
    const described = typeof option === 'string' ? {} : option
    checkScopes(kernel, index, described)
    const bound = takesBoundTokensOnly(option)
    if (bound && senderConstraint === undefined)
      throw new Error(`resources[${index}].dpop needs the feature dpop`)
    const family = familyOf(resource)
    if (family && bound) throw new Error(`resources[${index}].dpop cannot be required of a family`)
    const own = metadataOf(kernel, { documentation, ...described, resource })
    const taken = Object.keys(members).find((name) => name in own)
    if (taken !== undefined) throw new Error(`features: resourceMetadata has ${taken}, which core sets`)
    const document = {
      ...own,
      ...members,
      ...(bound ? { dpop_bound_access_tokens_required: true } : {}),
    }
    return { resource, answer: family ? answerOfMember(family, document) : publicDocument(document) }
  })
  const ofPath = Map.groupBy(documents, ({ resource }) => placeOf(resource))
  return [...ofPath].map(([path, sharing]) => {
    requireOfDifferentHosts(path, sharing)
    const answer = answerByHost(kernel, sharing)
    const place = path.endsWith(MEMBERS)
      ? { path: path.slice(0, -MEMBERS.length), below: true as const }
      : { path }
    return { ...place, cors: true, methods: ['GET'], answer }
  })
}

const MEMBERS = '/{}'

function placeOf(resource: string): string {
  const family = familyOf(resource)
  if (family === undefined) return wellKnownPath('oauth-protected-resource', resource)
  return wellKnownPath('oauth-protected-resource', family.prefix.slice(0, -1)) + MEMBERS
}

/** The document of any member that is well formed. It reads nothing: it does not reveal which members exist. */
function answerOfMember(family: ResourceFamily, document: object): ResourceDocument['answer'] {
  const prefix = `${wellKnownPath('oauth-protected-resource', family.prefix.slice(0, -1))}/`
  return (request) => {
    const value = valueIn({ ...family, prefix }, request.path)
    return value === undefined
      ? { status: 404, headers: {}, body: '' }
      : publicDocument({ ...document, resource: family.prefix + value })(request)
  }
}

interface ResourceDocument {
  readonly resource: string
  readonly answer: (request: HttpRequest) => HttpResponse
}

function hostOf(url: string): string | undefined {
  return URL.parse(url)?.host
}

function requireOfDifferentHosts(path: string, sharing: readonly ResourceDocument[]): void {
  for (const [at, { resource }] of sharing.entries()) {
    const earlier = sharing.slice(0, at).find((other) => hostOf(other.resource) === hostOf(resource))
    if (earlier?.resource === resource) throw new Error(`resources: ${resource} is named twice`)
    if (earlier !== undefined)
      throw new Error(
        `resources: ${resource} would have its metadata where ${earlier.resource} has it: ${path}`,
      )
  }
}

/** Without a host that is known, the document of the host of this server, or else the first one. */
function answerByHost({ issuer }: Kernel, sharing: readonly ResourceDocument[]): ResourceDocument['answer'] {
  const [first] = sharing as readonly [ResourceDocument]
  if (sharing.length === 1) return first.answer
  const ofHost = new Map(sharing.map(({ resource, answer }) => [hostOf(resource), answer]))
  const usual = ofHost.get(hostOf(issuer)) ?? first.answer
  return (request) => (ofHost.get(header(request, 'host')?.toLowerCase()) ?? usual)(request)
}

function checkScopes({ scopes }: Kernel, index: number, described: Partial<DescribedResource>): void {
  const unknown = described.scopes?.find((name) => !Object.hasOwn(scopes, name))
  if (unknown !== undefined) throw new Error(`resources[${index}].scopes: ${unknown} is not in the catalogue`)
}

function metadataOf({ issuer, scopes }: Kernel, described: DescribedResource): object {
  // Clients request every scope listed here, so only the common ones are listed.
  const listed = described.scopes ?? Object.keys(scopes).filter((name) => scopes[name]?.baseline)
  return {
    resource: described.resource,
    resource_name: described.name,
    authorization_servers: [issuer],
    // No empty list (RFC 9728 3.2).
    scopes_supported: listed.length === 0 ? undefined : listed,
    bearer_methods_supported: ['header'],
    resource_documentation: described.documentation,
  }
}

const NAME = 'oauth-authorization-server'

/**
 * The metadata of the authorization server at the host of an API, unchanged, for `authorizationServer()` of an adapter. MCP 2025-03-26
 * looks there for them, at the root of the host.
 *
 * @param resource the resource indicator of the API (RFC 8707)
 * @param metadata of the authorization server (RFC 8414 2): `server.metadata`, or the document that another process fetched
 * @returns no route if they are there anyway, because the resource has the origin of the issuer
 * @throws Error when they have no issuer
 *
 * @example
 * ```ts with:server
 * import { authorizationServer } from '@grantkit/adapter-hono'
 * import { mirroredMetadata } from '@grantkit/core'
 * import { Hono } from 'hono'
 *
 * const metadata = mirroredMetadata('https://mcp.example/mcp', server.metadata)
 * export const app = new Hono().route('/', authorizationServer(metadata))
 * ```
 */
export function mirroredMetadata(
  resource: string,
  metadata: Readonly<Record<string, unknown>>,
): { readonly routes: readonly Route[] } {
  const { issuer } = metadata
  if (typeof issuer !== 'string' || !URL.canParse(issuer))
    throw new Error('mirroredMetadata: the metadata of the authorization server must have an issuer')
  const { origin } = new URL(resource)
  const path = `/.well-known/${NAME}`
  if (wellKnownAddress(NAME, issuer) === origin + path) return { routes: [] }
  const document = { path, cors: true, methods: ['GET' as const], answer: publicDocument(metadata) }
  return { routes: routesOf({ emit: shielded(), issuer }, [], [document]) }
}
