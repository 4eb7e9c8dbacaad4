import type { HttpResponse } from '@grantkit/core'
import { grantIdOf } from '../history/history.ts'
import type { NewOperation } from '../history/new-operation.ts'
import type { Answer } from '../history/read-answer.ts'
import {
  authorizationRequest,
  codePageRequest,
  consentRequest,
  type PageForm,
  userCodeRequest,
} from '../service/messages.ts'
import type { Sent } from '../service/network.ts'
import { LIFETIMES, type Service } from '../service/service.ts'
import { load } from './browser.ts'
import type { DeviceCodes } from './device.ts'
import type { Stage } from './stage.ts'

/** An approval of the user: the code of a grant, which is a family of the history. */
export interface Approval {
  readonly family: string
  readonly code: string
  readonly verifier: string
  readonly form: PageForm & { readonly scope: string }
}

/** The user in a browser. */
export class User {
  readonly #subject: string
  readonly #stage: Stage

  constructor(subject: string, stage: Stage) {
    this.#subject = subject
    this.#stage = stage
  }

  /** @returns `undefined` if the user gave up */
  async approve(family: string, scope: string): Promise<Approval | undefined> {
    const stage = this.#stage
    const { clients, random, time, history } = stage
    const cookie = this.#subject
    const verifier = Buffer.from(random.bytes(32)).toString('base64url')
    const page = await load(stage, authorizationRequest(clients, { cookie, verifier, scope }), 200)
    if (page === undefined) return undefined
    const form = { ...(JSON.parse(page.body) as PageForm), scope }
    const invoked = time.now
    const sent = await load(stage, consentRequest(form, cookie, 'allow'), 303)
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
    const isOpen = isUnanswered(response) || error === 'temporarily_unavailable'
    const result = isOpen ? 'info' : error === 'access_denied' ? 'ok' : 'fail'
    this.#add({ f: 'deny', family, result, invoked, ...(isOpen && { forgotten: true }) })
  }

  /** Types the code of a device, and decides. */
  async decide(
    { family, deviceCode, userCode, scope }: DeviceCodes,
    decision: 'allow' | 'deny',
  ): Promise<void> {
    const stage = this.#stage
    const cookie = this.#subject
    const codePage = await load(stage, codePageRequest(cookie), 200)
    if (codePage === undefined) return
    const typed = await load(stage, userCodeRequest(JSON.parse(codePage.body), cookie, userCode), 200)
    if (typed === undefined) return
    const invoked = stage.time.now
    const form = { ...(JSON.parse(typed.body) as PageForm), scope }
    const answer = await load(stage, consentRequest(form, cookie, decision), 200)
    const isOpen = answer === undefined
    const f = decision === 'allow' ? 'approve' : 'deny'
    const key = stage.history.nameOf(deviceCode, family)
    this.#add({ f, family, key, result: isOpen ? 'info' : 'ok', invoked, ...(isOpen && { forgotten: true }) })
  }

  /** On the page of connected apps. */
  async endGrant(family: string, credential: string): Promise<Answer | undefined> {
    const grantId = grantIdOf(credential) ?? ''
    const request = ended(({ server }) => server.grants.revoke(this.#subject, grantId))
    const sent: Sent = { process: 'user', f: 'deny', family, request }
    return this.#stage.network.send(sent)
  }

  /** Ends all grants. What it meant for each of them is known at the end of the run. */
  async signOutEverywhere(): Promise<void> {
    const { network, time, history } = this.#stage
    const subject = this.#subject
    const invoked = time.now
    const response = await network.load(
      ended(({ server }) => server.grants.revokeAll(subject, { by: 'user' })),
    )
    history.signedOut({ subject, invoked, returned: time.now, isDone: response?.status === 200 })
  }

  #add(operation: Omit<NewOperation, 'process' | 'returned'>): void {
    const { history, time } = this.#stage
    history.add({ ...operation, process: 'user', returned: time.now })
  }
}

function isUnanswered(response: HttpResponse | undefined): boolean {
  return response === undefined || response.status >= 500
}

/** A call of the application in the process of the server, with its answer as a page. */
function ended(call: (service: Service) => Promise<unknown>) {
  return async (service: Service): Promise<HttpResponse> => {
    const status = await call(service).then(
      () => 200,
      () => 503,
    )
    return { status, headers: {}, body: '' }
  }
}
