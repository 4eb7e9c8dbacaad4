import { createAuthorizationServer, createResourceServer } from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { interaction } from './interaction.ts'

export const port = Number(process.env.PORT ?? 3001)
const issuer = process.env.ISSUER ?? `http://127.0.0.1:${port}`
const secret = process.env.SECRET ?? crypto.randomUUID()
const store = createMemoryStore()
const scopes = { 'notes:read': { description: 'Read your notes', access: 'read' } } as const

export const server = createAuthorizationServer({ issuer, store, scopes, secret, interaction })
export const api = createResourceServer({ resource: issuer, store, scopes })
