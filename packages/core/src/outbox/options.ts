import type { MessagePost } from '../http/message-post.ts'
import type { Outcome } from './outcome.ts'
import type { Entry } from './queue.ts'

/** Why messages did not arrive. */
export interface Undelivered<Facts> {
  /** The client or the endpoint. Absent if nobody could read it. */
  readonly target?: string | undefined
  /**
   * `refused`: the answer was final. `attempts`: the last attempt failed. `expired`: 30 hours passed without an attempt.
   * `overflow`: too many messages waited. `lost`: the store has lost them.
   */
  readonly why: 'refused' | 'attempts' | 'expired' | 'overflow' | 'lost'
  /** Of the first of them. Absent if nobody could read them. */
  readonly facts?: Facts | undefined
  readonly count: number
  readonly attempts?: number | undefined
  readonly status?: number | undefined
  readonly fault?: string | undefined
}

/** Where the messages of a target go. */
export interface Receiver<Facts> {
  readonly url: string
  /** Makes the message of an attempt. If it rejects, that is no attempt, and it is made again. */
  message(entry: Entry<Facts>): Promise<{
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }>
}

export interface OutboxOptions<Facts> {
  /** The beginning of its record ids. */
  readonly name: string
  readonly post: MessagePost
  /** `gone`: it wants its messages no more. `unknown`: to this process; another one may know it. */
  receiver(target: string): Promise<Receiver<Facts> | 'gone' | 'unknown'>
  undelivered(report: Undelivered<Facts>): void
  /** Whether an answer other than 2xx is final. Default: what does not pass (Back-Channel Logout 2.5). */
  readonly refuses?: ((status: number) => boolean) | undefined
  /** Learns of the attempts that were made together. */
  tried?(target: string, outcomes: readonly Tried[]): Promise<void>
  /** Whose message it is, and whether it goes first from a full queue. */
  share?(facts: Facts): {
    readonly subject?: string | undefined
    readonly isMinor?: boolean | undefined
    /** What is dropped of one subject is reported by kind. */
    readonly kind?: string | undefined
  }
  /** Messages at once to a host. Default 4. */
  readonly atOnce?: number | undefined
  /** Seconds for which messages stay in memory while the store fails, 1,000 calls of `add` at most. Default 0: `add` rejects at once. */
  readonly heldSeconds?: number | undefined
  /** Deliveries follow by timers. `false`: only `deliver` delivers. Default true, but false in a Cloudflare Worker. */
  readonly timers?: boolean | undefined
  /** The maximum for one receiver. Default 10,000. */
  readonly maxWaiting?: number | undefined
}

export type Tried = Outcome & {
  /** It was the first attempt of its message. */
  readonly isFirst: boolean
}
