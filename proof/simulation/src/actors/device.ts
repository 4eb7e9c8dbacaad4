import { deviceRequest, pollRequest } from '../service/messages.ts'
import { load } from './browser.ts'
import type { Stage } from './stage.ts'
import type { TokenStorage } from './token-storage.ts'

export interface DeviceCodes {
  readonly family: string
  readonly deviceCode: string
  readonly userCode: string
  readonly scope: string
}

/** Between two polls, in milliseconds. */
const INTERVAL_MS = 5000
const MAX_POLLS = 14
const GO_ON = new Set(['authorization_pending', 'slow_down'])

/** A device without a browser: it polls until its user has decided elsewhere (RFC 8628). */
export class Device {
  readonly #stage: Stage
  readonly #tokens: TokenStorage

  constructor(stage: Stage, tokens: TokenStorage) {
    this.#stage = stage
    this.#tokens = tokens
  }

  /** @returns `undefined` if the server gave no codes */
  async start(family: string, scope: string): Promise<DeviceCodes | undefined> {
    const { clients } = this.#stage
    const answer = await load(this.#stage, deviceRequest(clients, scope), 200)
    if (answer === undefined) return undefined
    const { device_code: deviceCode, user_code: userCode } = JSON.parse(answer.body)
    return { family, deviceCode, userCode, scope }
  }

  /** A lost answer and a 503 are no reason to stop. */
  async poll({ family, deviceCode: key }: DeviceCodes, process: string): Promise<void> {
    const { network, clients, time } = this.#stage
    const request = pollRequest(clients, key)
    for (let polls = 0; polls < MAX_POLLS && this.#tokens.refresh === undefined; polls++) {
      await time.sleep(INTERVAL_MS)
      const answer = await network.send({ process, f: 'poll', family, key, request })
      if (answer === undefined || answer.status >= 500) continue
      this.#tokens.keep(answer.tokens)
      if (!GO_ON.has(answer.error ?? '')) return
    }
  }
}
