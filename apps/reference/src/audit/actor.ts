import { AsyncLocalStorage } from 'node:async_hooks'
import { userInfo } from 'node:os'

/** The operator who does something: on a page, by the id of their account; at a terminal, as a user of the machine. */
export type Actor = `account:${string}` | `command:${string}`

const actors = new AsyncLocalStorage<Actor>()

/** The trail names this operator in whatever the work changes. */
export function actingAs<Result>(actor: Actor, work: () => Result): Result {
  return actors.run(actor, work)
}

/** The operator whose work is being done. Nobody outside it, as in the import of a file. */
export function actorOfEvent(): Actor | undefined {
  return actors.getStore()
}

/** Whoever runs this command. */
export function userOfMachine(): Actor {
  try {
    return `command:${userInfo().username}`
  } catch {
    // In a container the user may have a number and no name.
    return `command:${process.getuid?.()}`
  }
}
