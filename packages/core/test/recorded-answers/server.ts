import { createHash } from 'node:crypto'
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  createAuthorizationServer,
  loopbackOnly,
  type ServerEvent,
  type Store,
} from '@grantkit/core'
import { createMemoryStore } from '@grantkit/store-memory'
import { ED25519_KEY, RSA_KEY } from './published-keys.ts'
import { readablePages } from './readable-pages.ts'

export const ISSUER = 'https://school.example'

export const SCOPES = {
  openid: { description: 'Sign you in' },
  profile: { description: 'See your name' },
  email: { description: 'See your e-mail address' },
  'courses:read': { description: 'See courses', area: 'Courses', access: 'read', baseline: true },
  'courses:write': { description: 'Change courses', area: 'Courses', access: 'write' },
  'students:read': { description: 'See students', area: 'Students', access: 'read' },
} as const

/** The settings that a story may change. */
export type Settings = Partial<AuthorizationServerOptions<string>>

/** State that survives a server: another server can continue with it. */
export interface Ground {
  readonly clock: { now: number }
  readonly store: Store
  readonly events: ServerEvent[]
  readonly random: (size: number) => Uint8Array
}

export function newGround(): Ground {
  const clock = { now: 1_800_000_000 }
  const store = createMemoryStore({ now: () => clock.now })
  return { clock, store, events: [], random: repeatableRandom() }
}

/** All answers of this server are determined by its settings and the earlier requests. */
export function openServer(ground: Ground, settings: Settings): AuthorizationServer {
  const { clock, store, events, random } = ground
  const now = () => clock.now
  return createAuthorizationServer<string>({
    issuer: ISSUER,
    store,
    scopes: SCOPES,
    interaction: readablePages(now),
    secret: 'a secret of the tests, long enough to pass',
    keys: [RSA_KEY, ED25519_KEY],
    claims: claimsOf,
    resources: [ISSUER, `${ISSUER}/mcp`],
    redirectUriPolicy: loopbackOnly({ query: true, mixed: 'refuse' }),
    onEvent: (event) => void events.push(event),
    now,
    random,
    ...settings,
  })
}

/** One sequence per size, so that one more identifier does not change every secret. */
function repeatableRandom(): Ground['random'] {
  const drawn = new Map<number, number>()
  return (size) => {
    const count = drawn.get(size) ?? 0
    drawn.set(size, count + 1)
    return createHash('sha256').update(`${size} ${count}`).digest().subarray(0, size)
  }
}

const USERS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  alice: {
    name: 'Alice Liddell',
    updated_at: 1_700_000_000,
    email: 'alice@school.example',
    email_verified: true,
    shoe_size: 36,
  },
  bob: { name: 'Bob', email: '', picture: null },
}

async function claimsOf(subject: string) {
  if (subject === 'unlucky') throw new Error('The directory of users is down')
  return USERS[subject]
}
