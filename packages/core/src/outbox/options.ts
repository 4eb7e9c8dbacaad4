import type { MessagePost } from '../http/message-post.ts'
import type { OutboxMessage } from './attempt.ts'
import type { Outcome } from './outcome.ts'
import type { Entry } from './queue-record.ts'

/** Why messages did not arrive. */
export interface Undelivered<Facts> {
  /** The client or the endpoint. */
  readonly target: string
  /** `refused`: the answer was final. `attempts`: the last attempt failed. `overflow`: too many messages waited. */
  readonly why: 'refused' | 'attempts' | 'overflow'
  /** Absent for `overflow`, which drops the oldest messages unread. */
  readonly facts?: Facts | undefined
  readonly count: number
  readonly attempts?: number | undefined
  readonly status?: number | undefined
  readonly fault?: string | undefined
}

export interface OutboxOptions<Facts> {
  /** The beginning of its record ids. */
  readonly name: string
  readonly post: MessagePost
  /** Makes the message of an attempt. @returns `undefined` if the receiver wants it no more */
  message(target: string, entry: Entry<Facts>): Promise<OutboxMessage | undefined>
  undelivered(report: Undelivered<Facts>): void
  /** Learns of each attempt. Rejects: it is made again. */
  tried?(target: string, outcome: Outcome): Promise<void>
  /** Deliveries follow by timers. `false`: only `deliver` delivers. Default true, but false in a Cloudflare Worker. */
  readonly timers?: boolean | undefined
  /** The maximum for one receiver. Default 10,000. */
  readonly maxWaiting?: number | undefined
}
