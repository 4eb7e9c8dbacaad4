import { redemption, refreshRequest } from '../service/messages.ts'
import type { Stage } from './stage.ts'
import type { Approval } from './user.ts'

/** Holds copies of what the app holds, and waits as long as it likes. */
export class Thief {
  readonly #process: string
  readonly #stage: Stage
  #refresh: string | undefined

  constructor(app: string, stage: Stage) {
    this.#process = `thief-of-${app}`
    this.#stage = stage
  }

  copy(refresh: string | undefined): void {
    this.#refresh = refresh
  }

  async refresh(family: string): Promise<void> {
    const { network, clients } = this.#stage
    const key = this.#refresh
    if (key === undefined) return
    const request = refreshRequest(clients, key)
    const answer = await network.send({ process: this.#process, f: 'refresh', family, key, request })
    this.#refresh = answer?.tokens.refresh ?? key
  }

  /** It has seen the code, and not the verifier. */
  async redeem({ family, code }: Approval): Promise<void> {
    const { network, clients, random } = this.#stage
    const request = redemption(clients, code, Buffer.from(random.bytes(32)).toString('base64url'))
    const forbidden = 'a wrong PKCE verifier'
    await network.send({ process: this.#process, f: 'redeem', family, key: code, forbidden, request })
  }
}
