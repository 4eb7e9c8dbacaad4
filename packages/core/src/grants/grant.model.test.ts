import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client, Grant } from '../kernel/records.ts'
import { type GrantId, type Secret, sha256 } from '../kernel/secrets.ts'
import { successorKeys } from '../kernel/server-secret.ts'
import { findAccessToken, withoutAccessToken } from './access-tokens.ts'
import { redeemCode } from './authorization-code.ts'
import { keptUntil } from './change-grant.ts'
import { type IssuedTokens, type Outcome, openGrant } from './grant.ts'
import { type GrantTerms, MAX_RETRY } from './grant-terms.ts'
import { type RefreshRequest, rotateRefreshToken } from './refresh-token-rotation.ts'
import type { RefreshTokenSecret } from './refresh-tokens.ts'

/**
 * The state machine of a grant against random actions of a client, a thief and the clock. The world remembers every
 * issued credential; the properties must hold after every step.
 */

const VERIFIER = 'v'.repeat(43)
const TIMES = {
  code: 60,
  grant: 3000,
  accessToken: 300,
  refreshToken: 1000,
  refreshRetryWindow: 60,
  maxAccessTokens: 8,
}
const RESOURCES = ['https://server.example']

const client: Client = {
  clientId: 'owner',
  origin: 'registered',
  applicationType: 'native',
  redirectUris: ['http://127.0.0.1/cb'],
  tokenEndpointAuthMethod: 'none',
  grantTypes: ['authorization_code', 'refresh_token'],
  idTokenSignedResponseAlg: 'RS256',
  createdAt: 0,
  expiresAt: 1,
}

const CODE = 'code' as Secret
const KEYS = successorKeys('a secret of the tests, long enough to pass')

/** The outcome of a transition. An error that consumes nothing is thrown. */
function tried<Result>(transition: () => Outcome<Result>): Outcome<Result> | { kind: 'refused' } {
  try {
    return transition()
  } catch (thrown) {
    if (thrown instanceof OAuthError) return { kind: 'refused' }
    throw thrown
  }
}

class World {
  now = 1_000_000
  grant: Grant | undefined
  readonly refreshTokens: RefreshTokenSecret[] = []
  readonly accessTokens = new Set<Secret>()
  readonly dead = new Set<Secret>()
  redemptions = 0
  /** When each refresh token was rotated, by its place in the list. */
  readonly rotatedAt: number[] = []
  /** The refresh tokens that two callers may hold. */
  readonly shared = new Set<RefreshTokenSecret>()
  private minted = 0
  readonly key: string | undefined
  /** Whether the client is confidential and keeps its refresh token. */
  keeps: boolean

  /** @param key that the client proves with every request */
  constructor(key?: string, keeps = false) {
    this.key = key
    this.keeps = keeps
    const approval = {
      id: 'grant' as GrantId,
      subject: 'alice',
      clientId: 'owner',
      scopes: ['a', 'b'],
      resources: [],
      withheldScopes: [],
      authTime: 0,
    }
    this.grant = openGrant(
      { ...approval, redirectUri: 'http://127.0.0.1/cb', challenge: sha256(VERIFIER), code: CODE },
      this.now,
      TIMES,
    )
  }

  fresh(): Secret {
    this.minted += 1
    return sha256(String(this.minted)) as string as Secret
  }

  /** The store drops expired records. */
  pass(seconds: number): void {
    this.now += seconds
    if (this.grant && this.now >= keptUntil(this.grant)) this.grant = undefined
  }

  get terms(): GrantTerms {
    return { ...TIMES, refreshTokenRotation: this.keeps ? 'public-clients' : 'always' }
  }

  client(clientId = 'owner'): Client {
    return { ...client, clientId, tokenEndpointAuthMethod: this.keeps ? 'private_key_jwt' : 'none' }
  }

