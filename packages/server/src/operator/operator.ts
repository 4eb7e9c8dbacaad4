import type { AttemptQuery, AttemptReader, ReadAttempt } from '../attempts/attempt-reader.ts'
import type { OnEvent } from '../events.ts'
import { type OperatorClients, type OperatorClientsOptions, operatorClients } from './clients.ts'
import { type OperatorGrants, type OperatorGrantsOptions, operatorGrants } from './grants.ts'
import { type Overview, type OverviewOptions, overviewOf, type ServiceState, stateOf } from './overview.ts'
import { type OperatorUsers, type OperatorUsersOptions, operatorUsers } from './users.ts'

/** What an operator does and sees: on a page, by the admin API and by a command, which only translate. */
export interface Operator {
  readonly users: OperatorUsers
  readonly clients: OperatorClients
  readonly grants: OperatorGrants
  readonly attempts: OperatorAttempts
  readonly overview: () => Promise<Overview>
  readonly state: () => Promise<ServiceState>
}

/** Sign-in attempts. The trail has that an operator looked at one, or at the latest ones of a user. */
interface OperatorAttempts extends Pick<AttemptReader, 'find'> {
  /** The latest first. @param failed only those with a fault */
  latest(query: AttemptQuery, limit: number, failed?: boolean): Promise<readonly ReadAttempt[]>
}

type OperatorOptions = OverviewOptions &
  OperatorUsersOptions &
  OperatorGrantsOptions &
  OperatorClientsOptions & { readonly attempts: AttemptReader; readonly onEvent: OnEvent }

export function operatorOf(options: OperatorOptions): Operator {
  const { attempts, onEvent } = options
  return {
    users: operatorUsers(options),
    clients: operatorClients(options),
    grants: operatorGrants(options),
    attempts: {
      async find(text) {
        const attempt = await attempts.find(text)
        if (attempt === undefined) return undefined
        const { reference, subject, clientId } = attempt
        onEvent({ type: 'attempt_read', reference, subject, clientId })
        return attempt
      },
      async latest(query, limit, failed = false) {
        const { subject } = query
        // That there is none says something of the user too.
        if (subject !== undefined) onEvent({ type: 'attempt_read', subject })
        return failed ? attempts.latestFailures(query, limit) : attempts.latest(query, limit)
      },
    },
    overview: overviewOf(options),
    state: stateOf(options),
  }
}
