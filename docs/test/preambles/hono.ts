declare const app: import('hono').Hono
declare const server: import('@grantkit/core').AuthorizationServer
declare const api: import('@grantkit/core').ResourceServer<'notes:read' | 'notes:write'>
