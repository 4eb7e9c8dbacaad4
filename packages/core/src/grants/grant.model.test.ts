import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client, Grant } from '../kernel/records.ts'
import { type GrantId, type Secret, sha256 } from '../kernel/secrets.ts'
import { redeemCode } from './authorization-code/redemption.ts'
import {
  findAccessToken,
  keptUntil,
  type Outcome,
  openGrant,
  type RefreshTokenSecret,
  withoutAccessToken,
} from './grant.ts'
import { rotateRefreshToken } from './refresh-token/rotation.ts'

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
const RESOURCES = ['https://school.example']

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

/** The outcome of a transition. A refusal that consumes nothing is thrown. */
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
  rotatedAt = 0
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

  redeem(by: { clientId?: string; verifier?: string; redirectUri?: string }): string {
    if (this.grant === undefined) return 'gone'
    const fresh = { accessToken: this.fresh(), family: 'family', refreshToken: this.fresh() }
    const presented = { code: CODE, redirectUri: 'http://127.0.0.1/cb', verifier: VERIFIER, ...by }
    const request = {
      ...presented,
      client: {
        ...client,
        clientId: by.clientId ?? 'owner',
        tokenEndpointAuthMethod: this.keeps ? 'private_key_jwt' : 'none',
      },
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

  refresh(token: RefreshTokenSecret, clientId = 'owner', scope?: string, jkt = this.key): string {
    if (this.grant === undefined) return 'gone'
    const request = {
      token,
      clientId,
      scope,
      resources: [],
      knownResources: RESOURCES,
      salt: this.fresh().slice(0, 22),
      jkt,
      refreshKey: this.keeps ? undefined : jkt,
      keeps: this.keeps,
    }
    const { grant, now } = this
    const outcome = tried(() => rotateRefreshToken(grant, request, now, TIMES))
    if (outcome.kind === 'ended') this.grant = undefined
    if (outcome.kind === 'changed') {
      this.grant = outcome.grant
      if (this.keeps) expect(outcome.result.refreshToken, 'the same token').toEqual(this.refreshTokens.at(-1))
      else {
        this.rotatedAt = this.now
        this.refreshTokens.push(outcome.result.refreshToken)
      }
      expect(this.accessTokens.has(outcome.result.accessToken), 'each answer has a new one').toBe(false)
      this.accessTokens.add(outcome.result.accessToken)
    }
    if (outcome.kind === 'unchanged') {
      expect(this.refreshTokens.at(-1), 'a retry hands out the newest pair and nothing new').toEqual(
        outcome.result.refreshToken,
      )
      expect(this.accessTokens.has(outcome.result.accessToken)).toBe(true)
    }
    return outcome.kind
  }

  /** The refresh tokens that would mint new tokens if presented now. */
  liveLeaves(): number {
    const { grant } = this
    if (grant === undefined) return 0
    return this.refreshTokens.filter((token) => {
      const request = {
        token,
        clientId: 'owner',
        scope: undefined,
        resources: [],
        knownResources: RESOURCES,
        salt: 's'.repeat(22),
        jkt: this.key,
        keeps: this.keeps,
      }
      return tried(() => rotateRefreshToken(grant, request, this.now, TIMES)).kind === 'changed'
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
    const retriable = token && world.now - world.rotatedAt < TIMES.refreshRetryWindow
    if (retriable && world.grant) expect(world.refresh(token), 'a retry inside the window').toBe('unchanged')
  }),
)

/** Steps of strangers, thieves, bugs and the user. */
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
    if (token) expect(['refused', 'gone']).toContain(world.refresh(token, 'thief'))
  }),
  fc.nat(20).map((back) => (world: World) => {
    const token = world.refreshTokens.at(-1 - back)
    // A confidential client may change its key at each refresh (RFC 9449 5).
    if (token === undefined || world.key === undefined || world.keeps) return
    const before = world.grant
    world.refresh(token, 'owner', undefined, 'the key of a thief')
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
        const isRetry = pick % rotations === rotations - 1 && wait < TIMES.refreshRetryWindow
        refreshNewest(world)
        expect(world.refresh(spent)).toBe(isRetry ? 'unchanged' : 'ended')
      }),
    )
  })

  it('survives any number of retries inside the window', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10), { maxLength: 20 }), (waits) => {
        const world = new World()
        world.redeem({})
        const [first] = world.refreshTokens
        if (first === undefined) throw new Error('The code was not redeemed')
        world.refresh(first)
        const rotatedAt = world.now
        for (const wait of waits) {
          world.pass(wait)
          if (world.now - rotatedAt < TIMES.refreshRetryWindow) expect(world.refresh(first)).toBe('unchanged')
        }
        expect(world.grant).toBeDefined()
      }),
    )
  })

  it('ends when a token two generations old, or one past the window, is presented', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.nat(), (rotations, pick) => {
        const world = new World()
        world.redeem({})
        for (let n = 0; n < rotations; n++) {
          const newest = world.refreshTokens.at(-1)
          if (newest) world.refresh(newest)
          world.pass(1)
        }
        world.pass(TIMES.refreshRetryWindow)
        const spent = world.refreshTokens[pick % rotations]
        if (spent === undefined) throw new Error('There is no spent token')
        expect(world.refresh(spent)).toBe('ended')
        expect(world.liveAccessTokens()).toEqual([])
      }),
    )
  })
})
