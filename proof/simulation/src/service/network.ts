import type { HttpRequest, HttpResponse } from '@grantkit/core'
import type { Operation } from '@grantkit/torture'
import type { History } from '../history/history.ts'
import { type Answer, readAnswer, resultOf } from '../history/read-answer.ts'
import type { Plan } from '../plan/plan.ts'
import { drawingFrom } from '../scheduler/random-streams.ts'
import type { SeededRandom } from '../scheduler/seeded-random.ts'
import type { Conditions } from '../store/conditions.ts'
import type { Replica } from './replica.ts'
import type { Service } from './service.ts'

/** A request that is part of the history. */
export interface Sent {
  readonly process: string
  readonly f: Operation['f']
  readonly family: string
  /** The credential that it presents. */
  readonly key?: string | undefined
  readonly forbidden?: string | undefined
  readonly request: SentRequest
}

/** A request, or a call by the application in the process of the server. */
type SentRequest = HttpRequest | ((service: Service) => Promise<HttpResponse>)

/** After so long an app gives up waiting, in milliseconds. */
const ANSWER_LIMIT_MS = 10_000

interface NetworkParts {
  readonly plan: Plan
  readonly conditions: Conditions
  readonly replicas: readonly Replica[]
  readonly history: History
  /** The stream of the app. */
  readonly random: SeededRandom
}

/** Between an app and the replicas: messages take time, get lost, come twice, and overtake each other. */
export class Network {
  readonly #plan: Plan
  readonly #conditions: Conditions
  readonly #replicas: readonly Replica[]
  readonly #history: History
  readonly #random: SeededRandom

  constructor({ plan, conditions, replicas, history, random }: NetworkParts) {
    this.#plan = plan
    this.#conditions = conditions
    this.#replicas = replicas
    this.#history = history
    this.#random = random
  }

  /** @returns `undefined`: there was no answer in time */
  send(sent: Sent): Promise<Answer | undefined> {
    const { time, rates } = this.#conditions
    const random = this.#random
    return new Promise((resolve) => {
      const cancel = time.after(ANSWER_LIMIT_MS, () => resolve(undefined))
      if (random.chance(rates.duplicated)) this.#deliver({ ...sent, process: 'network' }, () => {})
      this.#deliver(sent, (answer) => {
        cancel()
        resolve(answer)
      })
    })
  }

  /** A request that is no operation of a grant, such as that for a page. @returns `undefined`: there was no answer in time */
  load(request: SentRequest): Promise<HttpResponse | undefined> {
    const { time, rates } = this.#conditions
    const random = this.#random
    return new Promise((resolve) => {
      time.after(ANSWER_LIMIT_MS, () => resolve(undefined))
      if (random.chance(rates.requestLost)) return
      time.after(this.#delay(), async () => {
        const response = await this.#answer(random.pick(this.#replicas), request)
        if (response !== undefined && !random.chance(rates.answerLost))
          time.after(this.#delay(), () => resolve(response))
      })
    })
  }

  #deliver(sent: Sent, answered: (answer: Answer) => void): void {
    const { time, rates } = this.#conditions
    const random = this.#random
    const invoked = time.now
    const replica = random.pick(this.#replicas)
    if (random.chance(rates.requestLost)) return void this.#record(sent, replica, { invoked })
    const isSeen = sent.process !== 'network' && !random.chance(rates.answerLost)
    time.after(this.#delay(), async () => {
      const offsetMs = replica.offsetMs
      const response = await this.#answer(replica, sent.request)
      if (response === undefined) return void this.#record(sent, replica, { invoked })
      time.after(this.#delay(), () => {
        const inTime = time.now - invoked < ANSWER_LIMIT_MS
        const answer = this.#record(sent, replica, { invoked, response, offsetMs, isSeen: isSeen && inTime })
        if (isSeen && answer !== undefined) answered(answer)
      })
    })
  }

  #answer(replica: Replica, request: SentRequest): Promise<HttpResponse | undefined> {
    return drawingFrom(this.#random, () =>
      typeof request === 'function' ? replica.call(request) : replica.handle(request),
    )
  }

  /** Most are fast. A few take seconds, so that later ones overtake them. */
  #delay(): number {
    const random = this.#random
    return random.chance(0.03) ? random.between(0, 4000) : random.between(0, this.#plan.networkMs)
  }

  #record(
    { process, f, family, key, forbidden }: Sent,
    replica: Replica,
    { invoked, response, offsetMs, isSeen = false }: Delivered,
  ): Answer | undefined {
    const answer = response && readAnswer(f, response)
    const history = this.#history
    const name = (secret: string | undefined) => history.nameOf(secret, family)
    const { tokens, status, error, active, expiresIn } = answer ?? { tokens: {} }
    history.add({
      ...{ process, f, family, replica: replica.name, invoked, returned: this.#conditions.time.now },
      ...{ key: name(key), access: name(tokens.access), refresh: name(tokens.refresh), forbidden },
      ...{ status, error, active, expiresIn },
      result: answer === undefined ? 'info' : resultOf(f, answer),
      forgotten: isSeen ? undefined : true,
      skew: offsetMs === undefined ? undefined : Math.round(offsetMs),
    })
    return answer
  }
}

interface Delivered {
  readonly invoked: number
  readonly response?: HttpResponse
  readonly offsetMs?: number
  readonly isSeen?: boolean
}
