import { setTimeout as delay } from 'node:timers/promises'

const MAX_MS = 2

/**
 * A store, or any object of asynchronous functions, behind 0-2 ms of delay for each answer: one in the process of the server
 * hides every race. Members that are such objects are delayed too.
 */
export function delayed<T extends object>(target: T): T {
  return new Proxy(target, {
    get(from, name) {
      const member = Reflect.get(from, name)
      if (typeof member === 'object' && member !== null) return delayed(member)
      return typeof member === 'function' ? delayedCall(member.bind(from)) : member
    },
  })
}

type Call = (...sent: unknown[]) => unknown

/** What gives records one by one is not delayed: it answers no request. */
function delayedCall(call: Call): Call {
  return (...sent) => {
    const answer = call(...sent)
    return answer instanceof Promise ? Promise.all([answer, wait()]).then(([given]) => given) : answer
  }
}

function wait(): Promise<void> {
  return delay(Math.random() * MAX_MS)
}