  redeem(by: { clientId?: string; verifier?: string; redirectUri?: string }): string {
    if (this.grant === undefined) return 'gone'
    const fresh = { accessToken: this.fresh(), family: 'family', refreshToken: this.fresh() }
    const presented = { code: CODE, redirectUri: 'http://127.0.0.1/cb', verifier: VERIFIER, ...by }
    const request = {
      ...presented,
      client: this.client(by.clientId),
      resources: [],
      knownResources: RESOURCES,
      fresh,
      jkt: this.key,
    }
    const { grant, now } = this
    const outcome = tried(() => redeemCode(grant, request, now, TIMES))
    if (outcome.kind === 'ended') this.grant = undefined
    if (outcome.kind === 'changed') {
      this.redemptions += 1
      this.grant = outcome.grant
      this.accessTokens.add(outcome.result.accessToken)
      if (outcome.result.refreshToken) this.refreshTokens.push(outcome.result.refreshToken)
    }
    return outcome.kind
  }

  refresh(token: RefreshTokenSecret, by: Partial<RefreshRequest> = {}): string {
    if (this.grant === undefined) return 'gone'
    const { jkt = this.key } = by
    const request = {
      token,
      arrivedAt: this.now,
      keys: KEYS,
      client: this.client(),
      scope: undefined,
      resources: [],
      knownResources: RESOURCES,
      salt: this.fresh().slice(0, 22),
      jkt,
      ...by,
    }
    const { grant, now } = this
    const outcome = tried(() => rotateRefreshToken(grant, request, now, this.terms))
    if (outcome.kind === 'ended') this.grant = undefined
    if (outcome.kind === 'ended' || outcome.kind === 'refused') return outcome.kind
    this.grant = outcome.grant
    expect(this.grant.refresh?.recent?.length ?? 0).toBeLessThanOrEqual(8)
    if (outcome.result.retried !== undefined) return this.repeated(token, request.arrivedAt, outcome.result)
    if (outcome.kind === 'changed') {
      if (this.keeps) expect(outcome.result.refreshToken, 'the same token').toEqual(this.refreshTokens.at(-1))
      else {
        this.rotatedAt.push(this.now)
        this.refreshTokens.push(outcome.result.refreshToken)
      }
      expect(this.accessTokens.has(outcome.result.accessToken), 'each answer has a new one').toBe(false)
      this.accessTokens.add(outcome.result.accessToken)
    }
    return outcome.kind
  }

  private repeated(token: RefreshTokenSecret, arrivedAt: number, answer: IssuedTokens): string {
    const [before, newest] = this.refreshTokens.slice(-2)
    if (before === undefined || newest === undefined) throw new Error('There is nothing to repeat')
    expect(answer.refreshToken, 'a retry hands out the newest pair and nothing new').toEqual(newest)
    expect(this.accessTokens.has(answer.accessToken)).toBe(true)
    expect(token, 'only the last rotation is repeated').toEqual(before)
    const age = arrivedAt - Number(this.rotatedAt.at(-1))
    expect(age, 'the bound').toBeLessThan(MAX_RETRY)
    const late = age >= TIMES.refreshRetryWindow
    if (late) expect(this.shared, 'late twice in a row').not.toContain(before)
    if (late || this.shared.has(before)) this.shared.add(newest)
    return 'repeated'
  }

  /** The refresh tokens that would mint new tokens if presented now. */
  liveLeaves(): number {
    const { grant } = this
    if (grant === undefined) return 0
    return this.refreshTokens.filter((token) => {
      const request = {
        token,
        arrivedAt: this.now,
        keys: KEYS,
        client: this.client(),
        scope: undefined,
        resources: [],
        knownResources: RESOURCES,
        salt: 's'.repeat(22),
        jkt: this.key,
      }
      const outcome = tried(() => rotateRefreshToken(grant, request, this.now, this.terms))
      return outcome.kind === 'changed' && outcome.result.retried === undefined
    }).length
  }

  liveAccessTokens(): Secret[] {
    const { grant } = this
    return grant === undefined
      ? []
      : [...this.accessTokens].filter(
          (token) => findAccessToken(grant, sha256(token), this.now) !== undefined,
        )
  }
}

type Step = (world: World) => void

const refreshNewest: Step = (world) => {
  const token = world.refreshTokens.at(-1)
  if (token) world.refresh(token)
}

