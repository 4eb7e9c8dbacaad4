import type { AuthorizationServer, ResourceServer } from '@grantkit/core'

export declare function createNotesServer(options: { now?: () => number }): {
  server: AuthorizationServer
  api: ResourceServer<'notes:read' | 'notes:write'>
}
