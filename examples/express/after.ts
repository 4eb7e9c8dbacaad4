import { randomUUID } from 'node:crypto'
import { authorizationServer, protect } from '@grantkit/adapter-express'
import { createAuthorizationServer, createResourceServer, returnPath } from '@grantkit/core'
import { pages } from '@grantkit/pages'
import { createMemoryStore } from '@grantkit/store-memory'
import express, { type Request } from 'express'

const port = Number(process.env.PORT ?? 3000)
// An example: passwords that matter are stored as hashes.
const passwords = new Map([['alice', 'wonderland']])
const sessions = new Map<string, { id: string; subject: string; authTime: number }>()
const notes = [{ author: 'alice', text: 'Curiouser and curiouser', shared: true }]

const sessionOf = ({ headers }: Pick<Request, 'headers'>) =>
  sessions.get(/(?:^|; )session=([\w-]+)/.exec(String(headers.cookie))?.[1] ?? '')
const userOf = (auth: { kind: string; token?: { subject: string } }, req: Request) =>
  auth.token?.subject ?? sessionOf(req)?.subject

const issuer = process.env.ISSUER ?? `http://127.0.0.1:${port}`
// Everybody knows the password of the sample user.
if (!['127.0.0.1', '[::1]', 'localhost'].includes(new URL(issuer).hostname)) passwords.delete('alice')
const store = createMemoryStore()
const scopes = {
  'notes:read': { description: 'Read notes', access: 'read' },
  'notes:write': { description: 'Write notes', access: 'write' },
} as const
const ui = pages({ brand: { name: 'Notes' } })
const api = createResourceServer({ resource: issuer, store, scopes, anonymous: 'allow' })
const server = createAuthorizationServer({
  ...{ issuer, store, scopes },
  secret: process.env.SECRET ?? crypto.randomUUID(),
  interaction: {
    session: async (request) => sessionOf(request),
    signIn: (to) => ({
      status: 303,
      headers: { location: `/login?${new URLSearchParams({ to })}` },
      body: '',
    }),
    ...ui.interaction,
  },
})

const app = express()
app.use(authorizationServer(server))
app.use(express.json(), express.urlencoded())

app.get('/login', (_req, res) => {
  res.send('<form method="post"><input name="user"><input name="password" type="password"><button>Sign in')
})

app.post('/login', (req, res) => {
  const { user, password } = req.body ?? {}
  if (typeof password !== 'string' || passwords.get(user) !== password) return res.status(403).send('Sorry')
  const id = randomUUID()
  sessions.set(id, { id, subject: user, authTime: Math.floor(Date.now() / 1000) })
  res.cookie('session', id, { httpOnly: true, sameSite: 'lax' })
  return res.redirect(303, returnPath(req.query.to, '/notes'))
})

app.get('/notes', protect(api, 'notes:read'), (req, res) => {
  const reader = userOf(res.locals.auth, req)
  res.json(notes.filter(({ author, shared }) => shared || author === reader))
})

app.post('/notes', protect(api, 'notes:write'), (req, res) => {
  const author = userOf(res.locals.auth, req)
  const { text, shared } = req.body ?? {}
  if (author === undefined) return res.status(401).json({ error: 'Sign in first' })
  if (typeof text !== 'string') return res.status(400).json({ error: 'text is missing' })
  notes.push({ author, text, shared: shared === true })
  return res.status(201).json(notes.at(-1))
})

app.listen(port, '127.0.0.1', (error) => {
  if (error) throw error
  console.log(`Notes on http://127.0.0.1:${port}`)
})