/** Steps that keep a grant alive. */
const ordinary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(refreshNewest) },
  { weight: 3, arbitrary: fc.nat(50).map((seconds) => (world: World) => world.pass(seconds)) },
  {
    weight: 2,
    arbitrary: fc.integer({ min: 100, max: 900 }).map((seconds) => (world: World) => world.pass(seconds)),
  },
  fc.constant((world: World) => {
    const token = world.refreshTokens.at(-2)
    const retriable = token && world.now - Number(world.rotatedAt.at(-1)) < TIMES.refreshRetryWindow
    if (retriable && world.grant) expect(world.refresh(token), 'a retry inside the window').toBe('repeated')
  }),
)

/** Steps of unauthenticated callers, thieves, faulty clients and the user. */
const hostile: fc.Arbitrary<Step> = fc.oneof(
  fc.constant((world: World) => expect(world.redeem({ clientId: 'thief' })).not.toBe('changed')),
  fc.constant((world: World) =>
    expect(world.redeem({ redirectUri: 'http://127.0.0.1/other' })).not.toBe('changed'),
  ),
  fc.constant((world: World) => expect(world.redeem({ verifier: 'w'.repeat(43) })).not.toBe('changed')),
  fc.constant((world: World) => void world.redeem({})),
  fc.nat(20).map((back) => (world: World) => {
    const token = world.refreshTokens.at(-1 - back)
    if (token) world.refresh(token)
  }),
  fc.constant((world: World) => {
    const token = world.refreshTokens.at(-1)
    if (token) expect(['refused', 'gone']).toContain(world.refresh(token, { client: world.client('thief') }))
  }),
  fc.nat(20).map((back) => (world: World) => {
    const token = world.refreshTokens.at(-1 - back)
    // A confidential client may change its key at each refresh (RFC 9449 5).
    if (token === undefined || world.key === undefined || world.keeps) return
    const before = world.grant
    world.refresh(token, { jkt: 'the key of a thief' })
    expect(world.grant, 'a stolen token without its key changes nothing').toBe(before)
  }),
  fc.nat(3).map((generation) => (world: World) => {
    const before = world.grant
    world.refresh({ family: 'guessed', generation, secret: 'x'.repeat(43) as Secret })
    expect(world.grant, 'a guess kills nothing').toBe(before)
  }),
  fc.constant((world: World) => {
    const [token] = world.liveAccessTokens()
    if (token && world.grant) world.grant = withoutAccessToken(world.grant, sha256(token))
  }),
  fc.constant((world: World) => {
    world.grant = undefined
  }),
)

/** Mostly honest steps, because a grant that ends at once tests little. */
const life = fc
  .tuple(
    fc.oneof({ weight: 9, arbitrary: fc.constant<Step>((world) => void world.redeem({})) }, hostile),
    fc.array(fc.oneof({ weight: 12, arbitrary: ordinary }, { weight: 1, arbitrary: hostile }), {
      maxLength: 60,
      size: 'max',
    }),
  )
  .map(([first, rest]) => [first, ...rest])

