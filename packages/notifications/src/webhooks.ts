/** Signed messages about events of the server, to endpoints of the operator (Standard Webhooks 1.0). */
import type { Store } from '@grantkit/core'
import type { Transient, Transients } from '@grantkit/core/feature'
import {
  type BaseEvent,
  type Emit,
  type MessagePost,
  type Random,
  shielded,
  strongRandom,
  systemClock,
  systemTime,
  type Time,
} from '@grantkit/core/internal'
import type { Tried, Undelivered } from './delivery.ts'
import { createOutbox, type OutboxFailed } from './outbox.ts'
import {
  checkedEndpoints,
  type Endpoints,
  payloadsOf,
  signedHeaders,
  type WebhookEndpoint,
  type WebhookPayload,
  type WebhookType,
} from './webhook-message.ts'

export interface WebhookOptions {
  /** The issuer of the server, which sends nothing to itself. */
  readonly issuer: string
  /** With transients. The messages wait there. */
  readonly store: Store
  readonly endpoints: readonly WebhookEndpoint[]
  /** Sends the messages: `safePost` of `@grantkit/safe-fetch`, which reaches only public addresses. */
  readonly post: MessagePost
  /** Gets the events of the webhooks themselves. Default: the console. */
  readonly onEvent?: ((event: WebhookEvent) => void) | undefined
  /** The allowed ports of endpoints, as those of `post`. Default: 443 alone. */
  readonly ports?: readonly number[] | undefined
  /** Delivers by timers, or until a signal aborts. Default true, but false in a Cloudflare Worker: call `deliver` there. */
  readonly timers?: boolean | AbortSignal | undefined
  /** The clock, in epoch seconds. */
  readonly now?: (() => number) | undefined
  /** Waits, for tests. Default: the timers of the runtime. */
  readonly time?: Time | undefined
  /** Cryptographically strong random bytes. */
  readonly random?: Random | undefined
}

/** Messages did not arrive. */
export interface WebhookUndelivered {
  readonly type: 'webhook_undelivered'
  /** Absent if the store has lost it. */
  readonly endpoint?: string | undefined
  /**
   * `refused`: the endpoint answered 410. `attempts`: the last attempt failed. `expired`: nobody tried it within 30 hours.
   * `overflow`: too many messages waited. `lost`: the store has lost them. `not_stored`: the store failed for a minute, or 1,000
   * other messages waited for it. `too_large`: more than 20 KB.
   */
  readonly why: Undelivered<unknown>['why'] | 'not_stored' | 'too_large'
  readonly count: number
  /** Their type. */
  readonly about?: string | undefined
  readonly subject?: string | undefined
  readonly attempts?: number | undefined
  readonly status?: number | undefined
  readonly fault?: string | undefined
  readonly cause?: unknown
}

/** An endpoint gets nothing any more, until `enable`. */
export interface WebhookDisabled {
  readonly type: 'webhook_disabled'
  readonly endpoint: string
  /** `gone`: it answered 410. `failing`: nothing arrived for five days, and ten messages failed. */
  readonly why: DisabledBecause
}

/** The operator has enabled an endpoint again. */
export interface WebhookEnabled {
  readonly type: 'webhook_enabled'
  readonly endpoint: string
}

export type WebhookEvent = WebhookUndelivered | WebhookDisabled | WebhookEnabled | OutboxFailed

export interface Webhooks {
  /** Pass it every event of the server: the option `onEvent`. Events that no receiver hears cost nothing. */
  onEvent(event: { readonly type: string }): void
  /** Delivers what is due now, and resolves when it has been tried. Timers do it. */
  deliver(): Promise<void>
  /** Resolves when the messages about all events so far are stored: before a process ends. */
  settled(): Promise<void>
  /** Sends to a disabled endpoint again. What happened meanwhile is lost. */
  enable(endpoint: string): Promise<void>
  /** The endpoints, and how they are. @throws if the store fails */
  endpoints(): Promise<readonly WebhookEndpointStatus[]>
}

