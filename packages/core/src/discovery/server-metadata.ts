import {
  addressOf,
  basePathOf,
  type Endpoint,
  type EndpointDescription,
  wellKnownPath,
} from '../http/endpoint.ts'
import { publicDocument } from '../http/http.ts'

/** Members of the metadata (RFC 8414 2) by name. */
export type Metadata = Readonly<Record<string, unknown>>

/** A later module may override a `false` of an earlier one. @throws Error when two modules set the same member */
export function serverMetadata(parts: readonly Metadata[]): Metadata {
  const metadata: Record<string, unknown> = {}
  for (const [name, value] of parts.flatMap((part) => Object.entries(part))) {
    if (value === undefined) continue
    if (Object.hasOwn(metadata, name) && metadata[name] !== false)
      throw new Error(`metadata: ${name} is set twice`)
    metadata[name] = value
  }
  return metadata
}

export function addressesOf(issuer: string, endpoints: readonly EndpointDescription[]): Metadata {
  const named = endpoints.flatMap(({ metadataName, path }) =>
    metadataName === undefined ? [] : [[metadataName, addressOf(issuer, path)]],
  )
  return Object.fromEntries(named)
}

/** With paths from the root of the host. OpenID Connect Discovery 4 wants the document below the issuer's path too. */
export function metadataDocuments(issuer: string, metadata: Metadata): Endpoint[] {
  const answer = publicDocument(metadata)
  const paths = new Set([
    wellKnownPath('oauth-authorization-server', issuer),
    wellKnownPath('openid-configuration', issuer),
    `${basePathOf(issuer)}/.well-known/openid-configuration`,
    // Some clients append this path too, and a proxy may pass on nothing but the issuer's.
    `${basePathOf(issuer)}/.well-known/oauth-authorization-server`,
  ])
  return [...paths].map((path) => ({ path, cors: true, methods: ['GET'], answer }))
}
