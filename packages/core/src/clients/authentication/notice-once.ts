import type { Kernel } from '../../kernel/kernel.ts'
import { sha256 } from '../../kernel/secrets.ts'

/**
 * Sends a notice, unless the same one was sent before: on any replica, if the store has transients, and otherwise by this
 * process.
 *
 * @param until epoch seconds, after which the notice may be sent again
 * @returns `undefined` if there is nothing to wait for. The promise never rejects
 */
export type NoticeOnce = (notice: string, until: number, send: () => void) => Promise<void> | undefined

/** Only clients whose operator has rotated or limited a secret cause notices. */
const MAX_REMEMBERED = 10_000

export function noticeOnce({ now, store }: Pick<Kernel, 'now' | 'store'>): NoticeOnce {
  const sent = new Map<string, number>()
  return (notice, until, send) => {
    if ((sent.get(notice) ?? 0) > now()) return undefined
    if (sent.size >= MAX_REMEMBERED) sent.clear()
    sent.set(notice, until)
    const { transients } = store
    if (transients === undefined) return void send()
    const id = `notice:${sha256(notice)}`
    return transients.insert(id, { kind: 'notice', expiresAt: until }, until).then(
      (isFirst) => (isFirst ? send() : undefined),
      // A notice twice is better than none, and no request fails for it.
      send,
    )
  }
}