export interface WebhookEndpointStatus {
  readonly name: string
  readonly url: string
  readonly types: readonly WebhookType[]
  /** It gets nothing, until `enable`. */
  readonly isDisabled: boolean
  /** The first failure after the last success, in epoch seconds; absent if the last attempts succeeded. */
  readonly failingSince?: number | undefined
}

const MAX_BYTES = 20 * 1024
/** The endpoints are the operator's own. */
const AT_ONCE = 16
/** While the store is away. */
const HELD_SECONDS = 60

/**
 * Sends events of the server to your endpoints: at least once, in no promised order, at the times of back-channel logout. An
 * event is stored when it is emitted, after the change; if the process ends in between, it is lost. While the store is away, it stays
 * in memory for a minute.
 *
 * @throws Error that names the option at fault
 *
 * @example
 * ```ts with:server
 * import { createAuthorizationServer } from '@grantkit/core'
 * import { createWebhooks } from '@grantkit/notifications'
 * import { safePost } from '@grantkit/safe-fetch'
 *
 * const endpoints = [
 *   { name: 'crm', url: 'https://hooks.crm.com/grantkit', secret: process.env.CRM_WEBHOOK_SECRET ?? '' },
 * ]
 * const { onEvent } = createWebhooks({ issuer, store, endpoints, post: safePost({ issuer }) })
 * export const authorization = createAuthorizationServer({ issuer, store, scopes, secret, interaction, onEvent })
 * ```
 */
export function createWebhooks(options: WebhookOptions): Webhooks {
  const { issuer, store, post, timers, ports, now = systemClock, random = strongRandom } = options
  const { time = systemTime } = options
  const { transients } = store
  if (transients === undefined) throw new Error('webhooks: the store has no transients')
  const endpoints = checkedEndpoints(options.endpoints, issuer, ports)
  const emit = shielded(options.onEvent as Emit | undefined)
  const report = (event: WebhookEvent) => emit({ ...event })
  const states = endpointStates(transients, now)
  const outbox = createOutbox<WebhookPayload>({ now, time, random, emit }, transients, {
    ...{ name: 'webhook-outbox', post, timers, atOnce: AT_ONCE, heldSeconds: HELD_SECONDS },
    // Standard Webhooks: each other answer is worth another attempt.
    refuses: (status) => status === 410,
    share: (facts) => ({
      ...{ subject: subjectOf(facts), isMinor: facts.type === 'consent.granted', kind: facts.type },
    }),
    async receiver(name) {
      const endpoint = endpoints.get(name)
      if (endpoint === undefined) return 'unknown'
      if ((await states.stateOf(name))?.disabled) return 'gone'
      return {
        url: endpoint.url,
        async message({ id, facts }) {
          const body = JSON.stringify(facts)
          return { body, headers: signedHeaders(endpoint, { id: `msg_${id}`, at: now(), body }) }
        },
      }
    },
    async tried(name, outcomes) {
      const why = await states.tried(name, outcomes)
      if (why !== undefined) report({ type: 'webhook_disabled', endpoint: name, why })
    },
    undelivered: ({ target, facts, ...how }) =>
      report({
        ...{ type: 'webhook_undelivered', endpoint: target, about: facts?.type, ...how },
        ...(how.why === 'overflow' && { subject: subjectOf(facts) }),
      }),
  })
  const storing = new Set<Promise<void>>()
  const send = sender(endpoints, report, (target, facts) => {
    const stored = outbox.add(target, [facts]).finally(() => storing.delete(stored))
    storing.add(stored)
    return stored
  })
  return {
    onEvent(event) {
      for (const payload of payloadsOf(event as BaseEvent, now())) send(payload)
    },
    deliver: () => outbox.deliver(),
    async settled() {
      await Promise.allSettled(storing)
    },
    async enable(name) {
      if (await states.enable(name)) report({ type: 'webhook_enabled', endpoint: name })
    },
    endpoints: () =>
      Promise.all(
        [...endpoints.values()].map(async ({ name, url, types }) => {
          const { disabled: isDisabled = false, failingSince } = (await states.stateOf(name)) ?? {}
          return { name, url, types, isDisabled, failingSince }
        }),
      ),
  }
}

