import { parseReference } from '@grantkit/explain'
import { defineCommand } from 'citty'
import type { ReadAttempt } from '../attempts/read-attempt.ts'
import type { LoadService } from '../configured-service.ts'
import type { Service } from '../service.ts'
import type { Storage } from '../storage.ts'
import { attemptLine, attemptLines } from './attempt-lines.ts'
import { UsageError, wholeNumber } from './command-line.ts'
import { namedAccount } from './named-account.ts'
import { jsonText, plain } from './terminal.ts'
import { withService } from './with-service.ts'

/** Says why a sign-in failed, and lists the latest sign-ins of a client or user. */
export const why = (load: LoadService) =>
  defineCommand({
    meta: { description: 'Says why a sign-in failed, by the reference that its error shows' },
    args: {
      reference: { type: 'positional', required: false, description: 'such as 7K3M-Q2WD' },
      client: { type: 'string', valueHint: 'client_id', description: 'lists the sign-ins of a client' },
      user: { type: 'string', valueHint: 'address or id', description: 'lists the sign-ins of a user' },
      last: { type: 'string', default: '20', valueHint: 'number', description: 'how many to list' },
      failed: { type: 'boolean', description: 'lists only those that failed' },
      json: { type: 'boolean', description: 'prints a JSON line for each' },
    },
    run: async ({ args: { reference, client, user, last, failed, json = false } }) => {
      const limit = wholeNumber('--last', last)
      if (reference !== undefined && (client ?? user) !== undefined)
        throw new UsageError('Name a reference, or list by --client or --user.')
      if (reference !== undefined && parseReference(reference) === undefined)
        throw new UsageError(`${plain(reference)} is no reference; one looks like 7K3M-Q2WD.`)
      await withService(await load(), async (service, storage) => {
        if (reference !== undefined) return explain(service, storage, { reference, json })
        const query = { clientId: client, subject: user && (await subjectOf(service, user)) }
        const { attempts } = service
        const found = await (failed ? attempts.latestFailures(query, limit) : attempts.latest(query, limit))
        if (query.subject) storage.trail.onEvent({ type: 'attempt_read', subject: query.subject })
        const { isProbe } = await import('@grantkit/doctor')
        for (const attempt of found) console.log(json ? jsonText(attempt) : attemptLine(attempt, isProbe))
        if (found.length === 0 && !json) console.log('There are no such sign-ins.')
      })
    },
  })

/** A user of an application has no account here. */
async function subjectOf({ directory }: Service, user: string): Promise<string> {
  return user.includes('@') ? (await namedAccount(directory, user)).id : user
}

/** @throws Error if nothing is known of the attempt */
async function explain(
  { attempts, clients }: Service,
  { trail }: Storage,
  { reference, json }: { readonly reference: string; readonly json: boolean },
): Promise<void> {
  const attempt = await attempts.find(reference)
  if (attempt === undefined)
    throw new Error(
      `No sign-in with the reference ${plain(reference)} is kept. A reference looks like 7K3M-Q2WD.`,
    )
  trail.onEvent(readEvent(attempt))
  const client = attempt.clientId === undefined ? undefined : await clients.find(attempt.clientId)
  console.log(json ? jsonText({ ...attempt, client }) : attemptLines(attempt, client).join('\n'))
}

function readEvent({ reference, subject, clientId }: ReadAttempt) {
  return { type: 'attempt_read', reference, subject, clientId } as const
}
