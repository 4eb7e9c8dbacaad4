declare const server: import('@grantkit/core').AuthorizationServer
declare const api: import('@grantkit/core').ResourceServer<'notes:read' | 'notes:write'>
declare const issuer: string
declare const secret: string
declare const store: import('@grantkit/core').Store
declare const scopes: { 'notes:read': { description: string }; 'notes:write': { description: string } }
declare const interaction: import('@grantkit/core').Interaction
declare const keys: import('@grantkit/core').PrivateJwk[]
declare const claims: NonNullable<import('@grantkit/core').AuthorizationServerOptions<string>['claims']>
