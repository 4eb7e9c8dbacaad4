import { actionIn, allow, authorizationPath, fieldsIn, register, signIn } from './sign-in.ts'
import type { Visitor } from './visitor.ts'

/** The pages, in the order in which a user sees them. */
export async function pagesStory(visitor: Visitor): Promise<void> {
  const { get, send } = visitor
  await get('/')
  await send({ method: 'PUT', path: '/' })
  await get('/account')
  const client = await register(visitor)
  await faults(visitor, client)
  await signInPage(visitor)
  await consent(visitor, client)
  await account(visitor)
}

async function faults({ get }: Visitor, client: string): Promise<void> {
  await get('/oauth/authorize')
  await get(authorizationPath('nobody'))
  await get(authorizationPath(client, { redirect_uri: 'https://evil.example/' }))
  await get(authorizationPath(client, { scope: 'nope' }))
}

async function signInPage(visitor: Visitor): Promise<void> {
  const { get, post } = visitor
  await get('/login?return_to=https://evil.example/&login_hint=%3Cdemo%3E')
  await post('/login', { email: 'demo@example.com', password: 'demo' })
  const page = await get('/login?return_to=/account')
  await post('/login', [...fieldsIn(page), ['email', 'demo@example.com'], ['password', 'wrong']])
}

async function consent(visitor: Visitor, client: string): Promise<void> {
  const { get, post } = visitor
  const sent = await get(authorizationPath(client))
  const signedIn = await signIn(visitor, sent.headers.get('location') ?? '')
  const page = await get(signedIn.headers.get('location') ?? '')
  await post(actionIn(page), { ticket: 'made up', decision: 'allow' })
  await post(actionIn(page), [...fieldsIn(page), ['decision', 'deny']])
  await allow(visitor, client, await get(authorizationPath(client)))
}

async function account(visitor: Visitor): Promise<void> {
  const { get, post } = visitor
  const page = await get('/account')
  await post('/account', { installation: 'x', token: 'made up' })
  const { token = '', installation = '' } = Object.fromEntries(fieldsIn(page))
  const fields = { token, installation }
  await post('/account/apps/name', { ...fields, name: 'Old laptop' })
  await post('/account', fields, { 'sec-fetch-site': 'cross-site' })
  const done = await post('/account', fields)
  await get(done.headers.get('location') ?? '')
  const leaving = await get('/logout?return_to=/account')
  await post('/logout', fieldsIn(leaving))
  await get('/account')
}
