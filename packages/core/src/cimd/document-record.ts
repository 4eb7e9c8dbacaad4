/** The record of a client that a document describes: what an approval writes, and what its removal leaves. */
import { CLIENT_ERRORS } from '../clients/client-sources.ts'
import { OAuthError } from '../kernel/oauth-error.ts'
import type { Client, ClientDocument } from '../kernel/records.ts'

/** All installations share one record. With a day to spare, most approvals need not prolong it. */
const DAY = 24 * 60 * 60
/** 100 years. */
const FOR_GOOD = 36_500 * DAY

/**
 * The grants that users approved before a client changed: they go on, or end at their next refresh if the client changed
 * its name, its redirect URIs or its way to authenticate.
 */
export type OnDocumentChange = 'keep' | 'reconsent'

/** What a user validates: who gets the tokens. */
const CONSENTED_TO = ['clientName', 'redirectUris', 'tokenEndpointAuthMethod']

/**
 * The record after an approval, `undefined` if it need not change. Of two copies of the document the later one stays:
 * replicas fetch it at different times.
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
  const isNews = client.document !== undefined && client.document.fetchedAt > (document?.fetchedAt ?? 0)
  if (!isNews && expiresAt >= until) return undefined
  const newest = isNews || seen === undefined ? client : seen
  return {
    ...newest,
    document: newest.document && { ...newest.document, ...consentOf(seen, newest, onChange) },
    createdAt: createdAt ?? client.createdAt,
    expiresAt: expiresAt >= until ? expiresAt : until + DAY,
  }
}

function consentOf(
  before: Client | undefined,
  after: Client,
  onChange: OnDocumentChange,
): Pick<ClientDocument, 'consentSince'> {
  const changed = before === undefined ? [] : changedMembers(before, after)
  if (onChange === 'reconsent' && changed.some((name) => CONSENTED_TO.includes(name)))
    return { consentSince: after.document?.fetchedAt }
  const { consentSince } = before?.document ?? {}
  return consentSince === undefined ? {} : { consentSince }
}

/** The members that the document describes otherwise than before. */
export function changedMembers(before: Client, after: Client): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const textOf = (client: Client, name: string) => JSON.stringify(client[name as keyof Client])
  return [...names].filter((name) => !OURS.includes(name) && textOf(before, name) !== textOf(after, name))
}

/** Members that no document sets. */
const OURS = ['createdAt', 'expiresAt', 'document', 'httpsCallbacks']

/** Stands for a removed client, so that its document does not bring it back. */
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
    expiresAt: now + FOR_GOOD,
  }
}
