import { ED25519_KEY, RSA_KEY } from '../published-keys.ts'
import { get } from '../requests.ts'
import type { Stories, World } from '../world.ts'

const KEYS = '/api/oauth/jwks'
const METADATA = '/.well-known/openid-configuration'
const PATHS = [
  KEYS,
  METADATA,
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
]

async function etagOf({ askUnrecorded }: World, path: string): Promise<string> {
  return String((await askUnrecorded(get(path))).headers.etag)
}

/** Keys and metadata. */
export const DOCUMENTS: Stories = {
  'each document': async ({ ask }) => {
    for (const path of PATHS) await ask(get(path))
  },
  'each document that is known': async (world) => {
    for (const path of PATHS) await world.ask(get(path, { 'if-none-match': await etagOf(world, path) }))
  },
  'a validator among others': async (world) => {
    const etag = await etagOf(world, METADATA)
    await world.ask(get(METADATA, { 'if-none-match': `"other", W/${etag}` }))
    await world.ask(get(METADATA, { 'if-none-match': ['"other"', etag] }))
    await world.ask(get(METADATA, { 'if-none-match': '"other"' }))
    await world.ask(get(METADATA, { 'if-none-match': '*' }))
  },
  'a HEAD of a document that is known': async (world) => {
    const headers = { 'if-none-match': await etagOf(world, METADATA) }
    await world.ask({ method: 'HEAD', path: METADATA, headers })
  },
  'a query that nobody reads': () => get(METADATA, {}, 'x=y'),
  documentation: async ({ reopened }) => {
    const { ask } = reopened({ documentation: 'https://school.example/auth.md' })
    for (const path of PATHS.slice(1)) await ask(get(path))
  },
  'other paths': async ({ reopened }) => {
    await reopened({ paths: { token: '/token', jwks: '/keys' } }).ask(get(METADATA))
  },
  'one key': async ({ reopened }) => {
    const { ask } = reopened({ keys: [RSA_KEY] })
    await ask(get(KEYS))
    await ask(get(METADATA))
  },
  'a key that takes over later': async ({ ground, reopened }) => {
    const later = { ...RSA_KEY, kid: 'later', signsFrom: ground.clock.now + 100 }
    const { ask } = reopened({ keys: [later, RSA_KEY, ED25519_KEY] })
    await ask(get(KEYS))
    ground.clock.now += 100_000
    await ask(get(KEYS))
  },
}