function subjectOf(facts: WebhookPayload | undefined): string | undefined {
  const subject = facts?.data.subject
  return typeof subject === 'string' ? subject : undefined
}

/** Stores a message for each endpoint that hears of it. */
function sender(
  endpoints: Endpoints,
  report: (event: WebhookEvent) => void,
  add: (target: string, facts: WebhookPayload) => Promise<void>,
) {
  return (payload: WebhookPayload) => {
    const { type } = payload
    const isLarge = Buffer.byteLength(JSON.stringify(payload)) > MAX_BYTES
    for (const { name: endpoint, types } of endpoints.values()) {
      if (!types.includes(type)) continue
      const lost = { type: 'webhook_undelivered', endpoint, about: type, count: 1 } as const
      if (isLarge) report({ ...lost, why: 'too_large' })
      else add(endpoint, payload).catch((cause) => report({ ...lost, why: 'not_stored', cause }))
    }
  }
}

/** Which endpoints fail, and which get nothing any more: one transient for each, shared by all processes. */
interface EndpointState extends Transient {
  readonly kind: 'webhook-endpoint'
  /** The first failure after the last success, in epoch seconds. */
  readonly failingSince: number
  /** How many messages have failed since then, up to the maximum. */
  readonly failures?: number | undefined
  readonly disabled?: true | undefined
}

/** Seconds of nothing but failures, and the messages that failed in them: a quiet endpoint is not judged by two. */
const MAX_FAILING = 5 * 24 * 60 * 60
const MAX_FAILURES = 10
/** A state lives until it is removed. */
const KEPT = 10 * 365 * 24 * 60 * 60

type DisabledBecause = 'gone' | 'failing'

function endpointStates(transients: Transients, now: () => number) {
  const idOf = (name: string) => `webhook-endpoint.${name}`
  const find = (name: string) => transients.find(idOf(name))
  const stateIn = (seen: Awaited<ReturnType<typeof find>>) => seen?.value as EndpointState | undefined

  return {
    async stateOf(name: string): Promise<Pick<EndpointState, 'failingSince' | 'disabled'> | undefined> {
      return stateIn(await find(name))
    },
    /** @returns whether it was disabled */
    async enable(name: string): Promise<boolean> {
      const isDisabled = stateIn(await find(name))?.disabled === true
      await transients.remove(idOf(name))
      return isDisabled
    },

    /** @param outcomes of messages that were tried together @returns why the endpoint is disabled from now on */
    async tried(name: string, outcomes: readonly Tried[]): Promise<DisabledBecause | undefined> {
      const seen = await find(name)
      const state = stateIn(seen)
      if (state?.disabled) return undefined
      const isGone = outcomes.some((outcome) => outcome.kind === 'refused' && outcome.status === 410)
      if (!isGone && outcomes.some(({ kind }) => kind === 'delivered')) {
        if (seen !== undefined) await transients.remove(idOf(name))
        return undefined
      }
      const { failingSince = now(), failures: before = 0 } = state ?? {}
      const failures = Math.min(before + outcomes.filter(({ isFirst }) => isFirst).length, MAX_FAILURES)
      const disabled = isGone || (failures === MAX_FAILURES && now() - failingSince >= MAX_FAILING)
      if (seen !== undefined && !disabled && failures === before) return undefined
      const expiresAt = now() + KEPT
      const value: EndpointState = {
        ...{ kind: 'webhook-endpoint', expiresAt, failingSince, failures },
        ...(disabled && { disabled }),
      }
      // Of several processes one writes it, and reports it.
      const isWritten =
        seen === undefined
          ? await transients.insert(idOf(name), value, expiresAt)
          : await transients.replace(idOf(name), seen, value, expiresAt)
      if (!isWritten || !disabled) return undefined
      return isGone ? 'gone' : 'failing'
    },
  }
}
