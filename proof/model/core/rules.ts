import { DEVICE_ANSWER_ERRORS } from '../../../packages/core/src/features/device/device-pages.ts'
import { CODE_ERRORS } from '../../../packages/core/src/features/device/device-token-request.ts'
import { narrowToken } from '../../../packages/core/src/features/token-exchange/narrowing.ts'
import { redeemCode } from '../../../packages/core/src/grants/authorization-code.ts'
import {
  changeGrant,
  endedGrant,
  endGrant,
  keptUntil,
} from '../../../packages/core/src/grants/change-grant.ts'
import { redeemDecoupledCode } from '../../../packages/core/src/grants/decoupled-code.ts'
import {
  answered,
  type DecoupledRequest,
  isOpen,
} from '../../../packages/core/src/grants/decoupled-request.ts'
import {
  type IssuedTokens,
  type Outcome,
  openGrant,
  withoutAccessToken,
} from '../../../packages/core/src/grants/grant.ts'
import { rotateRefreshToken } from '../../../packages/core/src/grants/refresh-token.ts'
import type { Kernel } from '../../../packages/core/src/kernel/kernel.ts'
import { OAuthError } from '../../../packages/core/src/kernel/oauth-error.ts'
import type { Grant } from '../../../packages/core/src/kernel/records.ts'
import { type GrantId, type Secret, sha256 } from '../../../packages/core/src/kernel/secrets.ts'
import type { GrantRecords } from '../../../packages/core/src/kernel/store.ts'
import type { NowAt, Presented, Replicas } from './replicas.ts'
import { type Gate, gated, LOST, type Progress } from './request.ts'
import {
  APPROVAL,
  CODE,
  DEVICE_CODE,
  FAMILY,
  LIFETIMES,
  MODEL,
  REQUEST,
  seconds,
  TERMS,
  VERIFIER,
} from './terms.ts'

/** The rules of core without a server: each change of the grant goes through `changeGrant`. */
export class Rules implements Replicas {
  readonly grantId: GrantId
  readonly #grants: GrantRecords
  readonly #nowAt: NowAt
  #device: DecoupledRequest | undefined
  #secrets = 0

  /** @param nowAt the clock of a replica, in epoch seconds */
  constructor(grants: GrantRecords, nowAt: NowAt, grantId: string, isDevice: boolean) {
    this.#grants = grants
    this.#nowAt = nowAt
    this.grantId = grantId as GrantId
    if (isDevice) this.#device = deviceRequest(this.grantId)
  }

  async approve(replica: number): Promise<void> {
    const now = this.#nowAt(replica)()
    const ticketEndsAt = now + seconds(MODEL.ticket) - seconds(0)
    await this.#insert(openGrant({ ...APPROVAL, id: this.grantId, ticketEndsAt }, now, LIFETIMES))
  }

  async deny(replica: number): Promise<void> {
    const now = this.#nowAt(replica)()
    await this.#insert(endedGrant(this.grantId, now, now + seconds(MODEL.ticket) - seconds(0)))
  }

