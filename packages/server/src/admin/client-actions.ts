import { type AuthorizationServer, type ClientChanges, OAuthError, type RotatedSecret } from '@grantkit/core'
import { clientRevision } from '@grantkit/core/internal'
import type { OperatorActions } from '../operator/operator-actions.ts'

export interface ClientActionsOptions {
  readonly clients: AuthorizationServer['clients']
  readonly actions: Pick<OperatorActions, 'removeClient'>
}

/** What a form of the client page did: the problem for the operator, or the secret to show. */
export interface ClientActionResult {
  readonly problem?: string
  readonly rotated?: RotatedSecret
}

/** Does what a form of the client page asks for. */
export async function clientAction(
  { clients, actions }: ClientActionsOptions,
  id: string,
  fields: Readonly<Record<string, string>>,
): Promise<ClientActionResult> {
  try {
    switch (fields.action) {
      // The form of the older release has no action.
      case undefined:
      case 'remove':
        await actions.removeClient(id)
        return {}
      case 'rotate_secret':
        return { rotated: await clients.rotateSecret(id, { overlap: Number(fields.overlap) }) }
      case 'drop_old_secret':
        await clients.dropOldSecret(id)
        return {}
      case 'update':
        return await update(clients, id, fields)
      default:
        return { problem: 'This form is unknown. Nothing was changed.' }
    }
  } catch (error) {
    // A store that cannot be reached is no mistake of the operator.
    if (error instanceof OAuthError && error.status < 500)
      return { problem: `${error.message}. Nothing was changed.` }
    throw error
  }
}

async function update(
  clients: ClientActionsOptions['clients'],
  id: string,
  fields: Readonly<Record<string, string>>,
): Promise<ClientActionResult> {
  const seen = await clients.find(id)
  if (seen === undefined) return {}
  if (clientRevision(seen) !== fields.revision)
    return { problem: 'The client has changed meanwhile. Nothing was changed.' }
  await clients.update(id, changesOf(fields), { seen })
  return {}
}

function changesOf({
  client_name,
  redirect_uris = '',
  scopes = '',
}: Readonly<Record<string, string>>): ClientChanges {
  const limited = linesOf(scopes)
  return {
    clientName: client_name,
    redirectUris: linesOf(redirect_uris),
    // An empty field must not open every scope.
    scopes: limited.length === 0 ? undefined : limited,
  }
}

function linesOf(text: string): string[] {
  return text.split(/\s+/).filter((line) => line !== '')
}
