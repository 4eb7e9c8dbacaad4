/** The client metadata of back-channel logout (Back-Channel Logout 2.2). */
import * as z from 'zod'
import type { ClientMetadataMembers, RegisteredBy } from '../clients/client-metadata.ts'
import { text } from '../http/message.ts'
import { httpsParts, type PublicUrlRule, publicUrlFault } from '../http/public-url.ts'
import type { Client } from '../kernel/records.ts'

/** The server sends to this address, so only the operator names one. The post refuses private addresses behind the name too. */
export function logoutMetadata(registeredBy: RegisteredBy, rule: PublicUrlRule): ClientMetadataMembers {
  if (registeredBy === 'client') return {}
  const address = text(2048).superRefine((uri, context) => {
    const fault = publicUrlFault(uri, rule)
    if (fault !== undefined) context.addIssue(fault)
  })
  return {
    backchannel_logout_uri: address.optional(),
    backchannel_logout_session_required: z.boolean().optional(),
    session_bound: z.boolean().optional(),
  }
}

const Registered = z.object({
  backchannel_logout_uri: z.string().optional(),
  backchannel_logout_session_required: z.boolean().optional(),
  session_bound: z.boolean().optional(),
})

export interface LogoutTerms {
  /** Where its logout tokens go. */
  readonly uri?: string | undefined
  /** Each of its logout tokens names a session. */
  readonly sessionRequired: boolean
  /** Its grants end with the session they began in. */
  readonly sessionBound: boolean
}

/**
 * What happens to a client at the end of a session; `undefined` if nothing does. A client that registered itself is never notified,
 * and a document names only an address on its own host: no client can make the server send to others.
 */
export function logoutTermsOf({ clientId, origin, featureMetadata = {} }: Client): LogoutTerms | undefined {
  const read = origin === 'registered' ? undefined : Registered.safeParse(featureMetadata).data
  const { backchannel_logout_uri: named, backchannel_logout_session_required, session_bound } = read ?? {}
  const uri = origin === 'document' && named !== undefined && !isOnHostOf(clientId, named) ? undefined : named
  const sessionBound = origin === 'integration' && session_bound === true
  if (uri === undefined && !sessionBound) return undefined
  return { uri, sessionRequired: backchannel_logout_session_required === true, sessionBound }
}

function isOnHostOf(clientId: string, uri: string): boolean {
  const host = httpsParts(uri)?.authority
  return host !== undefined && host === httpsParts(clientId)?.authority
}
