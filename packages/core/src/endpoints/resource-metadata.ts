import { publicDocument } from '../document.ts'
import type { ServerContext } from '../server-context.ts'

/** Protected-resource metadata (RFC 9728 2) for one resource of this server. */
export function resourceMetadata(server: ServerContext, resource: string): ReturnType<typeof publicDocument> {
  return publicDocument({
    resource,
    authorization_servers: [server.issuer],
    // Clients ask for all they find here, so only what any client may well need is listed.
    scopes_supported: Object.entries(server.scopes).flatMap(([name, scope]) =>
      scope.baseline ? [name] : [],
    ),
    bearer_methods_supported: ['header'],
    ...(server.documentation === undefined ? {} : { resource_documentation: server.documentation }),
  })
}