describe('a grant, whatever happens to it', () => {
  it('never has two live leaves, never brings a token back, never issues past its end', () => {
    fc.assert(
      fc.property(life, fc.constantFrom(undefined, 'key'), fc.boolean(), (sequence, key, keeps) => {
        const world = new World(key, keeps)
        const end = world.now + TIMES.grant
        for (const step of sequence) {
          step(world)
          const live = world.liveAccessTokens()
          expect(world.redemptions).toBeLessThanOrEqual(1)
          expect(world.liveLeaves()).toBeLessThanOrEqual(1)
          expect(
            live.filter((token) => world.dead.has(token)),
            'resurrected',
          ).toEqual([])
          expect(live.length).toBeLessThanOrEqual(8)
          if (world.now >= end) expect([live, world.liveLeaves()]).toEqual([[], 0])
          for (const token of world.accessTokens) if (!live.includes(token)) world.dead.add(token)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('of a client that keeps its refresh token has one, which never ends it and works until it expires', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1100), { maxLength: 30 }), (waits) => {
        const world = new World(undefined, true)
        const end = world.now + TIMES.grant
        world.redeem({})
        let lives = true
        for (const wait of waits) {
          world.pass(wait)
          lives = lives && wait < TIMES.refreshToken && world.now < end
          const [token] = world.refreshTokens
          if (token === undefined) throw new Error('The code was not redeemed')
          expect(world.refresh(token) === 'changed').toBe(lives)
        }
        expect(world.refreshTokens).toHaveLength(1)
      }),
    )
  })

  it('that rotated before its client kept its token still knows a retry, and a copy that was stolen then', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(), fc.nat(200), (rotations, pick, wait) => {
        const world = new World(undefined)
        world.redeem({})
        for (let n = 0; n < rotations; n++) world.refresh(world.refreshTokens.at(-1) as RefreshTokenSecret)
        const spent = world.refreshTokens[pick % rotations] as RefreshTokenSecret
        world.keeps = true
        world.pass(wait)
        const inWindow = pick % rotations === rotations - 1 ? 'repeated' : 'refused'
        refreshNewest(world)
        expect(world.refresh(spent)).toBe(wait < TIMES.refreshRetryWindow ? inWindow : 'ended')
      }),
    )
  })

  it('answers a client that lost answers for fifteen minutes each time, if the next refresh was clean', () => {
    const retries = fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(fc.array(retries, { minLength: 1, maxLength: 3 }), (losses) => {
        const world = new World()
        world.redeem({})
        for (const waits of losses) {
          refreshNewest(world)
          const [spent] = world.refreshTokens.slice(-2) as [RefreshTokenSecret]
          for (const wait of waits) {
            world.pass(wait)
            const inTime = world.now - Number(world.rotatedAt.at(-1)) < MAX_RETRY
            const verdict = world.refresh(spent)
            expect(inTime ? ['repeated'] : ['ended', 'gone']).toContain(verdict)
            if (!inTime) return
          }
          refreshNewest(world)
        }
        expect(world.grant).toBeDefined()
      }),
    )
  })

  it('ends when a thief and its client, more than a window apart, have both used what one of them got again', () => {
    const turn = fc.record({
      who: fc.constantFrom<'thief' | 'owner'>('thief', 'owner'),
      later: fc.constantFrom(1, 30, 60, 60, 400),
    })
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 8 }), fc.nat(1), (turns, stolen) => {
        const world = new World()
        world.redeem({})
        refreshNewest(world)
        const held = { thief: world.refreshTokens[stolen], owner: world.refreshTokens[1] }
        const uses = { thief: 0, owner: 0 }
        for (const { who, later } of turns) {
          world.pass(later)
          const verdict = world.refresh(held[who] as RefreshTokenSecret)
          if (verdict !== 'changed' && verdict !== 'repeated') return
          held[who] = world.refreshTokens.at(-1)
          uses[who] += 1
        }
        const apart = turns.every(({ later }) => later >= TIMES.refreshRetryWindow)
        if (apart) expect(Math.min(uses.thief, uses.owner), 'both went on').toBeLessThanOrEqual(1)
      }),
      { numRuns: 1000 },
    )
  })

  it('ends by a token that was rotated before the window, and by none that was rotated inside it or later', () => {
    const seldom = fc.array(fc.nat(70), { minLength: 2, maxLength: 40 })
    const often = fc.array(fc.nat(8), { minLength: 2, maxLength: 40 })
    fc.assert(
      fc.property(
        fc.oneof(seldom, often),
        fc.nat(),
        fc.integer({ min: -100, max: 80 }),
        (waits, pick, wait) => {
          const world = new World()
          world.redeem({})
          for (const seconds of waits) {
            refreshNewest(world)
            world.pass(seconds)
          }
          refreshNewest(world)
          const place = pick % waits.length
          const arrivedAt = world.now + wait
          const age = arrivedAt - Number(world.rotatedAt[place])
          const verdict = world.refresh(world.refreshTokens[place] as RefreshTokenSecret, { arrivedAt })
          if (age < TIMES.refreshRetryWindow) expect(verdict).toBe('refused')
          // A rotation may be taken for a later one by a seventh of the window.
          if (wait >= 0 && age >= TIMES.refreshRetryWindow + 9) expect(verdict).toBe('ended')
        },
      ),
      { numRuns: 1000 },
    )
  })
})
