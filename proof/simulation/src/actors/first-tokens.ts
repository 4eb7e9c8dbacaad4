import { type AppPlan, type CodeUse, type DeviceUse, isOfDevice } from '../plan/plan.ts'
import type { SeededRandom } from '../scheduler/seeded-random.ts'
import { redemption } from '../service/messages.ts'
import { LIFETIMES } from '../service/service.ts'
import { Device } from './device.ts'
import type { Stage } from './stage.ts'
import type { Thief } from './thief.ts'
import type { TokenStorage } from './token-storage.ts'
import type { Approval, User } from './user.ts'

export interface AppParts {
  readonly name: string
  readonly stage: Stage
  readonly user: User
  readonly thief: Thief
  readonly tokens: TokenStorage
}

/** How an app gets its first tokens: by a code that it redeems, or by a device code for which it polls. */
export class FirstTokens {
  readonly #name: string
  readonly #stage: Stage
  readonly #user: User
  readonly #thief: Thief
  readonly #tokens: TokenStorage
  readonly #device: Device

  constructor({ name, stage, user, thief, tokens }: AppParts) {
    this.#name = name
    this.#stage = stage
    this.#user = user
    this.#thief = thief
    this.#tokens = tokens
    this.#device = new Device(stage, tokens)
  }

  /** @returns whether there was an approval */
  async get(family: string, how: AppPlan['redemption'], scope: string): Promise<boolean> {
    if (isOfDevice(how)) return this.#useDevice(family, how, scope)
    const approval = await this.#user.approve(family, scope)
    if (approval !== undefined) await this.#redeem(approval, how)
    return approval !== undefined
  }

  async #useDevice(family: string, how: DeviceUse, scope: string): Promise<boolean> {
    const { time, random } = this.#stage
    const codes = await this.#device.start(family, scope)
    if (codes === undefined) return false
    const decides = time
      .sleep(random.between(0, 20_000))
      .then(() => this.#user.decide(codes, how === 'deviceDenied' ? 'deny' : 'allow'))
    const meanwhile = random.between(0, 20_000)
    await Promise.all([
      decides,
      how === 'deviceDeniedMeanwhile' && time.sleep(meanwhile).then(() => this.#user.decide(codes, 'deny')),
      this.#device.poll(codes, processName(this.#name, 0)),
      how === 'deviceTwice' && this.#device.poll(codes, processName(this.#name, 1)),
    ])
    return true
  }

  async #redeem(approval: Approval, how: CodeUse): Promise<void> {
    const { time, random } = this.#stage
    const own = (process: number) => this.#redeemOnce(approval, processName(this.#name, process))
    if (how === 'late') await time.sleep(1000 * LIFETIMES.code + random.between(0, 20_000))
    if (how === 'deniedBefore') await this.#user.deny(approval)
    const meanwhile = soon(random)
    await Promise.all([
      own(0),
      how === 'twice' && time.sleep(meanwhile).then(() => own(1)),
      how === 'stolen' && time.sleep(meanwhile).then(() => this.#thief.redeem(approval)),
      how === 'deniedMeanwhile' && time.sleep(meanwhile).then(() => this.#user.deny(approval)),
    ])
    if (how === 'stolenAfter') await this.#thief.redeem(approval)
  }

  async #redeemOnce({ family, code, verifier }: Approval, process: string): Promise<void> {
    const { network, clients } = this.#stage
    const request = redemption(clients, code, verifier)
    const answer = await network.send({ process, f: 'redeem', family, key: code, request })
    if (answer !== undefined) this.#tokens.keep(answer.tokens)
  }
}

/** Half of the time so soon that two requests meet in the store. In milliseconds. */
function soon(random: SeededRandom): number {
  const fraction = random.fraction()
  return fraction < 0.5 ? fraction * 30 : fraction * 200
}

export function processName(app: string, process: number): string {
  return process === 0 ? app : `${app}-b`
}
