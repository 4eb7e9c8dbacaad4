/** Mails to users. They wait in the store until a mail server has taken them. */
import type { Store } from '@grantkit/core'
import {
  type Emit,
  type Random,
  shielded,
  strongRandom,
  systemClock,
  systemTime,
  type Time,
} from '@grantkit/core/internal'
import type { OutboxOptions, Undelivered } from './delivery.ts'
import { createOutbox, type OutboxFailed } from './outbox.ts'

export interface MailOptions<Facts> {
  /** With transients. The mails wait there. */
  readonly store: Store
  /**
   * Sends a mail, or finds that its user is to get none. If it rejects, it is called again: eight times within 30 hours.
   *
   * @param facts what the mail says, as JSON. Nothing secret: they lie in the store
   */
  send(facts: Facts): Promise<void>
  /** Of a full queue nobody pushes out what is about others, and what is minor goes first. Default: the oldest go. */
  readonly share?: OutboxOptions<Facts>['share']
  /** Mails were not sent. */
  undelivered(report: Pick<Undelivered<Facts>, 'why' | 'count'>): void
  /** Gets the events of the mails themselves. Default: the console. */
  readonly onEvent?: ((event: OutboxFailed) => void) | undefined
  /** Sends by timers, or until a signal aborts. Default true, but false in a Cloudflare Worker: call `deliver` there. */
  readonly timers?: boolean | AbortSignal | undefined
  /** The clock, in epoch seconds. */
  readonly now?: (() => number) | undefined
  /** Waits, for tests. Default: the timers of the runtime. */
  readonly time?: Time | undefined
  /** Cryptographically strong random bytes. */
  readonly random?: Random | undefined
}

export interface Mails<Facts> {
  /** Resolves when the mail is stored. @throws OAuthError 503 */
  add(facts: Facts): Promise<void>
  /** Sends what is due now, and resolves when it has been tried. Timers do it. */
  deliver(): Promise<void>
}

/** All mails go to the same server. */
const RECEIVER = 'mail-server'
const SENT = { status: 200, headers: {} }
/** A mail server may take a mail tomorrow. */
const NOT_SENT = { status: 503, headers: {} }

/**
 * Mails that are sent at least once, also if the process ends or the mail server is down.
 *
 * @throws Error if the store has no transients
 */
export function createMails<Facts>(options: MailOptions<Facts>): Mails<Facts> {
  const { store, timers, now = systemClock, time = systemTime, random = strongRandom } = options
  const { transients } = store
  if (transients === undefined) throw new Error('mails: the store has no transients')
  const emit = shielded(options.onEvent as Emit | undefined)
  /** A slow mail server may take longer than an attempt. The next one waits for the same mail. */
  const sending = new Map<string, Promise<typeof SENT>>()

  const outbox = createOutbox<Facts>({ now, time, random, emit }, transients, {
    ...{ name: 'mail-outbox', timers, ...(options.share && { share: options.share }) },
    receiver: async () => ({
      url: `smtp://${RECEIVER}`,
      message: async ({ id, facts }) => ({ headers: {}, body: JSON.stringify({ id, facts }) }),
    }),
    async post(_, { body, signal }) {
      const { id, facts }: { id: string; facts: Facts } = JSON.parse(body)
      const answer =
        sending.get(id) ??
        options.send(facts).then(
          () => SENT,
          () => NOT_SENT,
        )
      sending.set(id, answer)
      const answered = await answer
      if (!signal.aborted || answered === NOT_SENT) sending.delete(id)
      return answered
    },
    undelivered: ({ why, count }) => options.undelivered({ why, count }),
  })
  return { add: (facts) => outbox.add(RECEIVER, [facts]), deliver: () => outbox.deliver() }
}
