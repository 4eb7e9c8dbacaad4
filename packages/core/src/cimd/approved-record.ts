/** The record of a client that a document describes: what an approval writes, and what a removal leaves. */
import { CLIENT_ERRORS } from '../clients/client-sources.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client, ClientDocument } from '../kernel/records.ts'

/** All installations of a client share one record. With a spare day, most approvals need no write. */
const DAY = 24 * 60 * 60
/** 100 years. */
const FOREVER = 36_500 * DAY

/**
 * What happens to earlier grants when the document of their client changes. `keep`: they go on. `reconsent`: they end at their
 * next refresh if the name, the redirect URIs or the authentication method changed.
 */
export type OnDocumentChange = 'keep' | 'reconsent'

/** The members that a user's consent relies on. */
const CONSENTED_TO = ['clientName', 'redirectUris', 'tokenEndpointAuthMethod']

/**
 * The record after an approval; `undefined` if it stays as it is. The later copy of the document wins, since replicas fetch it
 * at different times.
 *
 * @param until epoch seconds until which the record must live
 * @throws OAuthError `client_unknown` when the operator removed the client
 */
export function approvedRecord(
  seen: Client | undefined,
  client: Client,
  until: number,
  onChange: OnDocumentChange = 'keep',
): Client | undefined {
  if (seen?.refused === true) throw new OAuthError(CLIENT_ERRORS.client_unknown)
  const { createdAt, expiresAt = 0, document } = seen ?? {}
  const isNewer = client.document !== undefined && client.document.fetchedAt > (document?.fetchedAt ?? 0)
  if (!isNewer && expiresAt >= until) return undefined
  const newest = isNewer || seen === undefined ? client : seen
  return {
    ...newest,
    document: newest.document && { ...newest.document, consentSince: consentSince(seen, newest, onChange) },
    createdAt: createdAt ?? client.createdAt,
    expiresAt: expiresAt >= until ? expiresAt : until + DAY,
  }
}

function consentSince(
  before: Client | undefined,
  after: Client,
  onChange: OnDocumentChange,
): ClientDocument['consentSince'] {
  const changed = before !== undefined && onChange === 'reconsent' ? changedMembers(before, after) : []
  const isAskedAgain = changed.some((name) => CONSENTED_TO.includes(name))
  return isAskedAgain ? after.document?.fetchedAt : before?.document?.consentSince
}

/** The members that differ between two documents. */
export function changedMembers(before: Client, after: Client): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const textOf = (client: Client, name: string) => JSON.stringify(client[name as keyof Client])
  return [...names].filter(
    (name) => !SERVER_MEMBERS.includes(name) && textOf(before, name) !== textOf(after, name),
  )
}

/** Members that the server sets. */
const SERVER_MEMBERS = ['createdAt', 'expiresAt', 'document', 'httpsCallbacks', 'knownClient']

/** The record of a removed client. Its document does not restore the client. */
export function refusedRecord(clientId: string, now: number): Client {
  return {
    clientId,
    origin: 'document',
    applicationType: 'native',
    redirectUris: [],
    tokenEndpointAuthMethod: 'none',
    grantTypes: [],
    idTokenSignedResponseAlg: 'RS256',
    refused: true,
    createdAt: now,
    expiresAt: now + FOREVER,
  }
}
