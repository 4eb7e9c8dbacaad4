import type { HttpResponse } from '@grantkit/core'
import type { Operation } from '@grantkit/torture'
import type { History } from '../history/history.ts'
import { grantIdOf } from '../history/history.ts'
import type { Answer } from '../history/read-answer.ts'
import type { SeededRandom } from '../scheduler/seeded-random.ts'
import type { VirtualTime } from '../scheduler/virtual-time.ts'
import { type AuthorizationForm, authorizationRequest, consentRequest } from '../service/messages.ts'
import type { Network, Sent } from '../service/network.ts'
import { type Clients, LIFETIMES } from '../service/service.ts'

/** What the actors of a run share. */
export interface Stage {
  readonly time: VirtualTime
  readonly random: SeededRandom
  readonly network: Network
  readonly history: History
  readonly clients: Clients
}

/** An approval of the user: the code of a grant, which is a family of the history. */
export interface Approval {
  readonly family: string
  readonly code: string
  readonly verifier: string
  readonly form: AuthorizationForm
}

const TRIES = 3

/** The user in a browser. A page that does not come is loaded again, and a form is sent again. */
export class User {
  readonly #subject: string
  readonly #stage: Stage

  constructor(subject: string, stage: Stage) {
    this.#subject = subject
    this.#stage = stage
  }

  /** @returns `undefined` if the user gave up */
  async approve(family: string): Promise<Approval | undefined> {
    const { clients, random, time, history } = this.#stage
    const verifier = Buffer.from(random.bytes(32)).toString('base64url')
    const page = await this.#load(() => authorizationRequest(clients, this.#subject, verifier), 200)
    if (page === undefined) return undefined
    const form: AuthorizationForm = JSON.parse(page.body)
    const invoked = time.now
    const sent = await this.#load(() => consentRequest(form, this.#subject, 'allow'), 303)
    const code = new URL(String(sent?.headers.location ?? 'none:')).searchParams.get('code')
    if (code === null) return undefined
    const named = { code: history.nameOf(code, family), expiresIn: LIFETIMES.code }
    this.#add({ f: 'approve', family, result: 'ok', invoked, ...named })
    return { family, code, verifier, form }
  }

  /** Sends the form once more, with the other button. */
  async deny({ family, form }: Approval): Promise<void> {
    const { network, time } = this.#stage
    const invoked = time.now
    const response = await network.load(consentRequest(form, this.#subject, 'deny'))
    const error = new URL(String(response?.headers.location ?? 'none:')).searchParams.get('error')
    const isOpen = response === undefined || response.status >= 500 || error === 'temporarily_unavailable'
    const result = isOpen ? 'info' : error === 'access_denied' ? 'ok' : 'fail'
    this.#add({ f: 'deny', family, result, invoked, ...(isOpen && { forgotten: true }) })
  }

  /** On the page of connected apps. */
  async endGrant(family: string, credential: string): Promise<Answer | undefined> {
    const grantId = grantIdOf(credential) ?? ''
    const sent: Sent = {
      ...{ process: 'user', f: 'deny', family },
      request: async ({ server }) => {
        const ended = await server.grants.revoke(this.#subject, grantId).catch(() => 'failed')
        return { status: ended === 'failed' ? 503 : 200, headers: {}, body: '' }
      },
    }
    return this.#stage.network.send(sent)
  }

  async #load(
    request: () => Parameters<Network['load']>[0],
    status: number,
  ): Promise<HttpResponse | undefined> {
    const { network, time, random } = this.#stage
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const response = await network.load(request())
      if (response?.status === status) return response
      await time.sleep(random.between(200, 2000))
    }
    return undefined
  }

  #add(operation: Omit<Operation, 'id' | 'process' | 'returned'>): void {
    const { history, time } = this.#stage
    history.add({ ...operation, process: 'user', returned: time.now })
  }
}
