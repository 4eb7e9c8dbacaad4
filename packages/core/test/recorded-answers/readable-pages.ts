import type { HttpResponse, Interaction } from '@grantkit/core'

/**
 * Pages that print all their input. The cookie `user=alice` is Alice, signed in now; `user=alice@100` signed in at 100;
 * with `user=broken` the session cannot be read.
 */
export function readablePages(now: () => number): Interaction {
  return {
    async session({ headers }) {
      const [, subject, time] = /^user=(\w+)(?:@(\d+))?$/.exec(String(headers.cookie ?? '')) ?? []
      if (subject === 'broken') throw new Error('The sessions are down')
      if (subject === undefined) return undefined
      return { id: `${subject}@${time}`, subject, authTime: time === undefined ? now() : Number(time) }
    },
    signIn: (returnTo, hint) => page(200, { returnTo, hint }),
    consentPage: (view) => page(200, view),
    errorPage: (view) => page(view.status, view),
  }
}

function page(status: number, view: object): HttpResponse {
  return { status, headers: { 'content-type': 'text/html' }, body: JSON.stringify(view, inOrder) }
}

/** Sorts members: their order means nothing to a page, and may change. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}
