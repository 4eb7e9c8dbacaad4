import { AsyncLocalStorage } from 'node:async_hooks'
import { userInfo } from 'node:os'

/**
 * The operator who makes a change: the id of their account on a page, the id of the client at the admin API, or their
 * operating-system user at a terminal.
 */
export type Actor = `account:${string}` | `client:${string}` | `command:${string}`

const actors = new AsyncLocalStorage<Actor>()

/** Runs `work` with this operator as the actor of its trail entries. */
export function actingAs<Result>(actor: Actor, work: () => Result): Result {
  return actors.run(actor, work)
}

/** The current operator. `undefined` outside of `actingAs`, as in the import of a file. */
export function actorOfEvent(): Actor | undefined {
  return actors.getStore()
}

/** The operating-system user who runs this command. */
export function systemUser(): Actor {
  try {
    return `command:${userInfo().username}`
  } catch {
    // In a container the user may have a uid and no name.
    return `command:${process.getuid?.()}`
  }
}
