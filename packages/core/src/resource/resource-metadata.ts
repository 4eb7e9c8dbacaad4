import type { Endpoint } from '../http/endpoint.ts'
import { publicDocument } from '../http/public-document.ts'
import { wellKnownPath } from '../http/well-known.ts'
import type { Kernel } from '../kernel/kernel.ts'

export interface ResourceMetadataOptions {
  /** A page for client developers; becomes `service_documentation` and `resource_documentation`. */
  readonly documentation?: string | undefined
}

/**
 * Protected-resource metadata (RFC 9728 2), a document for each resource of this server.
 *
 * @returns endpoints whose paths count from the root of the host
 * @throws Error that names two resources whose documents would have the same path
 */
export function resourceMetadata(kernel: Kernel, { documentation }: ResourceMetadataOptions): Endpoint[] {
  const paths = kernel.resources.map((resource) => wellKnownPath('oauth-protected-resource', resource))
  return kernel.resources.map((resource, index) => {
    const path = paths[index] ?? ''
    const earlier = paths.indexOf(path)
    if (earlier !== index)
      throw new Error(
        `resources[${index}] would have its metadata where resources[${earlier}] has it: ${path}`,
      )
    const answer = publicDocument(metadataOf(kernel, resource, documentation))
    return { path, cors: true, methods: ['GET'], answer }
  })
}

function metadataOf({ issuer, scopes }: Kernel, resource: string, documentation: string | undefined): object {
  // Clients request every scope listed here, so only the common ones are listed.
  const listed = Object.entries(scopes).flatMap(([name, { baseline }]) => (baseline ? [name] : []))
  return {
    resource,
    authorization_servers: [issuer],
    // No empty list (RFC 9728 3.2).
    scopes_supported: listed.length === 0 ? undefined : listed,
    bearer_methods_supported: ['header'],
    resource_documentation: documentation,
  }
}
