import { env } from 'cloudflare:workers' // if: workers
import { createAuthorizationServer, createResourceServer } from '@grantkit/core'
import { clientDocuments } from '@grantkit/core/client-documents' // if: client-documents
import { device } from '@grantkit/core/device' // if: device
import { dpop, dpopProofs } from '@grantkit/core/dpop' // if: dpop
import { logout } from '@grantkit/core/logout' // if: logout
import { pushedAuthorizationRequests } from '@grantkit/core/par' // if: par
import { logFailures } from '@grantkit/explain'
import { knownClients } from '@grantkit/known-clients' // if: known-clients
import { connectedApps } from '@grantkit/pages/connected-apps' // if: connected-apps
import { safeFetch } from '@grantkit/safe-fetch' // if: client-documents
import { createDurableStore } from '@grantkit/store-cloudflare/durable-objects' // if: durable-objects
import { createMemoryStore } from '@grantkit/store-memory' // if: memory
import { connectToPostgres, createPostgresStore, migrate } from '@grantkit/store-postgres' // if: postgres
import { connectToRedis, createRedisStore } from '@grantkit/store-redis' // if: redis
import { createSqliteStore, migrate } from '@grantkit/store-sqlite' // if: sqlite
import { interaction, ui } from './interaction.ts' // if: grantkit
import { interaction } from './interaction.ts' // if: own

export const port = Number(process.env.PORT ?? 3000) // if-not: workers
const issuer = process.env.ISSUER ?? `http://127.0.0.1:${port}` // if-not: workers
const secret = process.env.SECRET ?? '' // if-not: workers
const { ISSUER: issuer, SECRET: secret } = env // if: workers

// A restart forgets all clients and grants. // if: memory
const store = createMemoryStore() // if: memory
const path = process.env.DATABASE_FILE ?? 'grantkit.db' // if: sqlite
migrate({ path }) // if: sqlite
const store = createSqliteStore({ path }) // if: sqlite
const url = process.env.DATABASE_URL ?? 'postgres://postgres@127.0.0.1/postgres' // if: postgres
const pool = await connectToPostgres(url, { onError: console.error }) // if: postgres
await migrate(pool) // if: postgres
const store = await createPostgresStore(pool) // if: postgres
const url = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379' // if: redis
const redis = await connectToRedis(url, { onError: console.error }) // if: redis
const store = createRedisStore(redis) // if: redis
const store = createDurableStore(env.RECORDS) // if: durable-objects

const scopes = {
  openid: { // if: openid
    description: { // if: openid
      en: 'Confirm who you are', // if: openid // if: en
      de: 'Bestätigen, wer Sie sind', // if: openid // if: de
      fr: 'Confirmer votre identité', // if: openid // if: fr
      es: 'Confirmar su identidad', // if: openid // if: es
      'pt-BR': 'Confirmar quem você é', // if: openid // if: pt-BR
      ja: 'ご本人であることの確認', // if: openid // if: ja
    }, // if: openid
  }, // if: openid
  // Opens the claim `name`. // if: openid
  profile: { // if: openid
    description: { // if: openid
      en: 'See your name', // if: openid // if: en
      de: 'Ihren Namen ansehen', // if: openid // if: de
      fr: 'Voir votre nom', // if: openid // if: fr
      es: 'Ver su nombre', // if: openid // if: es
      'pt-BR': 'Ver seu nome', // if: openid // if: pt-BR
      ja: '名前の表示', // if: openid // if: ja
    }, // if: openid
  }, // if: openid
  'notes:read': {
    description: {
      en: 'Read your notes', // if: en
      de: 'Ihre Notizen lesen', // if: de
      fr: 'Lire vos notes', // if: fr
      es: 'Leer sus notas', // if: es
      'pt-BR': 'Ler suas notas', // if: pt-BR
      ja: 'メモの表示', // if: ja
    },
    access: 'read',
  },
  'notes:write': { // if: mcp
    description: { // if: mcp
      en: 'Write notes', // if: mcp // if: en
      de: 'Notizen schreiben', // if: mcp // if: de
      fr: 'Écrire des notes', // if: mcp // if: fr
      es: 'Escribir notas', // if: mcp // if: es
      'pt-BR': 'Escrever notas', // if: mcp // if: pt-BR
      ja: 'メモの作成', // if: mcp // if: ja
    }, // if: mcp
    access: 'write', // if: mcp
  }, // if: mcp
} as const
// MCP clients request tokens for it, and the guard accepts only those. // if: mcp
export const resource = `${issuer}/mcp` // if: mcp
// Claude, ChatGPT, Cursor and others, each by the exact redirect URIs that its vendor names. // if: known-clients
const known = knownClients() // if: known-clients

export const server = createAuthorizationServer({
  issuer,
  store,
  scopes,
  secret,
  interaction,
  // Errors show a reference. The log has a line with it: the cause, and who can correct it.
  observer: logFailures(console.warn),
  resources: [resource], // if: mcp
  // Some clients request no scope at all. // if: mcp
  defaultScope: 'notes:read', // if: mcp
  ...known, // if: known-clients
  callbackPage: ui.callbackPage, // if: grantkit
  keys: JSON.parse(process.env.KEYS ?? '[]'), // if: openid // if-not: workers
  keys: JSON.parse(env.KEYS), // if: openid // if: workers
  // What apps may know of a user: look it up in your database. // if: openid
  claims: async (subject) => ({ name: subject }), // if: openid
  features: [ // if: features
    device(ui.device), // if: device
    connectedApps(ui.connectedApps), // if: connected-apps
    // End your own session here, and return the Set-Cookie that deletes its cookie. // if: logout
    logout({ ...ui.logout, endSession: async () => 'session=; Path=/; Max-Age=0' }), // if: logout
    dpop(), // if: dpop
    pushedAuthorizationRequests(), // if: par
    clientDocuments({ // if: client-documents
      ...known, // if: known-clients
      fetch: safeFetch({ issuer }), // if: client-documents
    }), // if: client-documents
  ], // if: features
})

export const api = createResourceServer({
  resource, // if: mcp
  resource: issuer, // if: api
  store,
  scopes,
  proofs: dpopProofs({ secret }), // if: dpop
})
