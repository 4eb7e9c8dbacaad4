import type { Outcome } from '../bursts/attempt.ts'
import type { How } from './attempts.ts'
import type { HeldGrant } from './grant.ts'
import type { Sender } from './sender.ts'

/** The tokens that an honest app holds while it refreshes. */
export class TokenRotation {
  readonly #stage: Sender
  readonly grant: HeldGrant
  access: string
  refresh: string

  constructor(stage: Sender, grant: HeldGrant) {
    this.#stage = stage
    this.grant = grant
    this.access = grant.tokens.access
    this.refresh = grant.tokens.refresh
  }

  /** Refreshes, and keeps what the answer brings. @returns the refresh token that it presented */
  async rotate(how: How = {}): Promise<string> {
    const presented = this.refresh
    this.keep(await this.#stage.send(this.#stage.attempts.refresh(this.grant, presented, how)))
    return presented
  }

  /** Takes over the tokens of an answer. A server may give no new refresh token (RFC 6749 section 6). */
  keep({ tokens }: Outcome): void {
    this.access = tokens.access ?? this.access
    this.refresh = tokens.refresh ?? this.refresh
  }
}
