declare const app: import('express').Express
declare const server: import('@grantkit/core').AuthorizationServer
declare const api: import('@grantkit/core').ResourceServer<'notes:read' | 'notes:write'>
declare const sessions: Map<string, { id: string; subject: string; authTime: number }>
declare function listNotes(req: import('express').Request, res: import('express').Response): void
declare function userOf(req: import('express').Request): string | undefined
declare function notesOf(user: string): string[]
