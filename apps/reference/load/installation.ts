import { createHash, randomBytes } from 'node:crypto'
import type { User } from '../test/user.ts'
import type { Tally } from './tally.ts'
import type { Answer, Send } from './wire.ts'

const REDIRECT_URI = 'http://127.0.0.1:49200/callback'
const SCOPE = 'courses:read'
/** A little less than the retry window of the service: what is older may rightly be refused. */
const RETRY_MS = 50_000

interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
}

interface Approval {
  readonly code: string
  readonly verifier: string
}

/**
 * One installation of an app and what it has to expect of its tokens. Where an answer was lost it does what a good
 * client does, and knows which outcomes are right then.
 */
export class Installation {
  private readonly send: Send
  private readonly tally: Tally
  private readonly authorizeAt: string
  private readonly user: User
  private clientId = ''
  private tokens: Tokens | undefined
  /** When the first answer to the present refresh token was lost. */
  private lostAt: number | undefined
  private readonly over: string[] = []

  constructor(send: Send, tally: Tally, user: User, authorizeAt: string) {
    this.send = send
    this.tally = tally
    this.user = user
    this.authorizeAt = authorizeAt
  }

  /** As after an installation from scratch: what it had belongs to the client that it was. */
  async register(): Promise<void> {
    this.tokens = undefined
    this.lostAt = undefined
    const answer = await this.send('/api/oauth/register', { json: { redirect_uris: [REDIRECT_URI] } })
    if (answer?.status === 201) this.clientId = String(answer.body.client_id)
  }

  /** Sends the user through sign-in and consent, and redeems the code. */
  async signIn(): Promise<void> {
    if (this.clientId === '') await this.register()
    const approval = await this.approve()
    if (approval === undefined) return
    const first = await this.redeem(approval)
    const answer = first ?? (await this.redeem(approval))
    if (isServed(answer)) this.hold(answer)
    else if (first === undefined) this.tally.setback('codes lost with an answer')
    else this.tally.fault('grants ended without cause', 'a code was refused when it was first presented')
  }

  /** Presents one code at several replicas at once. */
  async raceForCode(contenders: number): Promise<void> {
    const approval = await this.approve()
    if (approval === undefined) return
    const answers = await Promise.all(Array.from({ length: contenders }, () => this.redeem(approval)))
    const served = answers.filter(isServed)
    if (served.length > 1) this.tally.fault('double issues', `a code gave ${served.length} pairs`)
    // All others were replays, which end the grant (RFC 6749 4.1.2); where nobody answered nothing is known.
    for (const { body } of served) {
      if (answers.every((answer) => answer !== undefined && answer.status !== 503)) this.end(tokensOf(body))
    }
  }

  /** Presents one refresh token at several replicas at once, as the processes of one app do. */
  async refresh(contenders = 1): Promise<void> {
    const { tokens } = this
    if (tokens === undefined) return this.signIn()
    const form = {
      grant_type: 'refresh_token',
      client_id: this.clientId,
      refresh_token: tokens.refresh_token,
    }
    const answers = await Promise.all(
      Array.from({ length: contenders }, () => this.send('/api/oauth/token', { form })),
    )
    const served = answers.filter(isServed)
    const successors = new Set(served.map(({ body }) => body.refresh_token))
    if (successors.size > 1)
      this.tally.fault('double issues', `a refresh token gave ${successors.size} successors`)
    const [first] = served
    if (first) return this.hold(first)
    if (answers.some((answer) => answer?.status === 400)) this.refused()
    else this.lostAt ??= Date.now()
  }

  async call(): Promise<void> {
    const { tokens } = this
    if (tokens === undefined) return this.signIn()
    const answer = await this.send('/api/courses', { bearer: tokens.access_token })
    if (answer?.status === 401) this.tally.fault('live tokens refused', 'at the API')
    await this.callWithWhatIsOver()
  }

  async introspect(): Promise<void> {
    const { tokens } = this
    if (tokens === undefined) return this.signIn()
    const form = { client_id: this.clientId, token: tokens.access_token }
    const answer = await this.send('/api/oauth/introspect', { form })
    if (answer?.status === 200 && answer.body.active !== true)
      this.tally.fault('live tokens refused', 'at introspection')
  }

  /** Until it is acknowledged nobody knows whether it happened, so it is asked for again. */
  async revoke(): Promise<void> {
    const { tokens } = this
    if (tokens === undefined) return
    this.tokens = undefined
    const form = { client_id: this.clientId, token: tokens.refresh_token }
    for (let attempt = 0; attempt < 20; attempt++) {
      const answer = await this.send('/api/oauth/revoke', { form })
      if (answer?.status === 200) return this.end(tokens)
      await new Promise((later) => setTimeout(later, 100))
    }
  }

  /** What a thief or a broken client sends; it must be refused, and harm nobody. */
  async attack(): Promise<void> {
    const [, grant = 'x'] = /^gkr_([^.]+)/.exec(this.tokens?.refresh_token ?? '') ?? []
    const guess = `gkr_${grant}.${'f'.repeat(22)}.1.${'s'.repeat(43)}`
    const form = { grant_type: 'refresh_token', client_id: this.clientId, refresh_token: guess }
    const answers = [
      await this.send('/api/oauth/token', { form }),
      await this.send('/api/courses', { bearer: `gka_${grant}.${'s'.repeat(43)}` }),
    ]
    if (answers.some((answer) => answer?.status === 200)) this.tally.fault('double issues', 'for a guess')
  }

  private async approve(): Promise<Approval | undefined> {
    const verifier = randomBytes(32).toString('base64url')
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: REDIRECT_URI,
      scope: SCOPE,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    // An outage in the middle of the pages is what the setbacks of the other requests count.
    const callback = await this.user
      .visit(`${this.authorizeAt}/oauth/authorize?${query}`)
      .catch(() => undefined)
    const code = callback?.searchParams.get('code') ?? undefined
    return code === undefined ? undefined : { code, verifier }
  }

  private async redeem({ code, verifier }: Approval): Promise<Answer | undefined> {
    const exchange = {
      grant_type: 'authorization_code',
      client_id: this.clientId,
      code,
      code_verifier: verifier,
    }
    const answer = await this.send('/api/oauth/token', { form: { ...exchange, redirect_uri: REDIRECT_URI } })
    return answer?.status === 503 ? undefined : answer
  }

  private hold({ body }: Answer): void {
    this.tokens = tokensOf(body)
    this.lostAt = undefined
  }

  private refused(): void {
    const excused = this.lostAt !== undefined && Date.now() - this.lostAt > RETRY_MS
    if (excused) this.tally.setback('grants lost with an answer')
    else
      this.tally.fault(
        'grants ended without cause',
        `the client ${this.clientId} was refused its refresh token`,
      )
    this.tokens = undefined
    this.lostAt = undefined
  }

  private end({ access_token, refresh_token }: Tokens): void {
    this.over.push(access_token, refresh_token)
  }

  private async callWithWhatIsOver(): Promise<void> {
    const token = this.over[Math.floor(Math.random() * this.over.length * 4)]
    if (token === undefined) return
    const answer = await this.send('/api/courses', { bearer: token })
    if (answer?.status === 200) this.tally.fault('tokens that came back', token.slice(0, 12))
  }
}

function isServed(answer: Answer | undefined): answer is Answer {
  return answer?.status === 200
}

function tokensOf({ access_token, refresh_token }: Answer['body']): Tokens {
  return { access_token: String(access_token), refresh_token: String(refresh_token) }
}
