import type { MessagePost } from '../http/message-post.ts'
import type { Kernel } from '../kernel/kernel.ts'
import { hostSlots } from './host-slots.ts'
import { faultOf, type Outcome, outcomeOf } from './outcome.ts'
import type { Entry } from './queue-record.ts'

/** A message as it is sent. */
export interface OutboxMessage {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface AttemptOptions<Facts> {
  message(target: string, entry: Entry<Facts>): Promise<OutboxMessage | undefined>
  readonly post: MessagePost
}

const DEADLINE_MS = 5000

/** Sends a message once. It never rejects. */
export function attempts<Facts>(
  { message, post }: AttemptOptions<Facts>,
  { now, time }: Pick<Kernel, 'now' | 'time'>,
) {
  const slots = hostSlots()
  return async (target: string, entry: Entry<Facts>): Promise<Outcome> => {
    try {
      const made = await message(target, entry)
      if (made === undefined) return { kind: 'delivered' }
      const { url, headers, body } = made
      const send = () => beforeDeadline(time, (signal) => post(url, { headers, body, signal }))
      return outcomeOf(await slots(new URL(url).host, send), now())
    } catch (thrown) {
      return faultOf(thrown)
    }
  }
}

/** A post that ignores its signal must not hold the lease. */
function beforeDeadline<T>(time: Kernel['time'], work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  return new Promise<T>((resolve, reject) => {
    const cancel = time.after(DEADLINE_MS, () => {
      const late = Object.assign(new Error('No answer in time'), { code: 'timeout' })
      reject(late)
      controller.abort(late)
    })
    work(controller.signal).finally(cancel).then(resolve, reject)
  })
}