  async allowDevice(replica: number, loses: boolean): Promise<void> {
    const now = this.#nowAt(replica)()
    if (!this.#decide(['a'], now) || loses) return
    const code = DEVICE_CODE.text as Secret
    const approval = { ...APPROVAL, id: this.grantId, code, challenge: undefined }
    const ticketEndsAt = seconds(MODEL.forgotten)
    const lifetimes = { ...LIFETIMES, code: seconds(MODEL.device) - now }
    await this.#insert(openGrant({ ...approval, ticketEndsAt }, now, lifetimes))
  }

  async denyDevice(replica: number): Promise<void> {
    this.#decide([], this.#nowAt(replica)())
  }

  async decision(): Promise<string> {
    const { decision } = this.#device ?? {}
    if (this.#device === undefined) return 'none'
    return decision === undefined ? 'pending' : decision.scopes.length > 0 ? 'allowed' : 'denied'
  }

  async arrive(presented: Presented, replica: number, gate: Gate): Promise<Progress> {
    const now = this.#nowAt(replica)
    const transition = this.#transition(presented, now(), ++this.#secrets)
    const held = kernelOf(
      gated(this.#grants, () => gate),
      now,
    )
    try {
      const changed = await changeGrant(held, this.grantId, (grant) => transition(grant, now()))
      if (changed !== undefined) return { kind: 'answered', result: changed.result }
    } catch (thrown) {
      if (thrown instanceof OAuthError || thrown === LOST) return { kind: 'refused' }
      throw thrown
    }
    return { kind: presented.kind === 'poll' && this.#isPending(now()) ? 'pending' : 'refused' }
  }

  async revoke(): Promise<void> {
    const stored = await this.#grants.find(this.grantId)
    if (stored) await endGrant(kernelOf(this.#grants, this.#nowAt(0)), stored, { by: 'client' })
  }

  async revokeAccess(token: Secret, replica: number): Promise<void> {
    await changeGrant(kernelOf(this.#grants, this.#nowAt(replica)), this.grantId, (grant) => ({
      kind: 'changed',
      grant: withoutAccessToken(grant, sha256(token)),
      result: undefined,
    }))
  }

  async exchange(token: Secret, replica: number): Promise<Secret> {
    const fresh = secretOf('exchanged', ++this.#secrets)
    const now = this.#nowAt(replica)
    const terms = {
      subjectToken: sha256(token),
      boundResources: [],
      catalogue: {},
      fresh,
      lifetime: TERMS.accessToken,
    }
    const narrowed = (grant: Grant) => narrowToken(grant, { ...REQUEST, ...terms }, now())
    await changeGrant(kernelOf(this.#grants, now), this.grantId, narrowed)
    return fresh
  }

  async #insert(grant: Grant): Promise<void> {
    await this.#grants.insert(this.grantId, grant, keptUntil(grant))
  }

  /** What the form for a device does to its request. @returns whether the decision counts */
  #decide(scopes: readonly string[], now: number): boolean {
    if (this.#device === undefined) throw new Error('There is no device')
    try {
      const decision = { subject: 'alice', scopes, authTime: seconds(0) }
      this.#device = answered(this.#device, decision, now, DEVICE_ANSWER_ERRORS)
      return true
    } catch (thrown) {
      if (thrown instanceof OAuthError) return false
      throw thrown
    }
  }

  /** What a poll without a grant gets. The service has the real one. */
  #isPending(now: number): boolean {
    const { decision, ...request } = this.#device ?? deviceRequest(this.grantId)
    return decision?.scopes.length !== 0 && isOpen(request, now)
  }

  #transition({ kind, token }: Presented, arrivedAt: number, id: number) {
    const salt = secretOf('salt', id).slice(0, 22)
    const verifier = kind === 'wrong verifier' ? 'w'.repeat(43) : VERIFIER
    const fresh = {
      accessToken: secretOf('access', id),
      family: FAMILY,
      refreshToken: secretOf('refresh', id),
    }
    return (grant: Grant, now: number): Outcome<IssuedTokens> => {
      if (token !== undefined)
        return rotateRefreshToken(grant, { ...REQUEST, token, arrivedAt, salt }, now, TERMS)
      const code = { ...REQUEST, ...DEVICE_CODE, verifier: undefined, arrivedAt, salt }
      if (kind === 'poll') return redeemDecoupledCode(grant, code, now, TERMS, CODE_ERRORS)
      return redeemCode(grant, { ...REQUEST, code: CODE, verifier, fresh, arrivedAt: now }, now, TERMS)
    }
  }
}

/** The kernel of one replica, as far as a grant needs it. @param now in epoch seconds */
function kernelOf(grants: GrantRecords, now: () => number): Kernel {
  return { store: { grants }, now, emit: () => {} } as unknown as Kernel
}

function secretOf(use: string, id: number): Secret {
  return sha256(`${use} ${id}`) as string as Secret
}

function deviceRequest(grantId: GrantId): DecoupledRequest {
  const endsAt = seconds(MODEL.device)
  return {
    kind: 'device',
    clientId: REQUEST.client.clientId,
    ...{ scopes: ['a'], ignoredScopes: [], resources: [], grantId },
    codeHash: sha256(DEVICE_CODE.text),
    ...{ createdAt: seconds(0), endsAt, expiresAt: endsAt },
  }
}
