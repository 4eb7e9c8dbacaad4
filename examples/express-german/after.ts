import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { authorizationServer, protect } from '@grantkit/adapter-express'
import { createAuthorizationServer, createResourceServer, returnPath } from '@grantkit/core'
import { DEVICE_CODE_GRANT, device } from '@grantkit/core/device'
import { pages } from '@grantkit/pages'
import { connectedApps } from '@grantkit/pages/connected-apps'
import { createMemoryStore } from '@grantkit/store-memory'
import express, { type Request } from 'express'

const port = Number(process.env.PORT ?? 3000)
const database = new DatabaseSync(':memory:')
// An example: passwords that matter are stored as hashes.
database.exec(`
  CREATE TABLE users (id TEXT PRIMARY KEY, name TEXT, email TEXT UNIQUE, password TEXT);
  CREATE TABLE orders (user TEXT, item TEXT);
  INSERT INTO users VALUES ('7', 'Ada Lenz', 'ada@kontor.example', 'wonderland');
  INSERT INTO orders VALUES ('7', '500 Blatt Papier');
`)
const users = database.prepare('SELECT id, name, email, password FROM users WHERE ? IN (id, email)')
const ordersOf = database.prepare('SELECT item FROM orders WHERE user = ?')
const userBy = (key: unknown) =>
  users.get(String(key)) as { id: string; name: string; email: string; password: string } | undefined

const sessions = new Map<string, { id: string; subject: string; authTime: number }>()
const sessionOf = ({ headers }: Pick<Request, 'headers'>) =>
  sessions.get(/(?:^|; )session=([\w-]+)/.exec(String(headers.cookie))?.[1] ?? '')

const ui = pages({
  brand: {
    name: 'Kontor',
    logo: new URL('logo.svg', import.meta.url),
    accent: '#9d174d',
    footer: [{ text: 'Impressum', href: '/impressum' }],
  },
  languages: ['de'],
  user: ({ subject }) => userBy(subject),
  links: { connectedApps: '/connected-apps', home: '/orders' },
})
const issuer = process.env.ISSUER ?? `http://127.0.0.1:${port}`
// Everybody knows the password of the sample user.
if (!['127.0.0.1', '[::1]', 'localhost'].includes(new URL(issuer).hostname))
  database.exec("DELETE FROM users WHERE id = '7'")
const store = createMemoryStore()
const scopes = {
  'orders:read': { description: 'Ihre Bestellungen ansehen', access: 'read' },
  'orders:write': { description: 'Bestellungen aufgeben und stornieren', access: 'write' },
} as const
const server = createAuthorizationServer({
  issuer,
  store,
  scopes,
  secret: process.env.SECRET ?? randomUUID(),
  interaction: {
    session: async (request) => sessionOf(request),
    signIn: (to) => ({
      status: 303,
      headers: { location: `/login?${new URLSearchParams({ to })}` },
      body: '',
    }),
    ...ui.interaction,
  },
  features: [connectedApps(ui.connectedApps), device(ui.device)],
})
const api = createResourceServer({ resource: issuer, store, scopes })
const till = await server.clients.add({
  clientName: 'Kontor-Kasse',
  redirectUris: [],
  tokenEndpointAuthMethod: 'none',
  grantTypes: [DEVICE_CODE_GRANT],
})

const app = express()
app.use(authorizationServer(server))
app.use(express.urlencoded())

app.get('/login', (_req, res) => {
  res.send(`<!doctype html><html lang="de"><title>Anmelden</title>
    <form method="post"><input name="email"><input name="password" type="password"><button>Anmelden</button></form>`)
})

app.post('/login', (req, res) => {
  const { email, password } = req.body ?? {}
  const user = userBy(email)
  if (user === undefined || user.password !== password) return res.status(403).send('Falsches Passwort')
  const id = randomUUID()
  sessions.set(id, { id, subject: user.id, authTime: Math.floor(Date.now() / 1000) })
  res.cookie('session', id, { httpOnly: true, sameSite: 'lax' })
  return res.redirect(303, returnPath(req.query.to, '/orders'))
})

app.get('/orders', (req, res) => {
  const session = sessionOf(req)
  if (session === undefined) return res.redirect(303, '/login')
  return res.json(ordersOf.all(session.subject))
})

app.get('/api/orders', protect(api, 'orders:read'), (_req, res) => {
  res.json(ordersOf.all(res.locals.auth.token.subject))
})

app.listen(port, '127.0.0.1', (error) => {
  if (error) throw error
  console.log(`Kontor auf http://127.0.0.1:${port}, die Kasse ist ${till.clientId}`)
})
