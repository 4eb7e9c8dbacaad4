declare const session: (options: {
  secret: string
  resave: boolean
  saveUninitialized: boolean
}) => import('express').RequestHandler
declare const server: import('@grantkit/core').AuthorizationServer
declare const app: import('express').Express
declare global {
  namespace Express {
    interface Request {
      sessionID: string
      session: { user?: string; signedInAt: number }
    }
  }
}
