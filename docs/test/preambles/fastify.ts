declare const app: import('fastify').FastifyInstance
declare const server: import('@grantkit/core').AuthorizationServer
declare const api: import('@grantkit/core').ResourceServer<'notes:read' | 'notes:write'>
declare function notesOf(subject: string): string[]
declare function publicNotes(): string[]
